import type { InvoiceEventType } from '@counterfoil/core/event-type.ts';
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';

/** A webhook endpoint that events are sent to again. */
type Target = { id: bigint; types: readonly InvoiceEventType[] };

/** Events of a store. Those sent again to a webhook endpoint, or without one to callback URLs. */
export type EventChoice = { storeId: bigint; endpoint: Target | undefined } & (
  | { eventId: string }
  | { from: Date; to: Date }
);

const OF_CALLBACK = sql`not exists (select from webhook_endpoints w where w.endpoint_id = d.endpoint_id)`;

/** Deliveries of event `e` to the target. */
const toTarget = (endpoint: Target | undefined) =>
  sql`select from deliveries d where d.event_row_id = e.id
    and ${endpoint === undefined ? OF_CALLBACK : sql`d.endpoint_id = ${endpoint.id}`}`;

/** An endpoint can be sent events from before it was added. */
function chosenBy(choice: EventChoice): RawBuilder<unknown> {
  const { storeId, endpoint } = choice;
  const named =
    'eventId' in choice
      ? sql`e.event_id = ${choice.eventId}`
      : sql`e.created_at >= ${choice.from} and e.created_at < ${choice.to}`;
  const isFor = endpoint ? sql`e.type = any(${endpoint.types}::text[]) or` : sql``;
  return sql`e.store_id = ${storeId} and ${named} and (${isFor} exists (${toTarget(endpoint)}))`;
}

const isPending = (endpoint: Target | undefined) => sql`exists (${toTarget(endpoint)} and d.state = 'pending')`;

type CountedEvents = {
  chosen: number;
  /** Chosen events whose bodies were erased. */
  erased: number;
  /** Others with a pending delivery. */
  pending: number;
};

export async function countChosen(queries: Queries, choice: EventChoice, limit: number): Promise<CountedEvents> {
  const { rows } = await sql<CountedEvents>`
    select count(*)::integer as chosen, (count(*) filter (where c.erased))::integer as erased,
      (count(*) filter (where c.pending and not c.erased))::integer as pending
    from (select e.body is null as erased, ${isPending(choice.endpoint)} as pending from events e
      where ${chosenBy(choice)} limit ${limit}) c`.execute(queries);
  const [counted] = rows;
  if (!counted) throw new Error('A count answered nothing.');
  return counted;
}

type LockedEvent = { id: bigint; erased: boolean };

/** Locks at most `limit` events against erasure; concurrent requests wait and see these deliveries. */
export async function lockChosen(tx: Tx, choice: EventChoice, limit: number): Promise<LockedEvent[]> {
  const { rows } = await sql<LockedEvent>`
    select e.id, e.body is null as erased from events e
    where e.id in (select e.id from events e where ${chosenBy(choice)} limit ${limit})
    order by e.id for no key update`.execute(tx);
  return rows;
}

export async function countByHand(tx: Tx, storeId: bigint, since: Date, limit: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from (
      select from deliveries where store_id = ${storeId} and by_hand and created_at > ${since} limit ${limit}) d`.execute(
    tx,
  );
  return rows[0]?.count ?? 0;
}

/**
 * Queues another delivery of each event that has a body and no pending delivery: to `endpoint`, else to the last callback URL.
 * Returns how many.
 */
export async function insertRedeliveries(
  tx: Tx,
  { eventRowIds, endpoint }: { eventRowIds: readonly bigint[]; endpoint: Target | undefined },
  at: Date,
): Promise<number> {
  const target =
    endpoint === undefined
      ? sql`select d.endpoint_id, d.host from deliveries d where d.event_row_id = e.id and ${OF_CALLBACK} order by d.id desc limit 1`
      : sql`select p.id as endpoint_id, p.host from endpoints p where p.id = ${endpoint.id}`;
  const { rows } = await sql`
    insert into deliveries (event_row_id, endpoint_id, store_id, invoice_id, sequence, host, next_attempt_at, created_at, by_hand)
    select e.id, t.endpoint_id, e.store_id, e.invoice_id, e.sequence, t.host, ${at}, ${at}, true
    from events e join lateral (${target}) t on true
    where e.id = any(${eventRowIds}::bigint[]) and e.body is not null and not ${isPending(endpoint)}
    order by e.id
    returning id`.execute(tx);
  return rows.length;
}
