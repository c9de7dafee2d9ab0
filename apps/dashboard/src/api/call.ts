import type { DashboardErrorCode } from '@counterfoil/core/refusal-code.ts';
import type { Operations } from '../generated/operations.ts';
import { ApiError } from './api-error.ts';
import { noteAnswer, noteSilence } from './connection.ts';
import { loadWords } from '../language/language.ts';
import { interrupt } from './interruptions.ts';

export type OperationName = keyof Operations;
export type Answer<Name extends OperationName> = Operations[Name]['answer'];
type Sent<Name extends OperationName> = Omit<Operations[Name], 'answer'>;

type CallOptions = {
  /** Throws refusals that a dialog could resolve: for sign-in pages and dialogs. */
  quiet?: boolean;
};

const BASE_PATH = '/api/dashboard';
const TIMEOUT_MS = 20_000;
/** Most repetitions per request: with the present token, after sign-in, after step-up. */
const MAX_INTERRUPTIONS = 4;

type Parts = { path?: Record<string, string>; query?: Record<string, unknown>; body?: unknown };

function addressOf(template: string, { path = {}, query = {} }: Parts): string {
  const address = template.replaceAll(/\{([a-z]+)\}/g, (_all, name: string) => encodeURIComponent(path[name] ?? ''));
  const asked = Object.entries(query).filter(([, value]) => value !== undefined);
  const search = new URLSearchParams(asked.map(([name, value]) => [name, String(value)])).toString();
  return `${BASE_PATH}${address}${search === '' ? '' : `?${search}`}`;
}

type Envelope<Data> = {
  data: Data;
  error_code?: DashboardErrorCode;
  request_id?: string;
  details?: Record<string, unknown>;
};

async function send<Name extends OperationName>(name: Name, parts: Parts): Promise<Answer<Name>> {
  const [method = 'GET', template = ''] = name.split(' ');
  const response = await fetch(addressOf(template, parts), {
    method,
    credentials: 'same-origin',
    headers: { accept: 'application/json', ...(parts.body !== undefined && { 'content-type': 'application/json' }) },
    signal: AbortSignal.timeout(TIMEOUT_MS),
    ...(parts.body !== undefined && { body: JSON.stringify(parts.body) }),
  }).catch(() => {
    noteSilence();
    throw new ApiError('UNREACHABLE');
  });
  const requestId = response.headers.get('x-request-id') ?? undefined;
  const { status } = response;
  const envelope = (await response.json().catch(() => ({}))) as Envelope<Answer<Name>>;
  // An unreachable server: a proxy answers without our envelope.
  if (!response.ok && envelope.error_code === undefined) {
    noteSilence();
    throw new ApiError('UNREACHABLE', { status, requestId });
  }
  noteAnswer();
  if (response.ok) return envelope.data;
  const { error_code: code = 'INTERNAL_ERROR', request_id: id = requestId, details } = envelope;
  throw new ApiError(code, { status, requestId: id, details });
}

const INTERRUPTING: Partial<Record<ApiError['code'], 'step-up' | 'sign-in'>> = {
  STEP_UP_NEEDED: 'step-up',
  NOT_SIGNED_IN: 'sign-in',
};

/**
 * Calls an operation. If the server requires sign-in or step-up, a dialog asks the user and the request is repeated. A
 * request that another one overtook is repeated first: a step-up or a new two-factor method replaces the session's token.
 */
export async function call<Name extends OperationName>(
  name: Name,
  ...[parts, { quiet = false } = {}]: keyof Sent<Name> extends never
    ? [parts?: Record<string, never>, options?: CallOptions]
    : [parts: Sent<Name>, options?: CallOptions]
): Promise<Answer<Name>> {
  for (let interruptions = 0; ; interruptions += 1) {
    try {
      return await send(name, parts ?? {});
    } catch (cause) {
      const kind = cause instanceof ApiError ? INTERRUPTING[cause.code] : undefined;
      if (quiet || !kind || interruptions >= MAX_INTERRUPTIONS) {
        // Error texts are loaded with the first error; without them a general text is shown.
        await loadWords('errors').catch(() => {});
        throw cause;
      }
      if (kind === 'step-up' || interruptions > 0) await interrupt(kind);
    }
  }
}
