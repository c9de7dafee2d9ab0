import { SourceError } from '../chain-source.ts';
import type { RpcCall } from './rpc-call.ts';
import { MAX_CALLS_PER_REQUEST } from './rpc-call.ts';
import type { RpcProvider } from './rpc-provider.ts';

/** Calls with one transaction each, in order; too large batches are halved, because there is no range to reduce. */
export async function askInParts({ call }: Pick<RpcProvider, 'call'>, calls: readonly RpcCall[]): Promise<unknown[]> {
  const answers: unknown[] = [];
  let atOnce = MAX_CALLS_PER_REQUEST;
  while (answers.length < calls.length) {
    const part = calls.slice(answers.length, answers.length + atOnce);
    try {
      const answered = await call(part);
      answers.push(...part.map((_, position) => answered[position] ?? null));
    } catch (cause) {
      if (!(cause instanceof SourceError) || cause.kind !== 'range' || part.length === 1) throw cause;
      atOnce = Math.floor(part.length / 2);
    }
  }
  return answers;
}
