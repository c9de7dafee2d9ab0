import type { ClientRefusal } from '../../../src/networks/client-refusals.ts';
import { wordRefusal } from '../../../src/networks/client-refusals.ts';
import type { NetworkProfile } from '../../../src/networks/profile.ts';
import type { Call } from './backend.ts';
import { RpcError } from '../json-rpc.ts';
import type { FaultCounts } from './network-faults.ts';

/** Answer of a JSON-RPC batch as text, cut or refused by the client's limits of calls and bytes. */

export type BatchLimits = Pick<NetworkProfile, 'batchMaxBytes' | 'batchMaxCalls' | 'refusals'>;

const INTERNAL = -32_603;

export type Answered = { id: unknown; result: string } | { id: unknown; error: { code: number; message: string } };

const LONG_TEXT = 1_000_000;
const longTexts = new WeakMap<object, string>();

/** A result as text, whose length counts for the limits. Long texts are cached. */
function textOf(result: unknown): string {
  if (typeof result !== 'object' || result === null) return JSON.stringify(result ?? null);
  const text = longTexts.get(result) ?? JSON.stringify(result);
  if (text.length > LONG_TEXT) longTexts.set(result, text);
  return text;
}

export async function answerOne({ id }: Call, work: () => Promise<unknown>): Promise<Answered> {
  try {
    return { id, result: textOf(await work()) };
  } catch (cause) {
    const code = cause instanceof RpcError ? cause.code : INTERNAL;
    return { id, error: { code, message: cause instanceof Error ? cause.message : String(cause) } };
  }
}

function write(answered: Answered): string {
  const id = JSON.stringify(answered.id ?? null);
  if ('error' in answered) return `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify(answered.error)}}`;
  return `{"jsonrpc":"2.0","id":${id},"result":${answered.result}}`;
}

const isKnown = (refusal: ClientRefusal | 'unknown' | null): refusal is ClientRefusal =>
  refusal !== null && refusal !== 'unknown';

function writeRefusal(refusal: ClientRefusal, numbers: Record<string, number>, body: readonly Call[]): string {
  const error = { code: refusal.code, message: wordRefusal(refusal, numbers) };
  return refusal.form === 'first' ? `[${write({ id: body[0]?.id, error })}]` : write({ id: null, error });
}

/** Refuses a batch with too many calls, before any of them is answered. */
export function refuseCalls(limits: BatchLimits, counts: FaultCounts, body: readonly Call[]): string | undefined {
  const { batchMaxCalls, refusals } = limits;
  if (batchMaxCalls === null || body.length <= batchMaxCalls || !isKnown(refusals.calls)) return undefined;
  counts.limits.calls += 1;
  return writeRefusal(refusals.calls, { limit: batchMaxCalls, given: body.length }, body);
}

/**
 * Applies the limit of bytes. Where the client refuses the rest of a batch, the answer that exceeds the limit is still
 * sent.
 */
function cutBytes({ batchMaxBytes, refusals }: BatchLimits, answers: readonly Answered[]): Answered[] | ClientRefusal {
  const { bytes } = refusals;
  if (batchMaxBytes === null || !isKnown(bytes)) return [...answers];
  let sum = 0;
  const cut: Answered[] = [];
  for (const answer of answers) {
    if (sum > batchMaxBytes && bytes.form === 'rest') {
      cut.push({ id: answer.id, error: { code: bytes.code, message: wordRefusal(bytes, { limit: batchMaxBytes }) } });
      continue;
    }
    sum += 'result' in answer ? answer.result.length : 0;
    cut.push(answer);
  }
  return sum > batchMaxBytes && bytes.form === 'whole' ? bytes : cut;
}

export function writeBatch(
  limits: BatchLimits,
  counts: FaultCounts,
  body: readonly Call[],
  answers: readonly Answered[],
  reversed: boolean,
): string {
  const cut = cutBytes(limits, answers);
  const { batchMaxBytes, refusals } = limits;
  if (!Array.isArray(cut)) {
    counts.limits.bytes += 1;
    return writeRefusal(cut, { limit: batchMaxBytes ?? 0 }, body);
  }
  const code = isKnown(refusals.bytes) ? refusals.bytes.code : undefined;
  const refused = cut.some((one, place) => one !== answers[place] && 'error' in one && one.error.code === code);
  if (refused) counts.limits.bytes += 1;
  return `[${(reversed ? cut.toReversed() : cut).map(write).join(',')}]`;
}

export function writeSingle(answer: Answered): string {
  return write(answer);
}
