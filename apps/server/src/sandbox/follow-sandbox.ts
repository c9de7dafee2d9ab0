import type { AccountFollower } from '../accounts/account-follower.ts';
import { findDueNetworks } from '../accounts/account-schedule-sql.ts';
import { followAccounts } from '../accounts/follow-accounts.ts';
import type { PerformContext } from './perform-acts.ts';
import { performActs } from './perform-acts.ts';

/** Interval of saved heads, so that a network without payments still counts as read. */
const HEAD_EVERY_MS = 5_000;

function isHeadDue({ memory, clock }: AccountFollower): boolean {
  const sinceMs = clock.nowMs() - (memory.heads?.atMs ?? Number.NEGATIVE_INFINITY);
  return sinceMs >= HEAD_EVERY_MS * (clock.rate ?? 1);
}

/** One step of the sandbox's shared loop: performs due actions, and follows networks with a due account or head. */
export async function followSandbox(
  context: PerformContext,
  followers: readonly AccountFollower[],
): Promise<'worked' | 'idle'> {
  const hasActed = await performActs(context);
  const ids = followers.map(({ source }) => source.network.id);
  const due = new Set(await findDueNetworks(context.database.queries, ids));
  let worked = hasActed;
  for (const follower of followers) {
    if (!due.has(follower.source.network.id) && !isHeadDue(follower)) continue;
    if ((await followAccounts(follower)) === 'worked') worked = true;
  }
  return worked ? 'worked' : 'idle';
}
