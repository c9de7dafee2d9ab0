import type pg from 'pg';
import type { Prepared } from '../db/database.ts';
import { runPrepared } from '../db/database.ts';
import type { EventType } from '@counterfoil/core/event-type.ts';
import type { Proven } from './trust.ts';
import type { Turn } from './turns.ts';

/** Finds due deliveries, and leases them within the caps in flight. */

export type DueDelivery = {
  id: bigint;
  endpointId: bigint;
  storeId: bigint;
  host: string;
  /** Whether it goes to a webhook endpoint, which has a secret of its own. Before a lease, known of unsigned stores only. */
  ofEndpoint: boolean;
};

export type ClaimedDelivery = DueDelivery & {
  attempts: number;
  /** Attempts that do not count towards the retry schedule. */
  unscheduled: number;
  url: string;
  eventId: string;
  type: EventType;
  body: string;
  /** Whether the attempt was requested by a user and leaves the endpoint's health alone. */
  leavesHealth: boolean;
  /** Whether the test store requested failing webhooks. */
  failsOnPurpose: boolean;
};

/** Endpoints, hosts and stores to skip. */
type Excluded = {
  endpoints: readonly bigint[];
  hosts: readonly string[];
  stores: readonly bigint[];
  /** Stores whose own secret could not be read: only their webhook endpoints are sent to. */
  unsigned: readonly bigint[];
  /** Stores limited to proven receivers. */
  waiting: readonly bigint[];
  proven: Proven;
};

/**
 * Whether a delivery is due and not leased. An invoice's later event waits for the first attempt of the earlier one at
 * its endpoint, whose due time equals its creation until then. A requested delivery delays only others of its kind.
 * Deliveries to a disabled webhook endpoint are ended elsewhere.
 */
const IS_DUE = `d.state = 'pending' and d.next_attempt_at <= $1::timestamptz and d.leased_until < now()
  and d.endpoint_id <> all(array(select endpoint_id from webhook_endpoints where draining))
  and (d.sequence = 1 or not exists (select from deliveries e where e.invoice_id = d.invoice_id
    and e.endpoint_id = d.endpoint_id and e.sequence < d.sequence and e.state = 'pending' and e.next_attempt_at = e.created_at and (d.by_hand or not e.by_hand)))`;

const FIND_DUE_STATEMENT: Prepared = {
  name: 'find-due-deliveries',
  text: `
select d.id, d.endpoint_id as "endpointId", d.store_id as "storeId", d.host, d.store_id = any($11::bigint[]) as "ofEndpoint"
from deliveries d
where ${IS_DUE}
  and (d.store_id <> all($11::bigint[]) or exists (select from webhook_endpoints w where w.endpoint_id = d.endpoint_id))
  and d.endpoint_id <> all($3::bigint[]) and d.host <> all($4::text[]) and d.store_id <> all($5::bigint[])
  and (d.store_id <> all($6::bigint[]) or d.endpoint_id = any($7::bigint[])
    or ((d.store_id, d.host) in (select * from unnest($8::bigint[], $9::text[])) and d.endpoint_id <> all($10::bigint[])))
order by d.next_attempt_at limit $2::integer`,
};

export function findDueDeliveries(
  pool: pg.Pool,
  now: Date,
  limit: number,
  { endpoints, hosts, stores, unsigned, waiting, proven }: Excluded,
): Promise<DueDelivery[]> {
  return runPrepared<DueDelivery>(pool, FIND_DUE_STATEMENT, [
    now,
    limit,
    endpoints,
    hosts,
    stores,
    waiting,
    proven.endpoints,
    proven.hosts.map((one) => one.storeId),
    proven.hosts.map((one) => one.host),
    proven.failing,
    unsigned,
  ]);
}

/**
 * The oldest due deliveries at the next endpoints of stores in turn. Steps from endpoint to endpoint, so that one's
 * backlog costs nothing. Every store's first endpoint comes first.
 */
const FIND_TURNS_STATEMENT: Prepared = {
  name: 'find-deliveries-in-turn',
  text: `
with recursive walk as (
  select s.store_id, 1 as step, (select d.endpoint_id from deliveries d where d.store_id = s.store_id and d.state = 'pending'
    and d.endpoint_id > s.after order by d.endpoint_id limit 1) as endpoint_id
  from unnest($2::bigint[], $3::bigint[]) as s (store_id, after)
  union all
  select w.store_id, w.step + 1, (select d.endpoint_id from deliveries d where d.store_id = w.store_id and d.state = 'pending'
    and d.endpoint_id > w.endpoint_id order by d.endpoint_id limit 1)
  from walk w where w.endpoint_id is not null and w.step < $4::integer
)
select n.id, w.endpoint_id as "endpointId", w.store_id as "storeId", n.host, false as "ofEndpoint"
from walk w left join lateral (
  select d.id, d.host, d.next_attempt_at from deliveries d
  where d.store_id = w.store_id and d.endpoint_id = w.endpoint_id and ${IS_DUE}
  order by d.next_attempt_at limit $5::integer) n on true
where w.endpoint_id is not null
order by w.step, n.next_attempt_at`,
};

export type TurnRow = Omit<DueDelivery, 'id' | 'host'> & { id: bigint | null; host: string | null };

export function findDeliveriesInTurn(
  pool: pg.Pool,
  now: Date,
  turns: readonly Turn[],
  endpointsPerStore: number,
  perEndpoint: number,
): Promise<TurnRow[]> {
  return runPrepared<TurnRow>(pool, FIND_TURNS_STATEMENT, [
    now,
    turns.map((turn) => turn.storeId),
    turns.map((turn) => turn.after),
    endpointsPerStore,
    perEndpoint,
  ]);
}

/** The largest smallint. Counters stop there: an overflow would fail the statement, and with it all webhooks. */
export const MAX_COUNT = 32_767;

/** Leases deliveries. After an expired lease the attempt is unknown and does not count towards the schedule. */
const LEASE_STATEMENT: Prepared = {
  name: 'lease-deliveries',
  text: `
with free as (
  select id from deliveries
  where id = any($1::bigint[]) and state = 'pending' and next_attempt_at <= $2::timestamptz and leased_until < now()
  order by id for update skip locked
)
update deliveries d set leased_until = now() + make_interval(secs => $3::integer),
  attempts = least(d.attempts::integer + 1, ${MAX_COUNT}),
  unscheduled = least(d.unscheduled::integer + case when d.leased_until > '-infinity' then 1 else 0 end, ${MAX_COUNT})
from free f, events e, endpoints p left join webhook_endpoints w on w.endpoint_id = p.id
where d.id = f.id and e.id = d.event_row_id and p.id = d.endpoint_id and w.disabled_at is null
returning d.id, d.attempts, d.unscheduled::integer + d.probes as unscheduled, d.endpoint_id as "endpointId", d.store_id as "storeId", d.host,
  coalesce(w.url, p.url) as url, w.endpoint_id is not null as "ofEndpoint", e.event_id as "eventId", e.type, e.body, d.by_hand and d.resume_at is null as "leavesHealth",
  exists (select from test_faults f where f.store_id = d.store_id and f.webhooks_fail_until > $2::timestamptz) as "failsOnPurpose"`,
};

export function leaseDeliveries(
  pool: pg.Pool,
  ids: readonly bigint[],
  now: Date,
  leaseSeconds: number,
): Promise<ClaimedDelivery[]> {
  return runPrepared<ClaimedDelivery>(pool, LEASE_STATEMENT, [ids, now, leaseSeconds]);
}

/** Returns a leased delivery without effect, if nothing was sent and the lease was not lost. */
const RETURN_STATEMENT: Prepared = {
  name: 'return-delivery',
  text: `
update deliveries d set leased_until = '-infinity', attempts = d.attempts - 1,
  next_attempt_at = coalesce(d.resume_at, d.next_attempt_at), resume_at = null,
  probes = d.probes - case when d.resume_at is null then 0 else 1 end
where d.id = $1::bigint and d.state = 'pending' and d.attempts = $2::integer and d.leased_until > '-infinity'`,
};

export async function returnDelivery(
  pool: pg.Pool,
  { id, attempts }: Pick<ClaimedDelivery, 'id' | 'attempts'>,
): Promise<void> {
  await runPrepared(pool, RETURN_STATEMENT, [id, attempts]);
}
