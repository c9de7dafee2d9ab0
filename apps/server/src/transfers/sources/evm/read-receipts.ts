import type { ChainReceipt } from '../../chain-source.ts';
import { SourceError } from '../../chain-source.ts';
import type { TokenByContract } from './evm-decode.ts';
import { decodeReceipt } from './evm-decode.ts';
import { getReceipt, MAX_CALLS_PER_REQUEST } from './rpc-call.ts';
import type { RpcProvider } from './rpc-provider.ts';

/**
 * Receipts in the order of the ids; null for a transaction that the provider does not know. They are no range that a
 * reader could make smaller, so too many at once are asked for in halves here.
 */
export async function readReceipts(
  provider: RpcProvider,
  txIds: readonly string[],
  tokens: TokenByContract,
): Promise<(ChainReceipt | null)[]> {
  const found: (ChainReceipt | null)[] = [];
  let atOnce = MAX_CALLS_PER_REQUEST;
  while (found.length < txIds.length) {
    const part = txIds.slice(found.length, found.length + atOnce);
    try {
      const answers = await provider.call(part.map(getReceipt));
      found.push(...answers.map((answer) => decodeReceipt(answer, tokens)));
    } catch (cause) {
      if (!(cause instanceof SourceError) || cause.kind !== 'range' || part.length === 1) throw cause;
      atOnce = Math.floor(part.length / 2);
    }
  }
  return found;
}
