import { z } from 'zod';
import { FetchError, fetchJson } from '../../../lib/fetch-json.ts';
import { SourceError } from '../../chain-source.ts';

/** JSON-RPC batches over HTTP, with what providers really answer: errors in a 200, HTML, limits in words. */

export type RpcCall = { method: string; params: unknown[] };

export const TIMEOUT_MS = 15_000;
export const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

const answerSchema = z.array(
  z.object({
    id: z.number(),
    result: z.unknown().optional(),
    error: z.object({ code: z.number(), message: z.string() }).optional(),
  }),
);

const RANGE_WORDS = /range|limit|too many|too large|response size|more than \d+ results|exceed/i;
/** The same codes and nearly the same words, but smaller pieces would only be more requests. */
const RATE_WORDS = /rate.?limit|too many requests|request count|requests per|quota|capacity|compute units/i;
const LIMIT_EXCEEDED = -32_005;
const SUGGESTED = /(?:max(?:imum)? block range:?|limit(?:ed)? (?:of|to)|up to an?) (\d{1,7})/i;

function rpcError(call: RpcCall | undefined, error: { code: number; message: string }): SourceError {
  const limited = error.code === LIMIT_EXCEEDED || RANGE_WORDS.test(error.message);
  const tooMuch = call?.method === 'eth_getLogs' && limited && !RATE_WORDS.test(error.message);
  const suggested = Number(SUGGESTED.exec(error.message)?.[1]);
  return new SourceError(tooMuch ? 'range' : 'unavailable', `${call?.method}: ${error.code} ${error.message}`, {
    ...(tooMuch && suggested > 0 && { suggestedRange: suggested }),
  });
}

/** Only a range of logs can be too much: whatever else takes too long is a provider that does not answer. */
function transportError(calls: readonly RpcCall[], cause: unknown): SourceError {
  if (cause instanceof FetchError) {
    const heavy = cause.kind === 'too-large' || cause.kind === 'timeout' || cause.status === 413;
    const tooMuch = heavy && calls.some((call) => call.method === 'eth_getLogs');
    return new SourceError(tooMuch ? 'range' : 'unavailable', cause.message, { cause });
  }
  return new SourceError('unavailable', 'The provider could not be asked.', { cause });
}

/** Another provider may be quicker; a range that is refused is refused for what it is. */
export function isTimeout(cause: unknown): boolean {
  return cause instanceof SourceError && cause.cause instanceof FetchError && cause.cause.kind === 'timeout';
}

/** All answers, in the order of the calls; throws when one of them is missing or an error. */
export async function callBatch(
  url: string,
  calls: readonly RpcCall[],
  timeoutMs = TIMEOUT_MS,
  headers: Readonly<Record<string, string>> = {},
): Promise<unknown[]> {
  const body = calls.map((call, id) => ({ jsonrpc: '2.0', id, ...call }));
  const raw = await fetchJson(url, { timeoutMs, maxBytes: MAX_ANSWER_BYTES, body, headers }).catch((cause: unknown) => {
    throw transportError(calls, cause);
  });
  const parsed = answerSchema.safeParse(Array.isArray(raw) ? raw : [raw]);
  if (!parsed.success) throw new SourceError('unavailable', 'The provider answered something that is not JSON-RPC.');
  const answers: unknown[] = [];
  for (const answer of parsed.data) {
    if (answer.error) throw rpcError(calls[answer.id], answer.error);
    answers[answer.id] = answer.result ?? null;
  }
  for (const [id, call] of calls.entries()) {
    if (answers[id] === undefined) throw new SourceError('inconsistent', `${call.method} was not answered.`);
  }
  return answers;
}
