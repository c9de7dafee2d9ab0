import type { Tx } from '../db/transaction.ts';
import type { Outbox } from '../mail/queue-mail.ts';
import { NO_ROLE } from './gather-notices.ts';
import { mailOwners } from './mail-owners.ts';
import type { Role } from './permission.ts';

type TeamChange = {
  merchantAccountId: bigint;
  member: { id: bigint; code: string };
  /** The role that the member has now; null for a membership that ends. */
  role: Role | null;
  /** The public code of the person who made the change; undefined for an operator. */
  by: string | undefined;
  at: Date;
  /** Whether there were so many changes that this one is told together with later ones. */
  merges?: boolean;
};

/**
 * Tells the owners of a merchant by mail, in the caller's transaction, who joined the team, has another role or left. The
 * member themselves gets no such mail.
 */
export async function tellTeamChange(tx: Tx, outbox: Outbox, change: TeamChange): Promise<void> {
  const { merchantAccountId, member, role, by = 'operator', at, merges = false } = change;
  const data = { member: member.code, role: role ?? NO_ROLE, by, at: String(at.getTime()) };
  await mailOwners(tx, outbox, { merchantAccountId, template: 'team-changed', data, except: member.id, merges });
}
