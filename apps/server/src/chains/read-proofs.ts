import type { ChainReceipt, ChainSource, Pass, StatedCoins } from '../sources/chain-source.ts';
import { NATIVE_INDEX } from '../sources/transfer.ts';

type Stated = StatedCoins & { index: string };

/**
 * Reads receipts in transfer order. For coins, which receipts lack, the provider is asked as well: unknown counts as a
 * missing receipt, denied as a failed transaction.
 */
export async function readProofs(
  source: ChainSource,
  transfers: readonly Stated[],
  pass: Pass,
): Promise<(ChainReceipt | null)[]> {
  if (transfers.length === 0) return [];
  const txIds = [...new Set(transfers.map(({ txId }) => txId))];
  const receipts = await source.receipts(txIds, pass);
  const byTransaction = new Map(txIds.map((txId, position) => [txId, receipts[position] ?? null]));
  const coins = transfers.filter(({ txId, index }) => index === NATIVE_INDEX && byTransaction.get(txId));
  const shown = coins.length > 0 ? await source.showsCoins(coins, pass) : [];
  const showsByCoin = new Map(coins.map((coin, position) => [coin, shown[position] ?? null]));
  return transfers.map((transfer) => {
    const receipt = byTransaction.get(transfer.txId) ?? null;
    const shows = showsByCoin.get(transfer);
    if (shows === null) return null;
    return receipt && shows === false ? { ...receipt, succeeded: false } : receipt;
  });
}
