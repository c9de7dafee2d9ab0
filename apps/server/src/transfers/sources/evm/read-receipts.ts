import type { ChainReceipt } from '../../chain-source.ts';
import type { TokenByContract } from './evm-decode.ts';
import { decodeReceipt } from './evm-decode.ts';
import type { RpcCall } from './rpc-call.ts';

const MAX_RECEIPTS_PER_BATCH = 90;

/** Receipts in the order of the ids; null for a transaction that the provider does not know. */
export async function readReceipts(
  call: (calls: readonly RpcCall[]) => Promise<unknown[]>,
  txIds: readonly string[],
  tokens: TokenByContract,
): Promise<(ChainReceipt | null)[]> {
  const found: (ChainReceipt | null)[] = [];
  for (let start = 0; start < txIds.length; start += MAX_RECEIPTS_PER_BATCH) {
    const part = txIds.slice(start, start + MAX_RECEIPTS_PER_BATCH);
    const answers = await call(part.map((txId) => ({ method: 'eth_getTransactionReceipt', params: [txId] })));
    found.push(...answers.map((answer) => decodeReceipt(answer, tokens)));
  }
  return found;
}
