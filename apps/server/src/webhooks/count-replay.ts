import type { Context } from '../db/context.ts';
import type { StoreRef } from '../db/store-ref.ts';
import type { Actor } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { MAX_REDELIVERED } from './redeliver-events.ts';
import { requireEnabledEndpoint } from './require-endpoint.ts';
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
  { store, endpoint: code, from, to }: { store: StoreRef; endpoint?: string | undefined; from: Date; to: Date },
): Promise<Replayable> {
  const { queries } = database;
  const endpoint = code === undefined ? undefined : await requireEnabledEndpoint(queries, { store, endpoint: code });
  const choice = { storeId: store.id, endpoint, from, to };
  const { chosen, erased, pending } = await countChosen(queries, choice, MAX_REDELIVERED + 1);
  if (chosen > MAX_REDELIVERED) throw new Refusal('TOO_MANY_EVENTS', { most: MAX_REDELIVERED });
  return { redelivered: chosen - erased - pending, erased, pending };
}
