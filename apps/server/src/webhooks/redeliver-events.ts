import { HOUR_MS } from '@counterfoil/core/duration.ts';
import { recordAudit } from '../audit/record-audit.ts';
import type { Context } from '../db/context.ts';
import type { StoreRef } from '../db/store-ref.ts';
import type { Tx } from '../db/transaction.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Actor } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { holdStore } from '../stores/store-sql.ts';
import type { EventChoice } from './redelivery-sql.ts';
import { requireEnabledEndpoint } from './require-endpoint.ts';
import { countByHand, insertRedeliveries, lockChosen } from './redelivery-sql.ts';

/** Most events per request. */
export const MAX_REDELIVERED = 10_000;
/** Redeliveries that the members of a store can request per day, so that they cannot use us to flood a receiver. */
const MAX_BY_HAND = 20_000;
const BY_HAND_HOURS = 24;

type Redelivered = {
  redelivered: number;
  /** Events that are too old, because their bodies were erased. */
  erased: number;
};

/**
 * One event of a store, or all of a time span; `to` is exclusive. To the webhook endpoint with a code, or else to the
 * callback URL of each.
 */
type RedeliverInput = { store: StoreRef; endpoint?: string | undefined } & (
  | { eventId: string }
  | { from: Date; to: Date }
);

/** Refuses members beyond the limit, including deliveries of this transaction; operators have none. */
async function requireBudget(tx: Tx, storeId: bigint, at: Date): Promise<void> {
  const since = new Date(at.getTime() - BY_HAND_HOURS * HOUR_MS);
  if ((await countByHand(tx, storeId, since, MAX_BY_HAND + 1)) > MAX_BY_HAND)
    throw new Refusal('TOO_MANY_REDELIVERIES', { most: MAX_BY_HAND, hours: BY_HAND_HOURS });
}

/** Delivers events again with the same body and id, except pending ones. Does not affect the endpoint's health. */
export async function redeliverEvents(
  { database, clock }: Context,
  actor: Actor,
  { store, endpoint: code, ...named }: RedeliverInput,
): Promise<Redelivered> {
  const at = new Date(clock.nowMs());
  return inTransaction(database, async (tx) => {
    // Serialises requests about a store, so that they are counted.
    await holdStore(tx, store.id);
    const endpoint = code === undefined ? undefined : await requireEnabledEndpoint(tx, { store, endpoint: code });
    const choice: EventChoice = { storeId: store.id, endpoint, ...named };
    const chosen = await lockChosen(tx, choice, MAX_REDELIVERED + 1);
    if (chosen.length === 0) throw new Refusal('EVENT_UNKNOWN');
    if (chosen.length > MAX_REDELIVERED) throw new Refusal('TOO_MANY_EVENTS', { most: MAX_REDELIVERED });
    const erased = chosen.filter((event) => event.erased).length;
    const eventRowIds = chosen.map(({ id }) => id);
    const redelivered = await insertRedeliveries(tx, { eventRowIds, endpoint }, at);
    if (redelivered === 0) throw new Refusal(erased === chosen.length ? 'EVENT_ERASED' : 'EVENT_PENDING');
    if (actor.kind === 'person') await requireBudget(tx, store.id, at);
    const which =
      'eventId' in named ? { eventId: named.eventId } : { from: named.from.toISOString(), to: named.to.toISOString() };
    await recordAudit(tx, clock, actor, {
      action: 'webhook.redeliver',
      subject: `store:${store.id}`,
      details: { ...which, ...(code !== undefined && { endpoint: code }), redelivered, erased },
    });
    return { redelivered, erased };
  });
}
