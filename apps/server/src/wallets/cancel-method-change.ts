import { recordAudit } from '../audit/record-audit.ts';
import type { StoreRef } from '../db/store-ref.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Operator, Person } from '../lib/actor.ts';
import { nameOfActor } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import type { MailContext } from '../mail/queue-mail.ts';
import { holdMethods } from '../merchants/merchant-sql.ts';
import { mailOwners } from '../people/mail-owners.ts';
import { decideWaiting, isChangeOfStore } from './method-change-sql.ts';

type CancelInput = { store: StoreRef; change: string; reason?: string | undefined };

/** Cancels a pending payment-method change. It only protects, so no step-up is required. */
export async function cancelMethodChange(
  context: MailContext,
  actor: Operator | Person,
  { store, change, reason }: CancelInput,
): Promise<void> {
  const { database, clock } = context;
  const { id: storeId, merchantAccountId } = store;
  await inTransaction(database, async (tx) => {
    await holdMethods(tx, merchantAccountId);
    const decided = { state: 'cancelled', by: nameOfActor(actor), at: new Date(clock.nowMs()) } as const;
    const [cancelled] = await decideWaiting(tx, { merchantAccountId, storeId, code: change }, decided);
    if (cancelled === undefined) {
      const isKnown = await isChangeOfStore(tx, storeId, change);
      throw new Refusal(isKnown ? 'METHOD_CHANGE_DECIDED' : 'METHOD_CHANGE_UNKNOWN', { change });
    }
    const data = { change, by: actor.kind === 'person' ? actor.code : 'operator', at: String(clock.nowMs()) };
    await mailOwners(tx, context, { merchantAccountId, template: 'method-change-cancelled', data });
    await recordAudit(tx, clock, actor, {
      action: 'method.cancel',
      subject: `store:${storeId}`,
      details: { change, ...(reason !== undefined && { reason }) },
    });
  });
}
