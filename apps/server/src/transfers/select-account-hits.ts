import type { AccountFollower } from './account-follower.ts';
import type { AccountRead, AccountRequest, AccountTransfer } from './account-source.ts';
import { SourceError } from './chain-source.ts';
import { isDust } from './select-hits.ts';

const MAX_REFERENCES = 8;

/**
 * Reads an account, and refuses an answer that cannot be. Of what arrived the payments are left: nothing of value, and
 * nothing from an address to itself, pays anybody; dust is only counted.
 */
export async function readHits(
  follower: AccountFollower,
  request: AccountRequest,
): Promise<AccountRead & { dust: number }> {
  const { transfers, end } = await follower.source.readAccount(request);
  const possible = end.height > request.after && end.height <= request.upTo.height;
  if (!possible || transfers.some((one) => one.to !== request.account || one.height > end.height)) {
    throw new SourceError('inconsistent', `The answer for ${request.account} is not of what was asked for.`);
  }
  const { network } = follower.source;
  const hits: AccountTransfer[] = [];
  let dust = 0;
  for (const transfer of transfers) {
    if (transfer.units === 0n || transfer.from === transfer.to) continue;
    if (isDust(network, transfer)) dust += 1;
    else hits.push({ ...transfer, references: transfer.references.slice(0, MAX_REFERENCES) });
  }
  return { transfers: hits, end, dust };
}
