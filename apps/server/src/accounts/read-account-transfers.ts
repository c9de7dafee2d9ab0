import type { AccountFollower, AccountFollowing } from './account-follower.ts';
import type { AccountRead, AccountRequest, AccountTransfer } from '../sources/account-source.ts';
import { SourceError } from '../sources/chain-source.ts';
import { dropCoinDust } from '../transfers/drop-coin-dust.ts';
import { isDust } from '../chains/filter-transfers.ts';

const MAX_REFERENCES = 8;

/** Drops transfers without effect (zero, or to the sender) and counts and drops dust. */
export function filterAccountTransfers(
  { source }: Pick<AccountFollowing, 'source'>,
  transfers: readonly AccountTransfer[],
): { kept: AccountTransfer[]; dust: number } {
  const kept: AccountTransfer[] = [];
  let dust = 0;
  for (const transfer of transfers) {
    if (transfer.units === 0n || transfer.from === transfer.to) continue;
    if (isDust(source.network, transfer)) dust += 1;
    else kept.push({ ...transfer, references: transfer.references.slice(0, MAX_REFERENCES) });
  }
  return { kept, dust };
}

export async function readAccountTransfers(
  follower: AccountFollower,
  request: AccountRequest,
): Promise<AccountRead & { dust: number }> {
  const read = await follower.source.readAccount(request);
  const { transfers, end } = read;
  const possible = end.height > request.after.height && end.height <= request.upTo.height;
  // First reads may show transfers above their complete height; reads of final data may not.
  const isBeyond = ({ height }: AccountTransfer) => height > end.height && request.commitment === 'finalized';
  if (!possible || transfers.some((one) => one.to !== request.account || isBeyond(one))) {
    throw new SourceError('inconsistent', `The answer for ${request.account} is not of what was asked for.`);
  }
  const { kept, dust } = filterAccountTransfers(follower, transfers);
  const worthwhile = await dropCoinDust(follower, kept);
  return { ...read, transfers: worthwhile.kept, dust: dust + worthwhile.dust };
}
