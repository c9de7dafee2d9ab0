import { comparableAddress } from './filter-transfers.ts';
import type { Network } from '../networks/network.ts';
import type { ChainReceipt } from '../sources/chain-source.ts';
import { NATIVE_INDEX } from '../sources/transfer.ts';

export type Judgement = 'proven' | 'contradicted' | 'unknown';

export type JudgedTransfer = {
  index: string;
  to: string;
  units: bigint;
  blockHash: string;
  alikeBefore?: number;
};

const tokenOf = (index: string) => index.split(':')[0];

function listsTransfer(network: Network, transfer: JudgedTransfer, receipt: ChainReceipt): boolean {
  if (transfer.index === NATIVE_INDEX) return true;
  const to = comparableAddress(network)(transfer.to);
  const alike = receipt.transfers.filter(
    (one) => tokenOf(one.index) === tokenOf(transfer.index) && one.to === to && one.units === transfer.units,
  );
  return alike.length > (transfer.alikeBefore ?? 0);
}

export function judgeTransfer(network: Network, transfer: JudgedTransfer, receipt: ChainReceipt | null): Judgement {
  if (!receipt) return 'unknown';
  const stands = receipt.succeeded && receipt.blockHash === transfer.blockHash;
  return stands && listsTransfer(network, transfer, receipt) ? 'proven' : 'contradicted';
}
