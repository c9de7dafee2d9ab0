import type { StatedCoins } from '../../chain-source.ts';
import { coinMoveOf, decodeWalletBlock } from './tron-decode.ts';
import type { TronEndpoint } from './tron-endpoint.ts';

/** Whether a solidified block moves these coins: JSON-RPC cannot tell them from votes and freezes. */
export async function showsCoins(endpoint: TronEndpoint, coins: readonly StatedCoins[]): Promise<(boolean | null)[]> {
  const answers: (boolean | null)[] = [];
  for (const { txId, to, units, height, blockHash } of coins) {
    const block = decodeWalletBlock(await endpoint.ask('getblockbynum', { num: height }));
    const found = block?.transactions.find(({ txID }) => txID === txId);
    if (!block || !found) {
      answers.push(null);
      continue;
    }
    const move = coinMoveOf(found);
    const succeeded = found.ret?.[0]?.contractRet === 'SUCCESS';
    answers.push(block.blockID === blockHash && succeeded && move?.to === to && move.units === units);
  }
  return answers;
}
