import { SourceError } from '../chain-source.ts';
import type { ChainTransfer } from '../transfer.ts';
import { NATIVE_INDEX } from '../transfer.ts';
import { getReceipt } from '../json-rpc/rpc-call.ts';
import type { RpcProvider } from '../json-rpc/rpc-provider.ts';

/** The fields of a receipt that tell whether coins moved. */
type Outcome = { status?: unknown; blockHash?: unknown };

export const isCoin = ({ index }: ChainTransfer) => index === NATIVE_INDEX;

function hasSucceeded({ txId, blockHash }: ChainTransfer, receipt: Outcome | null): boolean {
  // A missing receipt does not mean that the transaction failed: a node may show a block before it has the block's
  // receipts, so the question must be asked again later.
  if (receipt === null) throw new SourceError('not-yet', `The provider has no receipt of ${txId}.`);
  if (receipt.blockHash !== blockHash)
    throw new SourceError('inconsistent', `The receipt of ${txId} is of another block.`);
  return receipt.status === '0x1';
}

/**
 * Drops coins of failed transactions: whole blocks list failed transactions too, and only receipts tell which failed.
 */
export async function confirmCoins(
  { call }: RpcProvider,
  transfers: readonly ChainTransfer[],
): Promise<ChainTransfer[]> {
  const coins = transfers.filter(isCoin);
  const receipts = (await call(coins.map(({ txId }) => getReceipt(txId)))) as (Outcome | null)[];
  const failed = new Set(coins.filter((coin, position) => !hasSucceeded(coin, receipts[position] ?? null)));
  return transfers.filter((transfer) => !failed.has(transfer));
}
