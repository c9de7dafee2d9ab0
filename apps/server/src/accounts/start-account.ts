import { raiseAlarms } from '../audit/raise-alarms.ts';
import { inTransaction } from '../db/transaction.ts';
import { dateFromUnix } from '../lib/clock.ts';
import { readingFactsOf } from '../networks/profile.ts';
import type { AccountFollowing, RoundHeads } from './account-follower.ts';
import type { ChainPosition, AccountSource } from '../sources/account-source.ts';
import type { FollowedAccount } from './account-sql.ts';
import { lockVersion, readAccountState, startFollowing } from './account-sql.ts';
import { SourceError } from '../sources/chain-source.ts';
import { markUnstartable } from './unreadable-sql.ts';

/** A block surely older than `startAt`, allowing for clock drift: a late start would lose a payment. */
export async function findStart(
  source: AccountSource,
  startAt: number,
  finalized: ChainPosition,
): Promise<ChainPosition> {
  const { clockDriftSeconds } = readingFactsOf(source.network);
  const drift = clockDriftSeconds === 'unknown' ? 0 : clockDriftSeconds;
  return source.positionBefore(startAt - drift, finalized, 'first');
}

/** Raises one alarm when no provider has kept the required history. */
async function raiseUnstartable(
  { database, source, clock }: AccountFollowing,
  { account, startAt }: FollowedAccount,
  reason: string,
): Promise<void> {
  const network = source.network.id;
  const at = new Date(clock.nowMs());
  await inTransaction(database, async (tx) => {
    if (!(await markUnstartable(tx, network, account, at))) return;
    const details = { network, startAt: dateFromUnix(startAt).toISOString(), reason };
    await raiseAlarms(tx, at, [{ kind: 'account-history-missing', subject: account, details }]);
  });
}

/** Undefined when another worker committed first. */
export async function startAccount(
  follower: AccountFollowing,
  found: FollowedAccount,
  { finalized }: RoundHeads,
): Promise<FollowedAccount | undefined> {
  const { database, source } = follower;
  const network = source.network.id;
  const start = await findStart(source, found.startAt, finalized).catch(async (cause: unknown) => {
    if (cause instanceof SourceError && cause.kind === 'unsupported')
      await raiseUnstartable(follower, found, cause.message);
    throw cause;
  });
  const started = await inTransaction(database, async (tx) => {
    if (!(await lockVersion(tx, network, found.account, found.version))) return false;
    await startFollowing(tx, network, found.account, start);
    return true;
  });
  return started ? readAccountState(database.queries, network, found.account) : undefined;
}
