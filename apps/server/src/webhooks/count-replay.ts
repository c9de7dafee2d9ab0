import type { Context } from '../db/context.ts';
import type { StoreRef } from '../db/store-ref.ts';
import type { Actor } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { MAX_REDELIVERED } from './redeliver-events.ts';
import { countChosen } from './redelivery-sql.ts';

type Replayable = {
  /** Events that would be delivered again. */
  redelivered: number;
  erased: number;
  pending: number;
};

/** Counts what `redeliverEvents` would send for a time span; `to` is exclusive. Changes nothing. */
export async function countReplay(
  { database }: Context,
  _actor: Actor,
  { store, from, to }: { store: StoreRef; from: Date; to: Date },
): Promise<Replayable> {
  const choice = { storeId: store.id, from, to };
  const { chosen, erased, pending } = await countChosen(database.queries, choice, MAX_REDELIVERED + 1);
  if (chosen > MAX_REDELIVERED) throw new Refusal('TOO_MANY_EVENTS', { most: MAX_REDELIVERED });
  return { redelivered: chosen - erased - pending, erased, pending };
}
