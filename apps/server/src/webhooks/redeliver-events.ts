import { recordAudit } from '../audit/record-audit.ts';
import type { Database } from '../db/database.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Clock } from '../lib/clock.ts';
import { OperatorError } from '../lib/errors.ts';
import type { EventChoice } from './redelivery-store.ts';
import { countErased, insertRedeliveries } from './redelivery-store.ts';

const MAX_REDELIVERED = 10_000;

export type Redelivered = {
  redelivered: number;
  /** Too old: their bodies are gone. */
  erased: number;
};

/** Tells events again, as they were: the same body under the same id. What is still being tried is left alone. */
export async function redeliverEvents(
  database: Database,
  clock: Clock,
  choice: EventChoice,
  actor: string,
): Promise<Redelivered> {
  const at = new Date(clock.nowMs());
  return inTransaction(database, async (tx) => {
    const redelivered = await insertRedeliveries(tx, choice, at, MAX_REDELIVERED);
    const erased = await countErased(tx, choice);
    if (redelivered === 0 && erased > 0)
      throw new OperatorError('It is too old to be sent again: its body was erased after the time set for that.');
    if (redelivered === 0)
      throw new OperatorError('No event of this store is chosen by that, or it is still being tried.');
    const named =
      'eventId' in choice
        ? { eventId: choice.eventId }
        : { from: choice.from.toISOString(), to: choice.to.toISOString() };
    await recordAudit(tx, clock, {
      actor,
      action: 'webhook.redeliver',
      subject: `store:${choice.storeId}`,
      details: { ...named, redelivered, erased },
    });
    return { redelivered, erased };
  });
}
