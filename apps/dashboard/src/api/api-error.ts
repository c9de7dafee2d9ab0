import type { ErrorCode } from '../generated/operations.ts';

/** Codes of failures that the server did not answer: nothing came back, or the person did not want to go on. */
type OwnCode = 'UNREACHABLE' | 'CANCELLED';

export type FieldFault = { field: string; message: string };

/** Why a request to the server failed. */
export class ApiError extends Error {
  readonly code: ErrorCode | OwnCode;
  readonly status: number;
  readonly requestId: string | undefined;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    code: ErrorCode | OwnCode,
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

/** Faults of single fields, as the server lists them. */
export function fieldFaults(cause: unknown): readonly FieldFault[] {
  if (!(cause instanceof ApiError)) return [];
  const { errors } = cause.details;
  return Array.isArray(errors) ? (errors as FieldFault[]) : [];
}
