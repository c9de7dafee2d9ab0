import { sql } from 'kysely';
import type { Tx } from '../db/transaction.ts';

export type EventChoice = { storeId: bigint; eventId: string } | { storeId: bigint; from: Date; to: Date };

function chosenBy(choice: EventChoice) {
  if ('eventId' in choice) return sql`e.event_id = ${choice.eventId}`;
  return sql`e.created_at >= ${choice.from} and e.created_at < ${choice.to}`;
}

/** Counts the chosen events that cannot be told again because their bodies were erased for their age. */
export async function countErased(tx: Tx, choice: EventChoice): Promise<number> {
  const { rows } = await sql<{ erased: number }>`
    select count(*)::integer as erased from events e
    where e.store_id = ${choice.storeId} and ${chosenBy(choice)} and e.body is null`.execute(tx);
  return rows[0]?.erased ?? 0;
}

/**
 * Writes a delivery, due at once, for each chosen event that has its body and no pending delivery; returns how many.
 * The share lock keeps the body from being erased until the delivery can be seen.
 */
export async function insertRedeliveries(tx: Tx, choice: EventChoice, at: Date, limit: number): Promise<number> {
  const { rows } = await sql`
    insert into deliveries (event_row_id, endpoint_id, store_id, invoice_id, sequence, host, next_attempt_at, created_at)
    select e.id, d.endpoint_id, e.store_id, e.invoice_id, e.sequence, d.host, ${at}, ${at}
    from events e join lateral (
      select endpoint_id, host from deliveries where event_row_id = e.id order by id desc limit 1) d on true
    where e.store_id = ${choice.storeId} and ${chosenBy(choice)}
      and e.body is not null
      and not exists (select from deliveries p where p.event_row_id = e.id and p.state = 'pending')
    order by e.id limit ${limit} for share of e
    returning id`.execute(tx);
  return rows.length;
}
