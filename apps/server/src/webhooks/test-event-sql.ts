import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';

export async function findNewestUrl(tx: Tx, storeId: bigint): Promise<string | undefined> {
  const { rows } = await sql<{ url: string }>`
    select p.url from endpoints p where p.store_id = ${storeId}
      and not exists (select from webhook_endpoints w where w.endpoint_id = p.id)
    order by p.id desc limit 1`.execute(tx);
  return rows[0]?.url;
}

type TestEvent = { eventId: string; storeId: bigint; body: string };

/** Its delivery needs another statement: row security only sees events from before the statement. */
export async function insertTestEvent(tx: Tx, { eventId, storeId, body }: TestEvent, at: Date): Promise<void> {
  await sql`
    insert into events (event_id, store_id, sequence, type, body, created_at)
    values (${eventId}, ${storeId}, 1, 'webhook.test', ${body}, ${at})`.execute(tx);
}

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

/** The newest delivery's state with its latest attempt. */
export async function readOutcome(
  queries: Queries,
  storeId: bigint,
  eventId: string,
): Promise<TestOutcome | undefined> {
  const { rows } = await sql<TestOutcome>`
    select coalesce(w.url, p.url) as url, d.state, a.number as attempt, a.status, a.error, a.duration_ms as "durationMs", a.response_excerpt as excerpt,
      d.next_attempt_at as "nextAttemptAt"
    from events e join deliveries d on d.event_row_id = e.id join endpoints p on p.id = d.endpoint_id
      left join webhook_endpoints w on w.endpoint_id = p.id left join attempts a on a.delivery_id = d.id
    where e.store_id = ${storeId} and e.event_id = ${eventId}
    order by d.id desc, a.number desc nulls last limit 1`.execute(queries);
  return rows[0];
}
