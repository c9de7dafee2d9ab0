import type { z } from 'zod';
import type { Clock } from '../../lib/clock.ts';
import { fetchJson, FetchError } from '../../lib/fetch-json.ts';
import { SourceError } from '../chain-source.ts';
import type { GateEntry, RequestGate } from './request-gate.ts';

/** What the adapters of exchange platforms are given, besides their network. */
export type ExchangeOptions = {
  clock: Clock;
  /** The gate of the process: adapters of the same platform must share it. */
  gate: RequestGate;
  /** Time limit of one request. */
  timeoutMs?: number | undefined;
};

export type PlatformRequest = GateEntry & {
  /** The path with its query, both as they were signed. */
  path: string;
  headers?: Readonly<Record<string, string>>;
};

/** What a platform's refusal means; undefined for one that its documentation does not list. */
export type ReadRefusal = (answer: unknown, status: number) => SourceError | undefined;

/** Whom a refusal for asking too often concerns: everybody behind our address, or only the exchange account. */
export type PauseScope = 'address' | 'account';

export type Dialect = {
  readRefusal: ReadRefusal;
  /** The scope of a status that asks for a pause; undefined for other statuses. */
  pauseScopeOf: (status: number, entry: GateEntry) => PauseScope | undefined;
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
  { path, headers = {}, ...entry }: PlatformRequest,
): Promise<unknown> {
  gate.enter(entry);
  try {
    return await fetchJson(entry.baseUrl + path, { timeoutMs, maxBytes: MAX_ANSWER_BYTES, headers });
  } catch (cause) {
    const error = explainFailure(cause, dialect, entry);
    const scope = error.scope;
    if (scope !== undefined)
      gate.observe({
        baseUrl: entry.baseUrl,
        ...(scope === 'account' && entry.account !== undefined ? { account: entry.account } : {}),
        untilMs: clock.nowMs() + (error.source.retryAfterMs ?? dialect.usualPauseMs),
      });
    throw error.source;
  }
}

type Failure = { source: SourceError; scope?: PauseScope };

function explainFailure(cause: unknown, dialect: Dialect, entry: GateEntry): Failure {
  if (!(cause instanceof FetchError)) {
    // The cause is left out: what is no FetchError may repeat the address, and some platforms sign in the query.
    return { source: new SourceError('unavailable', `${new URL(entry.baseUrl).origin} could not be asked.`) };
  }
  if (cause.kind === 'too-large') return { source: new SourceError('inconsistent', cause.message) };
  if (cause.kind !== 'status' || cause.status === undefined)
    return { source: new SourceError('unavailable', cause.message) };
  const scope = dialect.pauseScopeOf(cause.status, entry);
  if (scope !== undefined) {
    const seconds = cause.retryAfterSeconds;
    const retryAfterMs = seconds === undefined ? dialect.usualPauseMs : seconds * MS_PER_SECOND;
    return { source: new SourceError('rate', cause.message, { retryAfterMs }), scope };
  }
  if (cause.status >= FIRST_SERVER_ERROR) return { source: new SourceError('unavailable', cause.message) };
  const known = dialect.readRefusal(cause.answer, cause.status);
  return { source: known ?? new SourceError('inconsistent', cause.message) };
}

/** Parses an answer by its schema; throws when any part of it does not fit. The answer itself is private, and not told. */
export function parseAnswer<Answer>(schema: z.ZodType<Answer>, raw: unknown, what: string): Answer {
  const parsed = schema.safeParse(raw);
  if (!parsed.success) throw new SourceError('inconsistent', `The platform answered a malformed ${what}.`);
  return parsed.data;
}
