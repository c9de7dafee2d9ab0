import type { DashboardErrorCode } from '@counterfoil/core/refusal-code.ts';

/** Failures without an answer: the server is unreachable, or the user cancelled. */
type OwnCode = 'UNREACHABLE' | 'CANCELLED';

export type FieldFault = { field: string; message: string };

export class ApiError extends Error {
  readonly code: DashboardErrorCode | OwnCode;
  readonly status: number;
  readonly requestId: string | undefined;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    code: DashboardErrorCode | OwnCode,
    more: { status?: number; requestId?: string | undefined; details?: Record<string, unknown> | undefined } = {},
  ) {
    super(code);
    this.name = 'ApiError';
    this.code = code;
    this.status = more.status ?? 0;
    this.requestId = more.requestId;
    this.details = more.details ?? {};
  }
}

export const isCode = (cause: unknown, code: ApiError['code']): boolean =>
  cause instanceof ApiError && cause.code === code;

/** Field errors from the server. */
export function fieldFaults(cause: unknown): readonly FieldFault[] {
  if (!(cause instanceof ApiError)) return [];
  const { errors } = cause.details;
  return Array.isArray(errors) ? (errors as FieldFault[]) : [];
}
