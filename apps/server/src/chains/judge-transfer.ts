import { comparableAddress } from './filter-transfers.ts';
import type { Network } from '../networks/network.ts';
import type { ChainReceipt } from '../sources/chain-source.ts';
import { NATIVE_INDEX } from '../sources/transfer.ts';

/** What a receipt says about a transfer: the receipt lists the transfer, denies it, or does not exist. */
export type Judgement = 'proven' | 'contradicted' | 'unknown';

export type JudgedTransfer = { index: string; to: string; units: bigint; blockHash: string };

const tokenOf = (index: string) => index.split(':')[0];

/** Whether a receipt lists a transfer with this content, under any number. True for coins, which no receipt lists. */
function listsTransfer(network: Network, transfer: JudgedTransfer, receipt: ChainReceipt): boolean {
  if (transfer.index === NATIVE_INDEX) return true;
  const to = comparableAddress(network)(transfer.to);
  return receipt.transfers.some(
    (one) => tokenOf(one.index) === tokenOf(transfer.index) && one.to === to && one.units === transfer.units,
  );
}

/** Judges a transfer by its receipt. A missing receipt decides nothing: the node may be behind. */
export function judgeTransfer(network: Network, transfer: JudgedTransfer, receipt: ChainReceipt | null): Judgement {
  if (!receipt) return 'unknown';
  const stands = receipt.succeeded && receipt.blockHash === transfer.blockHash;
  return stands && listsTransfer(network, transfer, receipt) ? 'proven' : 'contradicted';
}
