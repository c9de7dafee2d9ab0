import { recordAudit } from '../audit/record-audit.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Operator } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import type { MailContext } from '../mail/queue-mail.ts';
import { holdMethods, saveMethodDelay } from '../merchants/merchant-sql.ts';
import { appliesFrom, decideDelay, delayAt } from '../merchants/method-delay.ts';
import { mailOwners } from '../people/mail-owners.ts';

type DelayInput = { merchantAccountId: bigint; hours: number; reason: string };

/** Changes a merchant's delay for later changes and notifies the owners. Returns when it applies. */
export async function changeMethodDelay(
  context: MailContext,
  actor: Operator,
  { merchantAccountId, hours, reason }: DelayInput,
): Promise<{ appliesFrom: Date }> {
  const { database, clock } = context;
  return inTransaction(database, async (tx) => {
    const held = await holdMethods(tx, merchantAccountId);
    if (!held) throw new Refusal('MERCHANT_UNKNOWN', { merchant: String(merchantAccountId) });
    const at = new Date(clock.nowMs());
    const delay = decideDelay(held, hours, at);
    const from = appliesFrom(delay, at);
    if (delay === held) return { appliesFrom: from };
    await saveMethodDelay(tx, merchantAccountId, delay);
    const data = { hours: String(hours), from: String(from.getTime()) };
    await mailOwners(tx, context, { merchantAccountId, template: 'method-delay-changed', data });
    await recordAudit(tx, clock, actor, {
      action: 'methods.delay',
      subject: `merchant:${merchantAccountId}`,
      details: { reason, before: delayAt(held, at), after: hours, appliesFrom: from },
    });
    return { appliesFrom: from };
  });
}
