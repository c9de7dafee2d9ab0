import { sql } from 'kysely';
import type { Tx } from '../db/transaction.ts';
import { MAX_COUNT } from './delivery-sql.ts';

/** Attempts at failing endpoints between those of the schedule, which are days apart. */

/** Takes failing endpoints with a due probe and schedules the next at `until`, skipping locked ones. */
export async function takeFailingEndpoints(tx: Tx, now: Date, until: Date, limit: number): Promise<bigint[]> {
  const { rows } = await sql<{ id: bigint }>`
    update endpoints set probe_at = ${until} where id = any(array(
      select id from endpoints where failures > 0 and probe_at <= ${now} order by probe_at limit ${limit} for update skip locked))
    returning id`.execute(tx);
  return rows.map((row) => row.id);
}

/** Makes each endpoint's next delivery due now, unless due before `until`. Does not count for the schedule. */
export async function probeDeliveries(tx: Tx, endpointIds: readonly bigint[], now: Date, until: Date): Promise<number> {
  const { rows } = await sql`
    with next as (
      select d.id from unnest(${endpointIds}::bigint[]) as p (id) cross join lateral (
        select d.id, d.next_attempt_at from deliveries d where d.endpoint_id = p.id and d.state = 'pending'
        order by d.next_attempt_at limit 1) d
      where d.next_attempt_at > ${until}
    ), free as (
      select d.id from next n join deliveries d on d.id = n.id
      where d.state = 'pending' and d.attempts > 0 and d.leased_until < now() order by d.id for update of d skip locked
    )
    update deliveries d set resume_at = d.next_attempt_at, next_attempt_at = ${now}, probes = least(d.probes::integer + 1, ${MAX_COUNT}) from free f
    where d.id = f.id returning d.id`.execute(tx);
  return rows.length;
}
