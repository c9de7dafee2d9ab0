import type { Role } from '@counterfoil/core/permission.ts';
import type { Tx } from '../db/transaction.ts';
import type { Outbox } from '../mail/queue-mail.ts';
import { NO_ROLE } from './gather-notices.ts';
import { mailOwners } from './mail-owners.ts';

type TeamChange = {
  merchantAccountId: bigint;
  member: { id: bigint; code: string };
  role: Role | null;
  by: string | undefined;
  at: Date;
  /** Whether this change is reported together with later ones. */
  merges?: boolean;
};

/** Emails the owners about a team change, except the member concerned. */
export async function tellTeamChange(tx: Tx, outbox: Outbox, change: TeamChange): Promise<void> {
  const { merchantAccountId, member, role, by = 'operator', at, merges = false } = change;
  const data = { member: member.code, role: role ?? NO_ROLE, by, at: String(at.getTime()) };
  await mailOwners(tx, outbox, { merchantAccountId, template: 'team-changed', data, except: member.id, merges });
}
