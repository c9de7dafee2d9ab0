import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';

export type EventChoice = { storeId: bigint; eventId: string } | { storeId: bigint; from: Date; to: Date };

function chosenBy(choice: EventChoice) {
  if ('eventId' in choice) return sql`e.event_id = ${choice.eventId}`;
  return sql`e.created_at >= ${choice.from} and e.created_at < ${choice.to}`;
}

/** How many of the chosen events cannot be told again because their bodies were erased for their age. */
export async function countErased(tx: Tx, choice: EventChoice): Promise<number> {
  const { rows } = await sql<{ erased: number }>`
    select count(*)::integer as erased from events e
    where e.store_id = ${choice.storeId} and ${chosenBy(choice)} and e.body is null`.execute(tx);
  return rows[0]?.erased ?? 0;
}

/**
 * A new delivery, due at once, for each chosen event that has none pending and still has its body; returns how many. The
 * share lock keeps the body until the delivery is there to be seen.
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

export type AttemptRow = {
  eventId: string;
  type: string;
  state: string;
  attempt: number | null;
  at: Date | null;
  status: number | null;
  error: string | null;
  durationMs: number | null;
  nextAttemptAt: Date;
};

/** Everything that was tried for an invoice of a store, in order. */
export async function listAttempts(
  queries: Queries,
  storeId: bigint,
  transId: string,
  limit: number,
): Promise<AttemptRow[]> {
  const { rows } = await sql<AttemptRow>`
    select e.event_id as "eventId", e.type, d.state, a.number as attempt, a.at, a.status, a.error, a.duration_ms as "durationMs",
      d.next_attempt_at as "nextAttemptAt"
    from invoices i join events e on e.invoice_id = i.id join deliveries d on d.event_row_id = e.id
      left join attempts a on a.delivery_id = d.id
    where i.store_id = ${storeId} and i.trans_id = ${transId}
    order by e.sequence, d.id, a.number limit ${limit}`.execute(queries);
  return rows;
}
