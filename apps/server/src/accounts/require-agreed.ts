import type { AccountFollower } from './account-follower.ts';
import type { AccountRead, AccountTransfer } from '../sources/account-source.ts';
import { askOthers } from '../chains/ask-others.ts';
import { SourceError } from '../sources/chain-source.ts';
import { endChainAlarm, raiseChainAlarm } from '../chains/raise-chain-alarm.ts';

/** Time before a transfer that only one provider shows raises an alarm. */
const DISPUTED_MS = 60_000;
const MAX_DISPUTES_REMEMBERED = 10_000;

const contentKey = ({ txId, index, blockHash, units }: AccountTransfer) => `${txId} ${index} ${blockHash} ${units}`;

/** Records since when only one provider shows a transaction; raises an alarm after a minute. */
export async function noteDispute(
  follower: AccountFollower,
  txId: string,
  details: Record<string, unknown>,
): Promise<void> {
  const { clock } = follower;
  const { disputes } = follower.memory;
  const since = disputes.get(txId) ?? clock.nowMs();
  disputes.set(txId, since);
  const [oldest] = disputes.keys();
  if (disputes.size > MAX_DISPUTES_REMEMBERED && oldest !== undefined) disputes.delete(oldest);
  if (clock.nowMs() - since >= DISPUTED_MS) await raiseChainAlarm(follower, 'transfer-doubted', details, txId);
}

function endDispute(follower: AccountFollower, txId: string): void {
  follower.memory.disputes.delete(txId);
  endChainAlarm(follower, 'transfer-doubted', txId);
}

/** Throws unless another provider, if any, shows the transfers too: at a covered height they settle immediately. */
export async function requireAgreed(
  follower: AccountFollower,
  account: string,
  { transfers, by }: Pick<AccountRead, 'transfers' | 'by'>,
): Promise<void> {
  const { source } = follower;
  if (source.providers.length < 2) return;
  for (const [finder, shown] of Map.groupBy(transfers, ({ shownBy = by }) => shownBy)) {
    const txIds = [...new Set(shown.map(({ txId }) => txId))];
    const others = await askOthers(follower, finder, (pass) =>
      source.readTransactions({ account, txIds, commitment: 'finalized', pass }),
    );
    if (!others.answered) continue;
    const { transactions, by: other } = others.answer;
    const agreed = new Set(
      transactions.flatMap((one) => (one.outcome === 'read' ? one.transfers.map(contentKey) : [])),
    );
    const alone = shown.find((transfer) => !agreed.has(contentKey(transfer)));
    for (const transfer of shown) if (agreed.has(contentKey(transfer))) endDispute(follower, transfer.txId);
    if (!alone) continue;
    await noteDispute(follower, alone.txId, { account, finder, other });
    throw new SourceError('inconsistent', `${alone.txId} is shown by ${finder} and not by ${other}.`);
  }
}
