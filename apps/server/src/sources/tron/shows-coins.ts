import type { StatedCoins } from '../chain-source.ts';
import type { WalletBlock } from './tron-decode.ts';
import { coinMoveOf, decodeWalletBlock } from './tron-decode.ts';
import type { TronEndpoint } from './tron-endpoint.ts';

function showsOne({ txId, to, units, blockHash }: StatedCoins, block: WalletBlock | undefined): boolean | null {
  const found = block?.transactions.find(({ txID }) => txID === txId);
  if (!block || !found) return null;
  const move = coinMoveOf(found);
  const succeeded = found.ret?.[0]?.contractRet === 'SUCCESS';
  return block.blockID === blockHash && succeeded && move?.to === to && move.units === units;
}

/** Whether solidified blocks move these coins; JSON-RPC cannot distinguish votes and stakes. */
export async function showsCoins(endpoint: TronEndpoint, coins: readonly StatedCoins[]): Promise<(boolean | null)[]> {
  const answers = new Map<StatedCoins, boolean | null>();
  for (const [height, inBlock] of Map.groupBy(coins, (coin) => coin.height)) {
    const block = decodeWalletBlock(await endpoint.ask('getblockbynum', { num: height }));
    for (const coin of inBlock) answers.set(coin, showsOne(coin, block));
  }
  return coins.map((coin) => answers.get(coin) ?? null);
}
