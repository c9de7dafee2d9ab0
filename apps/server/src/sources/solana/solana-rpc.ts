import { SECOND_MS } from '@counterfoil/core/duration.ts';
import { z } from 'zod';
import { fetchJson, FetchError } from '../../lib/fetch-json.ts';
import type { SourceErrorKind } from '../chain-source.ts';
import { SourceError } from '../chain-source.ts';

/** JSON-RPC of Solana nodes, in batches for the strictest provider. */

export type SolanaCall = { method: string; params: unknown[] };
type SolanaRefusal = { code: number; message: string };
export type SolanaAnswer = { result: unknown; error: null } | { error: SolanaRefusal };

export const TIMEOUT_MS = 15_000;
/** The strictest known limit. Providers count calls, so larger batches would save nothing. */
export const MAX_CALLS_PER_REQUEST = 10;
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
const TOO_MANY_REQUESTS = 429;

export const CODES = {
  slotSkipped: -32_007,
  slotSkippedInStorage: -32_009,
  unsupportedVersion: -32_015,
  minContextSlotNotReached: -32_016,
} as const;

/**
 * Kinds of Agave's error codes. Others are `unavailable`: a node without long-term storage (-32019), or that skipped a
 * slot (-32007, -32009), may be asked again.
 */
const KINDS: ReadonlyMap<number, SourceErrorKind> = new Map([
  // The node has pruned or never stored the blocks.
  [-32_001, 'unsupported'],
  [-32_011, 'unsupported'],
  // The node does not have the block, slot or index yet, or lags.
  [-32_004, 'not-yet'],
  [-32_005, 'not-yet'],
  [-32_014, 'not-yet'],
  [CODES.minContextSlotNotReached, 'not-yet'],
  // A transaction version that was not requested, or an unknown method or parameter.
  [CODES.unsupportedVersion, 'unsupported'],
  [-32_601, 'unsupported'],
  [-32_602, 'unsupported'],
  // The signature where a list continues is unknown: its fork is gone, or the node never saw it.
  [-32_020, 'inconsistent'],
  [TOO_MANY_REQUESTS, 'rate'],
  [-32_429, 'rate'],
]);
/** Rate limits: some providers use codes with another meaning in Agave. */
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
/** A refused batch is answered by one object without call id. */
const wholeRefusalSchema = z.object({ error: refusalSchema });

/** The pause comes from the Retry-After header. */
function failureOf(cause: unknown): SourceError {
  const message = cause instanceof Error ? cause.message : 'The provider could not be asked.';
  if (!(cause instanceof FetchError) || cause.status !== TOO_MANY_REQUESTS)
    return new SourceError('unavailable', message, { cause });
  const seconds = cause.retryAfterSeconds;
  return new SourceError('rate', message, {
    cause,
    ...(seconds !== undefined && { retryAfterMs: seconds * SECOND_MS }),
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

export function resultOf(call: SolanaCall | undefined, answer: SolanaAnswer | undefined): unknown {
  if (call === undefined || answer === undefined) throw new SourceError('inconsistent', 'A call was not answered.');
  if (answer.error === null) return answer.result;
  throw refusalOf(call.method, answer.error);
}

/** Results in call order. Throws when an answer is an error. */
export async function askAll(
  url: string,
  calls: readonly SolanaCall[],
  timeoutMs = TIMEOUT_MS,
  maxBytes = MAX_ANSWER_BYTES,
): Promise<unknown[]> {
  const answers = await askEach(url, calls, timeoutMs, maxBytes);
  return answers.map((answer, position) => resultOf(calls[position], answer));
}

/** Throws when any part does not fit the schema. */
export function parseAnswer<T>(schema: z.ZodType<T>, raw: unknown, what: string): T {
  const parsed = schema.safeParse(raw);
  if (!parsed.success) throw new SourceError('inconsistent', `The provider answered a malformed ${what}.`);
  return parsed.data;
}
