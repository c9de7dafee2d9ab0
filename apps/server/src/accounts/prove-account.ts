import { inTransaction } from '../db/transaction.ts';
import type { AccountFollower, AccountFollowing, RoundHeads } from './account-follower.ts';
import type { UnprovenPayment } from './account-proof-sql.ts';
import { readUnprovenPayments, settleSeenAsFinal } from './account-proof-sql.ts';
import type { AccountTransactions, AccountTransfer } from '../sources/account-source.ts';
import type { FollowedAccount } from './account-sql.ts';
import { isHalted, lockAccount, lockVersion } from './account-sql.ts';
import type { Pass } from '../sources/chain-source.ts';
import { SourceError } from '../sources/chain-source.ts';
import { endSilence } from '../chains/ask-others.ts';
import { upsertTransfers } from '../transfers/transfer-sql.ts';

/**
 * A payment settles once its transaction is final and, with several providers, shown by another provider than its
 * finder. It does not wait for coverage, which is needed only to prove absence.
 */

const MAX_PAYMENTS_PER_POLL = 50;

/** `lacking`: why a payment is not proven though it should be final, and the height that must be covered to decide. */
type Proofs = { lacking: { height: number; reason: string } | undefined };

type Shown = { payment: UnprovenPayment; transfer: AccountTransfer };

function judge(payments: readonly UnprovenPayment[], { transactions }: AccountTransactions, above: number) {
  const byId = new Map(transactions.map((one) => [one.txId, one]));
  const shown: Shown[] = [];
  const lacking: UnprovenPayment[] = [];
  for (const payment of payments) {
    const found = byId.get(payment.txId);
    if (found?.outcome === 'pending') continue;
    const transfers = found?.outcome === 'read' ? found.transfers : [];
    const transfer = transfers.find(({ index }) => index === payment.index);
    // Another amount in the same block contradicts the provider that read the payment first.
    const isContradicted = transfer?.blockHash === payment.blockHash && transfer.units !== payment.units;
    // A payment that moved to a covered height would settle immediately, by this provider alone.
    const isCovered = transfer !== undefined && transfer.height <= above;
    if (transfer && !isContradicted && !isCovered) shown.push({ payment, transfer });
    else lacking.push(payment);
  }
  return { shown, lacking };
}

const isElsewhere = ({ payment, transfer }: Shown) => transfer.blockHash !== payment.blockHash;

async function commitProofs(
  { database, clock, source, apply, failpoint }: AccountFollowing,
  { account, version }: FollowedAccount,
  shown: readonly Shown[],
  by: string,
): Promise<void> {
  const network = source.network.id;
  const at = new Date(clock.nowMs());
  const isAlone = source.providers.length < 2;
  await failpoint('account:before-proof');
  await inTransaction(database, async (tx) => {
    if (!(await lockVersion(tx, network, account, version)) || (await isHalted(tx, network, account))) return;
    // A payment in another block than the stored one rests on this provider alone; another provider proves it at the
    // next poll.
    const moved = shown.filter(isElsewhere).map(({ transfer }) => transfer);
    const changed = await upsertTransfers(tx, network, moved, at, by);
    if (changed.length > 0) await lockAccount(tx, network, account);
    const seen = shown.filter((one) => isAlone || !isElsewhere(one)).map(({ transfer }) => transfer);
    const settled = await settleSeenAsFinal(tx, network, seen, { by, at });
    await failpoint('account:proven');
    await apply(tx, network, [...new Set([...changed, ...settled])]);
    await failpoint('account:in-proof');
  });
  await failpoint('account:after-proof');
}

/** The provider that may prove payments that `readBy` found: another one, where there are several. */
function passFor({ source }: AccountFollowing, readBy: string | null): Pass {
  const [first] = source.providers;
  return source.providers.length > 1 && first !== undefined ? { not: readBy ?? first } : 'first';
}

export async function proveAccount(
  follower: AccountFollower,
  followed: FollowedAccount,
  { finalized }: RoundHeads,
): Promise<Proofs> {
  const { database, source } = follower;
  const { account, covered } = followed;
  const span = { above: covered?.height ?? 0, upTo: finalized.height, limit: MAX_PAYMENTS_PER_POLL };
  const unproven = await readUnprovenPayments(database.queries, source.network.id, account, span);
  let lacking: Proofs['lacking'];
  for (const [readBy, payments] of Map.groupBy(unproven, (payment) => payment.readBy)) {
    const txIds = [...new Set(payments.map(({ txId }) => txId))];
    const height = Math.max(...payments.map((payment) => payment.height));
    try {
      const answer = await source.readTransactions({
        account,
        txIds,
        commitment: 'finalized',
        pass: passFor(follower, readBy),
      });
      if (readBy !== null) endSilence(follower.memory, readBy);
      const judged = judge(payments, answer, span.above);
      if (judged.shown.length > 0) await commitProofs(follower, followed, judged.shown, answer.by);
      if (judged.lacking.length > 0)
        lacking = { height, reason: `${judged.lacking[0]?.txId} is not final at ${answer.by}.` };
    } catch (cause) {
      if (!(cause instanceof SourceError)) throw cause;
      lacking = { height, reason: cause.message };
    }
  }
  return { lacking };
}
