import type { z } from 'zod';
import type { Clock } from '../../lib/clock.ts';
import { fetchJson, FetchError } from '../../lib/fetch-json.ts';
import { SourceError } from '../../sources/chain-source.ts';
import type { Quota, RequestGate } from './request-gate.ts';

/** What an exchange platform's adapter is given besides its network. */
export type ExchangeOptions = {
  clock: Clock;
  /** The request gate of the process, shared by all adapters of the same platform. */
  gate: RequestGate;
  /** Time limit of one request to the platform. */
  timeoutMs?: number | undefined;
};

/** What a request is charged: a weight in a quota that the platform counts by our IP address or by exchange account. */
export type Charge = { quota: Quota; weight: number; by: 'address' | 'account' };

/** A signed request: URL path and query as they were signed, and the headers that carry the signature. */
type SignedRequest = { path: string; headers?: Readonly<Record<string, string>> };

/** The base URL that is asked, and the API key of the exchange account; no key where the request is not signed. */
type Asked = { baseUrl: string; account?: string };

export type PlatformRequest = Asked & {
  charges: readonly Charge[];
  /** Signs the request. Called when the request's turn has come, because platforms refuse old signatures. */
  sign: () => SignedRequest;
};

/** Reads what a platform's refusal means; undefined for a refusal that the platform's documentation does not list. */
type ReadRefusal = (answer: unknown, status: number) => SourceError | undefined;

/** What a refusal for asking too often concerns: every request from our IP address, or only the exchange account. */
type PauseScope = 'address' | 'account';

export type Dialect = {
  readRefusal: ReadRefusal;
  /**
   * The scope of a refusal that asks for a pause, by its HTTP status or by a code in the answer; undefined for any
   * other refusal. `answer` is undefined when the body was no JSON.
   */
  pauseScopeOf: (status: number, asked: Asked, answer: unknown) => PauseScope | undefined;
  /** How long to pause when the platform's refusal does not say. */
  usualPauseMs: number;
};

const TIMEOUT_MS = 10_000;
/** The longest answer in bytes: the largest page of any platform has a thousand rows of about one kilobyte. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
const MS_PER_SECOND = 1_000;
const FIRST_SERVER_ERROR = 500;

/**
 * Asks a platform once, through the request gate. Every failure is a SourceError, whose text holds no part of the
 * request.
 */
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
    const retryAfterMs = seconds === undefined ? dialect.usualPauseMs : seconds * MS_PER_SECOND;
    pauseFor(clock, gate, asked, scope, retryAfterMs);
    throw new SourceError('rate', cause.message, { retryAfterMs });
  }
}

/**
 * Tells the request gate of a pause that a platform asked for: for the platform's base URL, or for one exchange
 * account.
 */
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
  // The text of any error but a FetchError is left out: the text may repeat the URL, and some platforms have the
  // request's signature in the URL's query.
  if (!(cause instanceof FetchError))
    return new SourceError('unavailable', `${new URL(baseUrl).origin} could not be asked.`);
  const { kind, status, answer, message } = cause;
  if (kind === 'too-large') return new SourceError('inconsistent', message);
  if (kind !== 'status' || status === undefined || status >= FIRST_SERVER_ERROR)
    return new SourceError('unavailable', message);
  return readRefusal(answer, status) ?? new SourceError('inconsistent', message);
}

/**
 * Parses a platform's answer by its schema; throws when any part does not fit. The error shows no part of the answer,
 * which is private.
 */
export function parseAnswer<Answer>(schema: z.ZodType<Answer>, raw: unknown, what: string): Answer {
  const parsed = schema.safeParse(raw);
  if (!parsed.success) throw new SourceError('inconsistent', `The platform answered a malformed ${what}.`);
  return parsed.data;
}
