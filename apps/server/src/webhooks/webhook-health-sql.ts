import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';

type WebhookHealth = {
  /** How long the oldest delivery of a live store has been due, or 0. */
  oldestDueSeconds: number;
  failingEndpoints: number;
};

/**
 * Pending deliveries read to find one of a live store. If all are of test stores, the next one is taken regardless:
 * none of a live store has been due for longer.
 */
const LOOKED_AT = 1_000;

const OLDEST = (rows: RawBuilder<unknown>) => sql`
  select next_attempt_at, store_id from deliveries where state = 'pending' order by next_attempt_at ${rows}`;

export async function readWebhookHealth(queries: Queries, now: Date): Promise<WebhookHealth> {
  const { rows } = await sql<WebhookHealth>`
    select coalesce(greatest(0, extract(epoch from ${now}::timestamptz - coalesce(
        (select d.next_attempt_at from (${OLDEST(sql`limit ${LOOKED_AT}`)}) d
          where (select s.live from stores s where s.id = d.store_id) order by d.next_attempt_at limit 1),
        (select d.next_attempt_at from (${OLDEST(sql`offset ${LOOKED_AT} limit 1`)}) d))))::float8, 0) as "oldestDueSeconds",
      (select count(*)::integer from endpoints e join stores s on s.id = e.store_id where e.failures > 0 and s.live) as "failingEndpoints"`.execute(
    queries,
  );
  const [row] = rows;
  if (!row) throw new Error('The health of webhooks could not be read.');
  return row;
}
