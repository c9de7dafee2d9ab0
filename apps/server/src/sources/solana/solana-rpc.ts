import { z } from 'zod';
import { fetchJson, FetchError } from '../../lib/fetch-json.ts';
import type { SourceErrorKind } from '../chain-source.ts';
import { SourceError } from '../chain-source.ts';

/** JSON-RPC of Solana nodes, in batches as small as the strictest provider demands. */

export type SolanaCall = { method: string; params: unknown[] };
type SolanaRefusal = { code: number; message: string };
export type SolanaAnswer = { result: unknown; error: null } | { error: SolanaRefusal };

export const TIMEOUT_MS = 15_000;
/**
 * The most calls per batch: the strictest limit of any provider so far. Providers count calls, so larger batches would
 * save nothing.
 */
export const MAX_CALLS_PER_REQUEST = 10;
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
const TOO_MANY_REQUESTS = 429;
const MS_PER_SECOND = 1_000;

/** Error codes of Agave that some callers handle themselves. */
export const CODES = {
  slotSkipped: -32_007,
  slotSkippedInStorage: -32_009,
  unsupportedVersion: -32_015,
  minContextSlotNotReached: -32_016,
} as const;

/**
 * Kinds of Agave's error codes. Codes not listed are `unavailable`: a node whose long-term storage is down (-32019), or
 * that skipped a slot (-32007, -32009), may be asked again.
 */
const KINDS: ReadonlyMap<number, SourceErrorKind> = new Map([
  // The node has deleted the blocks or never kept them.
  [-32_001, 'unsupported'],
  [-32_011, 'unsupported'],
  // The node does not have the block, slot or index yet, or says that it is behind.
  [-32_004, 'not-yet'],
  [-32_005, 'not-yet'],
  [-32_014, 'not-yet'],
  [CODES.minContextSlotNotReached, 'not-yet'],
  // The transaction has a version that we did not ask for, or the node does not know the method or parameter.
  [CODES.unsupportedVersion, 'unsupported'],
  [-32_601, 'unsupported'],
  [-32_602, 'unsupported'],
  // The node does not know the signature from which a list continues: its fork is gone, or the node never saw it.
  [-32_020, 'inconsistent'],
  [TOO_MANY_REQUESTS, 'rate'],
  [-32_429, 'rate'],
]);
/** Phrases for "asked too often": some providers use a code that means something else in Agave. */
const RATE_WORDS = /(request|rate) limit|too many requests|reduce calls per second/i;

export function kindOfRefusal({ code, message }: SolanaRefusal): SourceErrorKind {
  return RATE_WORDS.test(message) ? 'rate' : (KINDS.get(code) ?? 'unavailable');
}

export function refusalOf(method: string, refusal: SolanaRefusal): SourceError {
  return new SourceError(kindOfRefusal(refusal), `${method}: ${refusal.code} ${refusal.message}`);
}

const refusalSchema = z.object({ code: z.number(), message: z.string() });
const answerSchema = z.array(
  z.object({ id: z.number(), result: z.unknown().optional(), error: refusalSchema.optional() }),
);
/** The answer to a refused batch: one object without the id of a call. */
const wholeRefusalSchema = z.object({ error: refusalSchema });

/** Turns a failed request into a SourceError; how long to pause comes from the Retry-After header. */
function failureOf(cause: unknown): SourceError {
  const message = cause instanceof Error ? cause.message : 'The provider could not be asked.';
  if (!(cause instanceof FetchError) || cause.status !== TOO_MANY_REQUESTS)
    return new SourceError('unavailable', message, { cause });
  const seconds = cause.retryAfterSeconds;
  return new SourceError('rate', message, {
    cause,
    ...(seconds !== undefined && { retryAfterMs: seconds * MS_PER_SECOND }),
  });
}

async function post(
  url: string,
  calls: readonly SolanaCall[],
  timeoutMs: number,
  maxBytes: number,
): Promise<SolanaAnswer[]> {
  const body = calls.map((call, id) => ({ jsonrpc: '2.0', id, ...call }));
  const raw = await fetchJson(url, { timeoutMs, maxBytes, body }).catch((cause: unknown) => {
    throw failureOf(cause);
  });
  const whole = wholeRefusalSchema.safeParse(raw);
  if (whole.success) throw refusalOf('batch', whole.data.error);
  const parsed = answerSchema.safeParse(raw);
  if (!parsed.success) throw new SourceError('unavailable', 'The provider answered something that is not JSON-RPC.');
  const byId = new Map(parsed.data.map((answer) => [answer.id, answer]));
  return calls.map((call, id) => {
    const answer = byId.get(id);
    if (answer?.error) return { error: answer.error };
    if (answer?.result === undefined) throw new SourceError('inconsistent', `${call.method} was not answered.`);
    return { result: answer.result, error: null };
  });
}

/** Sends calls; returns every answer in the order of the calls, errors included. */
export async function askEach(
  url: string,
  calls: readonly SolanaCall[],
  timeoutMs = TIMEOUT_MS,
  maxBytes = MAX_ANSWER_BYTES,
) {
  const answers: SolanaAnswer[] = [];
  for (let start = 0; start < calls.length; start += MAX_CALLS_PER_REQUEST)
    answers.push(...(await post(url, calls.slice(start, start + MAX_CALLS_PER_REQUEST), timeoutMs, maxBytes)));
  return answers;
}

/** The result of a call; throws when the answer is an error. */
export function resultOf(call: SolanaCall | undefined, answer: SolanaAnswer | undefined): unknown {
  if (call === undefined || answer === undefined) throw new SourceError('inconsistent', 'A call was not answered.');
  if (answer.error === null) return answer.result;
  throw refusalOf(call.method, answer.error);
}

/** Sends calls; returns all results in the order of the calls. Throws when an answer is an error. */
export async function askAll(
  url: string,
  calls: readonly SolanaCall[],
  timeoutMs = TIMEOUT_MS,
  maxBytes = MAX_ANSWER_BYTES,
): Promise<unknown[]> {
  const answers = await askEach(url, calls, timeoutMs, maxBytes);
  return answers.map((answer, position) => resultOf(calls[position], answer));
}

/** Parses an answer by its schema; throws when any part of it does not fit. */
export function parseAnswer<T>(schema: z.ZodType<T>, raw: unknown, what: string): T {
  const parsed = schema.safeParse(raw);
  if (!parsed.success) throw new SourceError('inconsistent', `The provider answered a malformed ${what}.`);
  return parsed.data;
}
