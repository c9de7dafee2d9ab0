import type { z } from 'zod';
import type { Clock } from '../../lib/clock.ts';
import { fetchJson, FetchError } from '../../lib/fetch-json.ts';
import { SourceError } from '../../sources/chain-source.ts';
import type { Quota, RequestGate } from './request-gate.ts';

/** What the adapters of exchange platforms are given, besides their network. */
export type ExchangeOptions = {
  clock: Clock;
  /** The gate of the process: adapters of the same platform must share it. */
  gate: RequestGate;
  /** Time limit of one request. */
  timeoutMs?: number | undefined;
};

/** What a request is charged: weight of a quota that the platform counts by our address, or by exchange account. */
export type Charge = { quota: Quota; weight: number; by: 'address' | 'account' };

/** The path with its query, both as they are signed. */
type SignedRequest = { path: string; headers?: Readonly<Record<string, string>> };

/** Who is asked, and for whom: the API key of the exchange account, absent where none is signed for. */
type Asked = { baseUrl: string; account?: string };

export type PlatformRequest = Asked & {
  charges: readonly Charge[];
  /** Signs the request when its turn has come: platforms refuse old signatures. */
  sign: () => SignedRequest;
};

/** What a platform's refusal means; undefined for one that its documentation does not list. */
type ReadRefusal = (answer: unknown, status: number) => SourceError | undefined;

/** Whom a refusal for asking too often concerns: everybody behind our address, or only the exchange account. */
type PauseScope = 'address' | 'account';

export type Dialect = {
  readRefusal: ReadRefusal;
  /**
   * The scope of a refusal that asks for a pause, by its status or by a code in the answer; undefined for all others. An
   * answer that was no JSON is undefined.
   */
  pauseScopeOf: (status: number, asked: Asked, answer: unknown) => PauseScope | undefined;
  /** How long to pause where the platform does not say. */
  usualPauseMs: number;
};

const TIMEOUT_MS = 10_000;
/** The largest page of any platform has a thousand rows of about one kilobyte. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
const MS_PER_SECOND = 1_000;
const FIRST_SERVER_ERROR = 500;

/** Asks a platform once, through the gate. Every failure is a SourceError, and none holds a part of the request. */
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

/** Leaves the platform alone, as it asked for: its whole address, or the exchange account of a request. */
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
  // What is no FetchError may repeat the address, and some platforms sign in the query: it is left out.
  if (!(cause instanceof FetchError))
    return new SourceError('unavailable', `${new URL(baseUrl).origin} could not be asked.`);
  const { kind, status, answer, message } = cause;
  if (kind === 'too-large') return new SourceError('inconsistent', message);
  if (kind !== 'status' || status === undefined || status >= FIRST_SERVER_ERROR)
    return new SourceError('unavailable', message);
  return readRefusal(answer, status) ?? new SourceError('inconsistent', message);
}

/** Parses an answer by its schema; throws when any part of it does not fit. The answer itself is private, and not told. */
export function parseAnswer<Answer>(schema: z.ZodType<Answer>, raw: unknown, what: string): Answer {
  const parsed = schema.safeParse(raw);
  if (!parsed.success) throw new SourceError('inconsistent', `The platform answered a malformed ${what}.`);
  return parsed.data;
}
