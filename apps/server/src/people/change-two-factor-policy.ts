import { isAllowed } from '@counterfoil/core/permission.ts';
import { recordAudit } from '../audit/record-audit.ts';
import type { Tx } from '../db/transaction.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Person } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import type { MailContext } from '../mail/queue-mail.ts';
import { holdTwoFactorRequired, saveTwoFactorRequired } from '../merchants/merchant-sql.ts';
import { takeTeamNotice } from './attempt.ts';
import { mailOwners, mailTeam } from './mail-owners.ts';
import { lockMembers } from './membership-sql.ts';
import { readPerson } from './person-sql.ts';
import { requireElevated } from './require-elevated.ts';
import { requireMember } from './require-member.ts';
import { decidePolicy } from './two-factor-policy.ts';

type ChangePolicyInput = { merchantCode: string; required: boolean };

const permission = 'team.require_two_factor';

/** Checks the permission again under the lock of all memberships. */
async function requireStillAllowed(tx: Tx, merchantAccountId: bigint, actor: Person): Promise<void> {
  const members = await lockMembers(tx, merchantAccountId);
  const own = members.find(({ personId }) => personId === actor.id)?.role ?? '';
  if (!isAllowed(own, permission)) throw new Refusal('NO_PERMISSION', { permission });
}

/** Members without two-factor lose access until they set it up; all members are notified. */
export async function changeTwoFactorPolicy(
  context: MailContext,
  actor: Person,
  { merchantCode, required }: ChangePolicyInput,
): Promise<void> {
  const { merchantAccountId } = await requireMember(context, actor, { merchantCode, permission });
  requireElevated(actor);
  const { database, clock } = context;
  await inTransaction(database, async (tx) => {
    const present = await holdTwoFactorRequired(tx, merchantAccountId);
    await requireStillAllowed(tx, merchantAccountId, actor);
    const { hasFactor } = await readPerson(tx, actor.id);
    const decision = decidePolicy({ present, wanted: required, ownFactor: hasFactor });
    if (decision === 'unchanged') return;
    if (decision === 'set-up-first') throw new Refusal('FACTOR_NEEDED');
    await saveTwoFactorRequired(tx, merchantAccountId, required);
    const merges = !(await takeTeamNotice(tx, { person: actor.code, merchantAccountId }));
    const notice = { merchantAccountId, data: { by: actor.code, at: String(clock.nowMs()) }, merges };
    if (required) await mailTeam(tx, context, { ...notice, template: 'two-factor-required' });
    else await mailOwners(tx, context, { ...notice, template: 'two-factor-optional' });
    await recordAudit(tx, clock, actor, {
      action: 'merchant.two_factor',
      subject: `merchant:${merchantAccountId}`,
      details: { before: { required: present }, after: { required } },
    });
  });
}
