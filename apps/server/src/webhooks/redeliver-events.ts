import { recordAudit } from '../audit/record-audit.ts';
import type { Context } from '../db/context.ts';
import type { StoreRef } from '../db/store-ref.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Actor } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import type { EventChoice } from './redelivery-sql.ts';
import { countErased, insertRedeliveries } from './redelivery-sql.ts';

const MAX_REDELIVERED = 10_000;

type Redelivered = {
  redelivered: number;
  /** How many events are too old to be told again, because their bodies were erased. */
  erased: number;
};

/** One event of a store, or all events of a time span; `to` is not included. */
type RedeliverInput = { store: StoreRef } & ({ eventId: string } | { from: Date; to: Date });

/** Delivers events again with the same body and id. Events whose delivery is still pending are left alone. */
export async function redeliverEvents(
  { database, clock }: Context,
  actor: Actor,
  { store, ...named }: RedeliverInput,
): Promise<Redelivered> {
  const choice: EventChoice = { storeId: store.id, ...named };
  const at = new Date(clock.nowMs());
  return inTransaction(database, async (tx) => {
    const redelivered = await insertRedeliveries(tx, choice, at, MAX_REDELIVERED);
    const erased = await countErased(tx, choice);
    if (redelivered === 0 && erased > 0) throw new Refusal('EVENT_ERASED');
    if (redelivered === 0) throw new Refusal('EVENT_UNKNOWN');
    const chosen =
      'eventId' in named ? { eventId: named.eventId } : { from: named.from.toISOString(), to: named.to.toISOString() };
    await recordAudit(tx, clock, actor, {
      action: 'webhook.redeliver',
      subject: `store:${store.id}`,
      details: { ...chosen, redelivered, erased },
    });
    return { redelivered, erased };
  });
}
