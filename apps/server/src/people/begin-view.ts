import { MINUTE_MS } from '@counterfoil/core/duration.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Person } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import type { MailContext } from '../mail/queue-mail.ts';
import { mailOwners } from './mail-owners.ts';
import { findMerchantByCode } from './membership-sql.ts';
import { endViewsOf, insertView } from './operator-view-sql.ts';
import { createViewCode } from './person.ts';
import { requireElevated } from './require-elevated.ts';
import { requireOperator } from './require-operator.ts';

type BeginViewInput = { merchantCode: string; reason: string };

type BegunView = { code: string; endsAt: Date };

const VIEW_MINUTES = 60;

/**
 * Opens a support session: an hour of read-only access to a merchant, in this browser session only. Requires
 * two-factor. The owners are notified of the operator and the reason.
 */
export async function beginView(context: MailContext, actor: Person, input: BeginViewInput): Promise<BegunView> {
  const { database, clock } = context;
  const { merchantCode, reason } = input;
  requireOperator(actor, 'look');
  if (!actor.hasFactor) throw new Refusal('FACTOR_NEEDED');
  requireElevated(actor);
  return inTransaction(database, async (tx) => {
    const at = new Date(clock.nowMs());
    const merchantAccountId = await findMerchantByCode(tx, merchantCode);
    if (merchantAccountId === undefined) throw new Refusal('MERCHANT_UNKNOWN', { merchant: merchantCode });
    const code = createViewCode();
    const endsAt = new Date(at.getTime() + VIEW_MINUTES * MINUTE_MS);
    const { id: personId, sessionHash } = actor;
    await endViewsOf(tx, sessionHash, merchantAccountId, at);
    await insertView(tx, { code, personId, sessionHash, merchantAccountId, reason, endsAt }, at);
    await mailOwners(tx, context, { merchantAccountId, template: 'operator-view', data: { view: code } });
    await recordAudit(tx, clock, actor, {
      action: 'merchant.look',
      subject: `merchant:${merchantAccountId}`,
      details: { view: code, reason, until: endsAt.toISOString() },
    });
    return { code, endsAt };
  });
}
