import type { AccountFollower } from '../accounts/account-follower.ts';
import { findDueNetworks } from '../accounts/account-schedule-sql.ts';
import { followAccounts } from '../accounts/follow-accounts.ts';
import type { PerformContext } from './perform-acts.ts';
import { performActs } from './perform-acts.ts';

/** How often the head of a sandbox network is saved, so that it counts as read although nothing happens there. */
const HEAD_EVERY_MS = 5_000;

function isHeadDue({ memory, clock }: AccountFollower): boolean {
  const sinceMs = clock.nowMs() - (memory.heads?.atMs ?? Number.NEGATIVE_INFINITY);
  return sinceMs >= HEAD_EVERY_MS * (clock.rate ?? 1);
}

/**
 * One look at the sandbox: performs acts that are due and follows the networks where an account is. The networks share one
 * look, because most of the time there is nothing to do on any of them.
 */
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
