import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';

export type EventChoice = { storeId: bigint; eventId: string } | { storeId: bigint; from: Date; to: Date };

function chosenBy(choice: EventChoice): RawBuilder<unknown> {
  if ('eventId' in choice) return sql`e.store_id = ${choice.storeId} and e.event_id = ${choice.eventId}`;
  return sql`e.store_id = ${choice.storeId} and e.created_at >= ${choice.from} and e.created_at < ${choice.to}`;
}

const IS_PENDING = sql`exists (select from deliveries p where p.event_row_id = e.id and p.state = 'pending')`;

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
    from (select e.body is null as erased, ${IS_PENDING} as pending from events e
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

/** Writes a delivery to the last address of each event with a body and none pending; returns how many. */
export async function insertRedeliveries(tx: Tx, eventRowIds: readonly bigint[], at: Date): Promise<number> {
  const { rows } = await sql`
    insert into deliveries (event_row_id, endpoint_id, store_id, invoice_id, sequence, host, next_attempt_at, created_at, by_hand)
    select e.id, d.endpoint_id, e.store_id, e.invoice_id, e.sequence, d.host, ${at}, ${at}, true
    from events e join lateral (
      select endpoint_id, host from deliveries where event_row_id = e.id order by id desc limit 1) d on true
    where e.id = any(${eventRowIds}::bigint[]) and e.body is not null and not ${IS_PENDING}
    order by e.id
    returning id`.execute(tx);
  return rows.length;
}
