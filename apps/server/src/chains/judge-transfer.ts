import { comparableAddress } from './filter-transfers.ts';
import type { Network } from '../networks/network.ts';
import type { ChainReceipt } from '../sources/chain-source.ts';
import { NATIVE_INDEX } from '../sources/transfer.ts';

/** What a receipt says about a transfer: the receipt lists the transfer, denies it, or does not exist. */
export type Judgement = 'proven' | 'contradicted' | 'unknown';

export type JudgedTransfer = {
  index: string;
  to: string;
  units: bigint;
  blockHash: string;
  /** How many transfers of the same content in the same transaction precede this one; none if not given. */
  alikeBefore?: number;
};

const tokenOf = (index: string) => index.split(':')[0];

/**
 * Whether a receipt lists a transfer with this content, under any number, and as often as such transfers were read: one
 * listed transfer does not prove two. True for coins, which no receipt lists.
 */
function listsTransfer(network: Network, transfer: JudgedTransfer, receipt: ChainReceipt): boolean {
  if (transfer.index === NATIVE_INDEX) return true;
  const to = comparableAddress(network)(transfer.to);
  const alike = receipt.transfers.filter(
    (one) => tokenOf(one.index) === tokenOf(transfer.index) && one.to === to && one.units === transfer.units,
  );
  return alike.length > (transfer.alikeBefore ?? 0);
}

/** Judges a transfer by its receipt. A missing receipt decides nothing: the node may be behind. */
export function judgeTransfer(network: Network, transfer: JudgedTransfer, receipt: ChainReceipt | null): Judgement {
  if (!receipt) return 'unknown';
  const stands = receipt.succeeded && receipt.blockHash === transfer.blockHash;
  return stands && listsTransfer(network, transfer, receipt) ? 'proven' : 'contradicted';
}
