import type { Network } from '../../networks/network.ts';
import { txIdsOf } from '../json-rpc/block-receipts.ts';
import type { TokenByContract } from '../json-rpc/evm-decode.ts';
import { decodeBlock } from '../json-rpc/evm-decode.ts';
import { getBlock, getReceipt } from '../json-rpc/rpc-call.ts';
import type { RpcProvider } from '../json-rpc/rpc-provider.ts';
import { blockQuestion } from './read-blocks.ts';

/**
 * Finds a required method that a provider lacks: receipts, or the request of second reads. Without it payments complete
 * and nothing expires. Undefined when both exist, or when the provider does not answer.
 */
export async function findMissingMethod(
  network: Network,
  tokens: TokenByContract,
  { each }: RpcProvider,
): Promise<string | undefined> {
  const [newest] = await each([getBlock('latest')]);
  if (!newest || newest.error) return undefined;
  const block = decodeBlock(newest.result);
  if (!block) return undefined;
  const [txId] = txIdsOf(newest.result);
  const calls = [blockQuestion(network, tokens).call(block), ...(txId === undefined ? [] : [getReceipt(txId)])];
  const answers = await each(calls);
  return calls.find((_call, position) => answers[position]?.error?.kind === 'unsupported')?.method;
}
