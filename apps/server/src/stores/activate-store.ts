import { recordAudit } from '../audit/record-audit.ts';
import type { StoreRef } from '../db/store-ref.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Actor } from '../lib/actor.ts';
import { nameOfActor } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import type { MailContext } from '../mail/queue-mail.ts';
import { requireSetting } from '../people/attempt.ts';
import { requireElevated } from '../people/require-elevated.ts';
import { holdStore, setStoreActive } from './store-sql.ts';
import { tellOwners } from './tell-owners.ts';

type ActivateStoreInput = { store: StoreRef; active: boolean };

const PERSON = 'person:';

/**
 * Switches a store on or off and notifies the owners. Open invoices still settle and notify; only new calls are
 * refused. Members cannot switch on what an operator switched off.
 */
export async function activateStore(
  { database, clock, jobs }: MailContext,
  actor: Actor,
  { store, active }: ActivateStoreInput,
): Promise<void> {
  if (actor.kind === 'person') requireElevated(actor);
  // Switching off only protects, so it is not counted.
  if (active) await requireSetting(database.queries, actor);
  const at = new Date(clock.nowMs());
  await inTransaction(database, async (tx) => {
    const held = await holdStore(tx, store.id);
    const isOfMember = held.active || held.switchedOffBy?.startsWith(PERSON) === true;
    if (actor.kind === 'person' && !isOfMember) throw new Refusal('STORE_OFF_BY_OPERATOR', { store: store.merchantId });
    // Unlimited repetitions would be recorded. An operator can take over a store that a member has switched off.
    if (actor.kind === 'person' && !active && !held.active) return;
    await setStoreActive(tx, store.id, active, nameOfActor(actor));
    const data = { active: active ? 'yes' : 'no' };
    if (held.active !== active)
      await tellOwners(tx, { clock, jobs }, actor, { store, template: 'store-switched', at, data });
    await recordAudit(tx, clock, actor, {
      action: active ? 'store.activate' : 'store.deactivate',
      subject: `store:${store.id}`,
      details: {},
    });
  });
}
