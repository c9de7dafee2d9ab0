import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';

type WebhookHealth = {
  /** How long the oldest delivery has been due; 0 when none is. */
  oldestDueSeconds: number;
  /** Endpoints whose latest attempt failed. */
  failingEndpoints: number;
};

export async function readWebhookHealth(queries: Queries, now: Date): Promise<WebhookHealth> {
  const { rows } = await sql<WebhookHealth>`
    select coalesce(greatest(0, extract(epoch from ${now}::timestamptz - (select next_attempt_at from deliveries
        where state = 'pending' order by next_attempt_at limit 1)))::float8, 0) as "oldestDueSeconds",
      (select count(*)::integer from endpoints e join stores s on s.id = e.store_id where e.failures > 0 and s.live) as "failingEndpoints"`.execute(
    queries,
  );
  const [row] = rows;
  if (!row) throw new Error('The health of webhooks could not be read.');
  return row;
}
