import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';

/** The store's most recently registered callback URL. */
export async function findNewestUrl(tx: Tx, storeId: bigint): Promise<string | undefined> {
  const row = await tx
    .selectFrom('endpoints')
    .select('url')
    .where('store_id', '=', storeId)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.url;
}

type TestEvent = { eventId: string; storeId: bigint; body: string };

/**
 * Writes a test event. Its delivery is written by another statement: row security looks for the event of a delivery among
 * rows that were there before the statement.
 */
export async function insertTestEvent(tx: Tx, { eventId, storeId, body }: TestEvent, at: Date): Promise<void> {
  await sql`
    insert into events (event_id, store_id, sequence, type, body, created_at)
    values (${eventId}, ${storeId}, 1, 'webhook.test', ${body}, ${at})`.execute(tx);
}

/** Counts the test events of a store since a moment, `limit` at most. */
export async function countTestEvents(tx: Tx, storeId: bigint, since: Date, limit: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from (
      select from events where store_id = ${storeId} and created_at > ${since} and type = 'webhook.test' limit ${limit}) e`.execute(
    tx,
  );
  return rows[0]?.count ?? 0;
}

type TestOutcome = {
  url: string;
  state: string;
  attempt: number | null;
  status: number | null;
  error: string | null;
  durationMs: number | null;
  excerpt: string | null;
  nextAttemptAt: Date;
};

/** The state of an event's newest delivery, with its latest attempt. */
export async function readOutcome(
  queries: Queries,
  storeId: bigint,
  eventId: string,
): Promise<TestOutcome | undefined> {
  const { rows } = await sql<TestOutcome>`
    select p.url, d.state, a.number as attempt, a.status, a.error, a.duration_ms as "durationMs", a.response_excerpt as excerpt,
      d.next_attempt_at as "nextAttemptAt"
    from events e join deliveries d on d.event_row_id = e.id join endpoints p on p.id = d.endpoint_id
      left join attempts a on a.delivery_id = d.id
    where e.store_id = ${storeId} and e.event_id = ${eventId}
    order by d.id desc, a.number desc nulls last limit 1`.execute(queries);
  return rows[0];
}
