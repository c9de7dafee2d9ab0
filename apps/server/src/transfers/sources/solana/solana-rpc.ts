import { z } from 'zod';
import { fetchJson } from '../../../lib/fetch-json.ts';
import { SourceError } from '../../chain-source.ts';

/** JSON-RPC of a Solana node in batches that stay below what public nodes allow for one method. */

export type SolanaCall = { method: string; params: unknown[] };
export type SolanaAnswer = { result: unknown; error: null } | { error: { code: number; message: string } };

export const TIMEOUT_MS = 15_000;
/** Public nodes take 40 calls of one method in ten seconds, and count each call of a batch. */
export const MAX_CALLS_PER_REQUEST = 20;
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
export const MIN_CONTEXT_SLOT_NOT_REACHED = -32_016;

const answerSchema = z.array(
  z.object({
    id: z.number(),
    result: z.unknown().optional(),
    error: z.object({ code: z.number(), message: z.string() }).optional(),
  }),
);

async function post(url: string, calls: readonly SolanaCall[], timeoutMs: number): Promise<SolanaAnswer[]> {
  const body = calls.map((call, id) => ({ jsonrpc: '2.0', id, ...call }));
  const raw = await fetchJson(url, { timeoutMs, maxBytes: MAX_ANSWER_BYTES, body }).catch((cause: unknown) => {
    const message = cause instanceof Error ? cause.message : 'The provider could not be asked.';
    throw new SourceError('unavailable', message, { cause });
  });
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

/** Every answer in the order of the calls, errors among them. */
export async function askEach(url: string, calls: readonly SolanaCall[], timeoutMs = TIMEOUT_MS) {
  const answers: SolanaAnswer[] = [];
  for (let start = 0; start < calls.length; start += MAX_CALLS_PER_REQUEST)
    answers.push(...(await post(url, calls.slice(start, start + MAX_CALLS_PER_REQUEST), timeoutMs)));
  return answers;
}

/** All results in the order of the calls; throws when one of them is an error. */
export async function askAll(url: string, calls: readonly SolanaCall[], timeoutMs = TIMEOUT_MS): Promise<unknown[]> {
  const answers = await askEach(url, calls, timeoutMs);
  return answers.map((answer, position) => {
    if (answer.error === null) return answer.result;
    const { code, message } = answer.error;
    throw new SourceError('unavailable', `${calls[position]?.method}: ${code} ${message}`);
  });
}

/** What an answer must look like. One that does not cannot be believed in any part. */
export function parseAnswer<T>(schema: z.ZodType<T>, raw: unknown, what: string): T {
  const parsed = schema.safeParse(raw);
  if (!parsed.success) throw new SourceError('inconsistent', `The provider answered a malformed ${what}.`);
  return parsed.data;
}
