import type { AccountFollower } from './account-follower.ts';
import type { AccountRead, AccountRequest, AccountTransfer } from '../sources/account-source.ts';
import { SourceError } from '../sources/chain-source.ts';
import { dropCoinDust } from '../transfers/drop-coin-dust.ts';
import { isDust } from '../chains/filter-transfers.ts';

const MAX_REFERENCES = 8;

/**
 * Of what arrived the payments are left: nothing of value, and nothing from an address to itself, pays anybody; dust is only
 * counted.
 */
export function selectAccountHits(
  { source }: Pick<AccountFollower, 'source'>,
  transfers: readonly AccountTransfer[],
): { hits: AccountTransfer[]; dust: number } {
  const hits: AccountTransfer[] = [];
  let dust = 0;
  for (const transfer of transfers) {
    if (transfer.units === 0n || transfer.from === transfer.to) continue;
    if (isDust(source.network, transfer)) dust += 1;
    else hits.push({ ...transfer, references: transfer.references.slice(0, MAX_REFERENCES) });
  }
  return { hits, dust };
}

/** Reads an account, and refuses an answer that cannot be. */
export async function readAccountTransfers(
  follower: AccountFollower,
  request: AccountRequest,
): Promise<AccountRead & { dust: number }> {
  const read = await follower.source.readAccount(request);
  const { transfers, end } = read;
  const possible = end.height > request.after.height && end.height <= request.upTo.height;
  // A first read may show more than it is complete for.
  const isBeyond = ({ height }: AccountTransfer) => height > end.height && request.commitment === 'finalized';
  if (!possible || transfers.some((one) => one.to !== request.account || isBeyond(one))) {
    throw new SourceError('inconsistent', `The answer for ${request.account} is not of what was asked for.`);
  }
  const { hits, dust } = selectAccountHits(follower, transfers);
  const kept = await dropCoinDust(follower, hits);
  return { ...read, transfers: kept.hits, dust: dust + kept.dust };
}
