import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';

type AttemptRow = {
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
