import { foldOf } from './filter-transfers.ts';
import type { Network } from '../networks/network.ts';
import type { ChainReceipt } from '../sources/chain-source.ts';
import { NATIVE_INDEX } from '../sources/transfer.ts';

/** What a receipt says of a transfer that was read. */
export type Judgement = 'proven' | 'contradicted' | 'unknown';

export type JudgedTransfer = { index: string; to: string; units: bigint; blockHash: string };

const tokenOf = (index: string) => index.split(':')[0];

/** Whether a receipt lists a transfer of this content, under whatever number. Coins stand in no receipt. */
export function listsTransfer(network: Network, transfer: JudgedTransfer, receipt: ChainReceipt): boolean {
  if (transfer.index === NATIVE_INDEX) return true;
  const to = foldOf(network)(transfer.to);
  return receipt.transfers.some(
    (one) => tokenOf(one.index) === tokenOf(transfer.index) && one.to === to && one.units === transfer.units,
  );
}

/** A missing receipt decides nothing: the node may only be behind. */
export function judgeTransfer(network: Network, transfer: JudgedTransfer, receipt: ChainReceipt | null): Judgement {
  if (!receipt) return 'unknown';
  const stands = receipt.succeeded && receipt.blockHash === transfer.blockHash;
  return stands && listsTransfer(network, transfer, receipt) ? 'proven' : 'contradicted';
}
