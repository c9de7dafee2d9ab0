import { sql } from 'kysely';
import type { Tx } from '../db/transaction.ts';
import { MAX_COUNT } from './delivery-sql.ts';

/** Probes: attempts at failing endpoints between the attempts of the schedule, which come days apart. */

/**
 * Takes failing endpoints whose probe is due and sets their next probe to `until`. Endpoints that another worker has
 * locked are skipped.
 */
export async function takeFailingEndpoints(tx: Tx, now: Date, until: Date, limit: number): Promise<bigint[]> {
  const { rows } = await sql<{ id: bigint }>`
    update endpoints set probe_at = ${until} where id = any(array(
      select id from endpoints where failures > 0 and probe_at <= ${now} order by probe_at limit ${limit} for update skip locked))
    returning id`.execute(tx);
  return rows.map((row) => row.id);
}

/**
 * Makes the next delivery of each endpoint due now, unless it is due before `until` anyway. The attempt does not count
 * for the schedule, which goes on where it was.
 */
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
