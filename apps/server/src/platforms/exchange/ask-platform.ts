import { SECOND_MS } from '@counterfoil/core/duration.ts';
import type { z } from 'zod';
import type { Clock } from '../../lib/clock.ts';
import { fetchJson, FetchError } from '../../lib/fetch-json.ts';
import { SourceError } from '../../sources/chain-source.ts';
import type { Quota, RequestGate } from './request-gate.ts';

export type ExchangeOptions = {
  clock: Clock;
  gate: RequestGate;
  timeoutMs?: number | undefined;
};

/** The weight of a request in a quota, counted by our IP address or by exchange account. */
export type Charge = { quota: Quota; weight: number; by: 'address' | 'account' };

/** Path and query as signed, and the headers with the signature. */
type SignedRequest = { path: string; headers?: Readonly<Record<string, string>> };

/** The base URL, and the API key unless the request is unsigned. */
type Asked = { baseUrl: string; account?: string };

export type PlatformRequest = Asked & {
  charges: readonly Charge[];
  /** Called when the request's turn has come, because platforms refuse old signatures. */
  sign: () => SignedRequest;
};

/** The meaning of a refusal; undefined if it is undocumented. */
type ReadRefusal = (answer: unknown, status: number) => SourceError | undefined;

/** Whether a rate limit concerns our IP address or the exchange account. */
type PauseScope = 'address' | 'account';

export type Dialect = {
  readRefusal: ReadRefusal;
  /** The scope of a requested pause, by status or code. `answer` is undefined when it was not JSON. */
  pauseScopeOf: (status: number, asked: Asked, answer: unknown) => PauseScope | undefined;
  /** For refusals without a time. */
  usualPauseMs: number;
};

const TIMEOUT_MS = 10_000;
/** The largest page of any platform has a thousand rows of about one kilobyte. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
const FIRST_SERVER_ERROR = 500;

/** Asks a platform through the request gate. Every failure is a SourceError without any part of the request. */
export async function askPlatform(
  { clock, gate, timeoutMs = TIMEOUT_MS }: ExchangeOptions,
  dialect: Dialect,
  { charges, sign, ...asked }: PlatformRequest,
): Promise<unknown> {
  const { baseUrl, account } = asked;
  for (const { quota, weight, by } of charges)
    await gate.enter({ baseUrl, quota, weight, ...(by === 'account' && { account }) });
  const { path, headers = {} } = sign();
  try {
    return await fetchJson(baseUrl + path, { timeoutMs, maxBytes: MAX_ANSWER_BYTES, headers });
  } catch (cause) {
    const status = cause instanceof FetchError && cause.kind === 'status' ? cause.status : undefined;
    const answer = cause instanceof FetchError ? cause.answer : undefined;
    const scope = status === undefined ? undefined : dialect.pauseScopeOf(status, asked, answer);
    if (!(cause instanceof FetchError) || scope === undefined) throw explainFailure(cause, dialect, baseUrl);
    const seconds = cause.retryAfterSeconds;
    const retryAfterMs = seconds === undefined ? dialect.usualPauseMs : seconds * SECOND_MS;
    pauseFor(clock, gate, asked, scope, retryAfterMs);
    throw new SourceError('rate', cause.message, { retryAfterMs });
  }
}

/** Reports a requested pause to the gate, for a base URL or one account. */
export function pauseFor(
  clock: Clock,
  gate: RequestGate,
  { baseUrl, account }: Asked,
  scope: PauseScope,
  forMs: number,
): void {
  gate.observe({ baseUrl, account: scope === 'account' ? account : undefined, untilMs: clock.nowMs() + forMs });
}

function explainFailure(cause: unknown, { readRefusal }: Dialect, baseUrl: string): SourceError {
  // Only texts of a FetchError are safe: others may repeat the URL, which on some platforms contains the signature.
  if (!(cause instanceof FetchError))
    return new SourceError('unavailable', `${new URL(baseUrl).origin} could not be asked.`);
  const { kind, status, answer, message } = cause;
  if (kind === 'too-large') return new SourceError('inconsistent', message);
  if (kind !== 'status' || status === undefined || status >= FIRST_SERVER_ERROR)
    return new SourceError('unavailable', message);
  return readRefusal(answer, status) ?? new SourceError('inconsistent', message);
}

/** Parses an answer; throws when any part does not fit. The error shows no part of the answer, which is private. */
export function parseAnswer<Answer>(schema: z.ZodType<Answer>, raw: unknown, what: string): Answer {
  const parsed = schema.safeParse(raw);
  if (!parsed.success) throw new SourceError('inconsistent', `The platform answered a malformed ${what}.`);
  return parsed.data;
}
