import { SourceError } from '../chain-source.ts';
import type { RpcCall } from './rpc-call.ts';
import { MAX_CALLS_PER_REQUEST } from './rpc-call.ts';
import type { RpcProvider } from './rpc-provider.ts';

/**
 * Answers in the order of the calls. Calls that name transactions are no range that a reader could make smaller, so those
 * that are too much for one request are asked for in halves here.
 */
export async function askInParts({ call }: Pick<RpcProvider, 'call'>, calls: readonly RpcCall[]): Promise<unknown[]> {
  const answers: unknown[] = [];
  let atOnce = MAX_CALLS_PER_REQUEST;
  while (answers.length < calls.length) {
    const part = calls.slice(answers.length, answers.length + atOnce);
    try {
      const answered = await call(part);
      answers.push(...part.map((_, place) => answered[place] ?? null));
    } catch (cause) {
      if (!(cause instanceof SourceError) || cause.kind !== 'range' || part.length === 1) throw cause;
      atOnce = Math.floor(part.length / 2);
    }
  }
  return answers;
}
