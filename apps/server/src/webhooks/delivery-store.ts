import type pg from 'pg';
import type { Prepared } from '../db/database.ts';
import { runPrepared } from '../db/database.ts';
import type { EventType } from './event.ts';

/** Finding due deliveries and leasing those that the caps leave room for. */

export type DueDelivery = { id: bigint; endpointId: bigint; storeId: bigint; host: string };

export type ClaimedDelivery = DueDelivery & {
  attempts: number;
  /** Of the attempts, those beyond the schedule. */
  unscheduled: number;
  url: string;
  eventId: string;
  type: EventType;
  body: string;
};

/** Whose deliveries are passed over. */
export type Excluded = { endpoints: readonly bigint[]; hosts: readonly string[]; stores: readonly bigint[] };

/**
 * The oldest due rows. A later event of an invoice waits until the first attempt of the earlier one has ended: until then
 * that one is still due at the moment it was made.
 */
export const FIND_DUE_STATEMENT: Prepared = {
  name: 'find-due-deliveries',
  text: `
select d.id, d.endpoint_id as "endpointId", d.store_id as "storeId", d.host
from deliveries d
where d.state = 'pending' and d.next_attempt_at <= $1::timestamptz and d.leased_until < now()
  and d.endpoint_id <> all($3::bigint[]) and d.host <> all($4::text[]) and d.store_id <> all($5::bigint[])
  and (d.sequence = 1 or not exists (select from deliveries e where e.invoice_id = d.invoice_id
    and e.sequence < d.sequence and e.state = 'pending' and e.next_attempt_at = e.created_at))
order by d.next_attempt_at limit $2::integer`,
};

export function findDueDeliveries(
  pool: pg.Pool,
  now: Date,
  limit: number,
  { endpoints, hosts, stores }: Excluded,
): Promise<DueDelivery[]> {
  return runPrepared<DueDelivery>(pool, FIND_DUE_STATEMENT, [now, limit, endpoints, hosts, stores]);
}

/** A lease that ran out was lost with its worker: nobody knows whether that attempt was made, so the schedule is not charged. */
export const LEASE_STATEMENT: Prepared = {
  name: 'lease-deliveries',
  text: `
with free as (
  select id from deliveries
  where id = any($1::bigint[]) and state = 'pending' and next_attempt_at <= $2::timestamptz and leased_until < now()
  order by id for update skip locked
)
update deliveries d set leased_until = now() + make_interval(secs => $3::integer), attempts = d.attempts + 1,
  unscheduled = d.unscheduled + case when d.leased_until > '-infinity' then 1 else 0 end
from free f, events e, endpoints p
where d.id = f.id and e.id = d.event_row_id and p.id = d.endpoint_id
returning d.id, d.attempts, d.unscheduled + d.probes as unscheduled, d.endpoint_id as "endpointId", d.store_id as "storeId", d.host, p.url,
  e.event_id as "eventId", e.type, e.body`,
};

/** Those that nobody else has taken meanwhile. */
export function leaseDeliveries(
  pool: pg.Pool,
  ids: readonly bigint[],
  now: Date,
  leaseSeconds: number,
): Promise<ClaimedDelivery[]> {
  return runPrepared<ClaimedDelivery>(pool, LEASE_STATEMENT, [ids, now, leaseSeconds]);
}
