import { SourceError } from '../chain-source.ts';
import type { ChainTransfer } from '../transfer.ts';
import { NATIVE_INDEX } from '../transfer.ts';
import { getReceipt } from '../json-rpc/rpc-call.ts';
import type { RpcProvider } from '../json-rpc/rpc-provider.ts';

type Outcome = { status?: unknown; blockHash?: unknown };

export const isCoin = ({ index }: ChainTransfer) => index === NATIVE_INDEX;

function hasSucceeded({ txId, blockHash }: ChainTransfer, receipt: Outcome | null): boolean {
  // Without a receipt the transaction need not have failed: a node may show a block before its receipts.
  if (receipt === null) throw new SourceError('not-yet', `The provider has no receipt of ${txId}.`);
  if (receipt.blockHash !== blockHash)
    throw new SourceError('inconsistent', `The receipt of ${txId} is of another block.`);
  return receipt.status === '0x1';
}

/** Drops coins of failed transactions: whole blocks list these too, and only receipts show which failed. */
export async function confirmCoins(
  { call }: RpcProvider,
  transfers: readonly ChainTransfer[],
): Promise<ChainTransfer[]> {
  const coins = transfers.filter(isCoin);
  const receipts = (await call(coins.map(({ txId }) => getReceipt(txId)))) as (Outcome | null)[];
  const failed = new Set(coins.filter((coin, position) => !hasSucceeded(coin, receipts[position] ?? null)));
  return transfers.filter((transfer) => !failed.has(transfer));
}
