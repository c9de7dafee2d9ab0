import type { ChainReceipt, ChainSource, Pass, StatedCoins } from '../sources/chain-source.ts';
import { NATIVE_INDEX } from '../sources/transfer.ts';

type Stated = StatedCoins & { index: string };

/**
 * The receipts of transfers, in their order. A receipt says nothing of coins: where a provider does not show the coins
 * themselves, its receipt of their transaction counts as missing, or as that of one which failed.
 */
export async function readProofs(
  source: ChainSource,
  transfers: readonly Stated[],
  pass: Pass,
): Promise<(ChainReceipt | null)[]> {
  if (transfers.length === 0) return [];
  const txIds = [...new Set(transfers.map(({ txId }) => txId))];
  const receipts = await source.receipts(txIds, pass);
  const byTransaction = new Map(txIds.map((txId, place) => [txId, receipts[place] ?? null]));
  const coins = transfers.filter(({ txId, index }) => index === NATIVE_INDEX && byTransaction.get(txId));
  const shown = coins.length > 0 ? await source.showsCoins(coins, pass) : [];
  const showsByCoin = new Map(coins.map((coin, place) => [coin, shown[place] ?? null]));
  return transfers.map((transfer) => {
    const receipt = byTransaction.get(transfer.txId) ?? null;
    const shows = showsByCoin.get(transfer);
    if (shows === null) return null;
    return receipt && shows === false ? { ...receipt, succeeded: false } : receipt;
  });
}
