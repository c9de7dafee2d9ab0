import type pg from 'pg';
import { runPrepared } from '../db/database.ts';
import { nameParameters } from '../db/named-statement.ts';

/** Saves ended attempts, with their effects on delivery, invoice and endpoint. */

export type EndedAttempt = {
  deliveryId: bigint;
  number: number;
  at: Date;
  durationMs: number;
  status: number | null;
  error: string | null;
  requestHeaders: Record<string, string>;
  responseExcerpt: string | null;
  state: 'pending' | 'delivered' | 'failed';
  nextAttemptAt: Date;
  /** Until when the receiver requested no further attempt, if so. */
  quietUntil: Date | null;
  /** Whether the attempt was requested by a user and does not count for the endpoint's health. */
  leavesHealth: boolean;
};

/** How fast waiting retries are moved forward when their endpoint has recovered. */
type Pull = {
  now: Date;
  perSecond: number;
  /** Retries moved forward together; each success moves the next ones. */
  limit: number;
  /** Most attempts of a delivery beyond its schedule. */
  maxUnscheduled: number;
};

/**
 * One statement saves attempts and moves retries forward: a worker that died in between would leave the retries of a
 * recovered endpoint waiting for days. An attempt whose lease was lost changes only the log, unless it delivered;
 * saving twice is harmless. Endpoints are locked in order and locked retries skipped, to avoid deadlocks. Attempts
 * moved forward do not count for the schedule: an endpoint that refuses one event and accepts others would use it up
 * within seconds. They are spread over a few seconds. Attempts that leave health alone change only their delivery and
 * the invoice's callback status.
 */
const SAVE_STATEMENT = nameParameters(
  'save-attempts',
  [
    'delivery_ids',
    'numbers',
    'times',
    'durations_ms',
    'statuses',
    'errors',
    'request_headers',
    'response_excerpts',
    'states',
    'next_attempts_at',
    'quiet_until',
    'leaves_health',
    'now',
    'pulled_per_second',
    'pulled_at_most',
    'most_unscheduled',
  ],
  `
with ended_attempts as (
  select * from unnest(:delivery_ids::bigint[], :numbers::smallint[], :times::timestamptz[], :durations_ms::integer[],
    :statuses::smallint[], :errors::text[], :request_headers::jsonb[], :response_excerpts::text[], :states::text[],
    :next_attempts_at::timestamptz[], :quiet_until::timestamptz[], :leaves_health::boolean[])
    as a (delivery_id, number, at, duration_ms, status, error, request_headers, response_excerpt, state, next_attempt_at, quiet_until,
      leaves_health)
),
-- The log of attempts, each once.
saved_attempts as (
  insert into attempts (at, delivery_id, number, duration_ms, status, error, request_headers, response_excerpt)
  select at, delivery_id, number, duration_ms, status, error, request_headers, response_excerpt from ended_attempts a
  where not exists (select from attempts b where b.delivery_id = a.delivery_id and b.number = a.number and b.at = a.at)
),
-- Deliveries whose latest attempt this was, in their new state.
moved_deliveries as (
  update deliveries d set state = a.state, next_attempt_at = coalesce(d.resume_at, a.next_attempt_at), resume_at = null,
    leased_until = '-infinity'
  from (select * from ended_attempts order by delivery_id) a
  where d.id = a.delivery_id and d.state = 'pending' and (d.attempts = a.number or a.state = 'delivered')
  returning d.invoice_id, d.event_row_id, d.endpoint_id, a.state, a.quiet_until, a.leaves_health
),
-- Completed invoices show their merchants whether their callback URLs have been told.
told_invoices as (
  update invoices i set callback_status = case when m.state = 'delivered' then 'success' else 'failed' end
  from (select m.invoice_id, m.state from moved_deliveries m join events e on e.id = m.event_row_id
    where e.type = 'invoice.completed' and not exists (select from webhook_endpoints w where w.endpoint_id = m.endpoint_id)
    order by m.invoice_id) m
  where i.id = m.invoice_id and i.status = 'completed'
),
endpoint_outcomes as (
  select endpoint_id, bool_or(state = 'delivered') as answered, count(*) filter (where state <> 'delivered') as failed,
    max(quiet_until) as quiet_until
  from moved_deliveries where not leaves_health group by endpoint_id
),
-- Endpoints that failed now, had failed before, or took a webhook for the first time.
affected_endpoints as (
  select p.id, p.failures, o.answered, o.failed, o.quiet_until from endpoint_outcomes o join endpoints p on p.id = o.endpoint_id
  where o.failed > 0 or p.failures > 0 or p.answered_at is null order by p.id for update of p
),
-- Retries that wait at endpoints that are back, and when each would come instead.
waiting_retries as (
  select w.id, a.id as endpoint_id, :now::timestamptz + make_interval(secs =>
    (row_number() over (partition by a.id order by w.next_attempt_at, w.id))::float8 / :pulled_per_second::integer) as earlier_at
  from affected_endpoints a cross join lateral (select d.id, d.next_attempt_at from deliveries d
    where d.endpoint_id = a.id and d.state = 'pending' and d.leased_until < now() and d.attempts > 0
      and d.unscheduled < :most_unscheduled::integer and d.id <> all(:delivery_ids::bigint[])
    order by d.next_attempt_at, d.id limit :pulled_at_most::integer) w
  where a.answered and a.failures > 0
),
free_retries as (
  select d.id, w.earlier_at from waiting_retries w join deliveries d on d.id = w.id
  where d.next_attempt_at > :now::timestamptz + make_interval(secs => :pulled_at_most::integer::float8 / :pulled_per_second::integer)
  order by d.id for update of d skip locked
),
pulled_retries as (
  update deliveries d set next_attempt_at = f.earlier_at, unscheduled = d.unscheduled + 1 from free_retries f
  where d.id = f.id and d.state = 'pending' and d.leased_until < now()
  returning d.endpoint_id
),
-- An endpoint counts as failing until every retry that waited for it was brought forward.
marked_endpoints as (
  update endpoints p set failures = case when not a.answered then a.failures + a.failed
    when (select count(*) from waiting_retries w where w.endpoint_id = a.id) < :pulled_at_most::integer then 0
    else greatest(a.failures, 1) end,
    probe_at = greatest(p.probe_at, a.quiet_until),
    failing_since = case when not a.answered then coalesce(p.failing_since, :now::timestamptz) end,
    answered_at = case when a.answered then coalesce(p.answered_at, :now::timestamptz) else p.answered_at end
  from affected_endpoints a where p.id = a.id
)
select endpoint_id as "endpointId", count(*)::integer as pulled from pulled_retries group by endpoint_id`,
);

type PulledEndpoint = { endpointId: bigint; pulled: number };

/** Returns recovered endpoints, and how many of their retries were moved forward. */
export function saveAttempts(pool: pg.Pool, ended: readonly EndedAttempt[], pull: Pull): Promise<PulledEndpoint[]> {
  const values = SAVE_STATEMENT.valuesOf({
    delivery_ids: ended.map((one) => one.deliveryId),
    numbers: ended.map((one) => one.number),
    times: ended.map((one) => one.at),
    durations_ms: ended.map((one) => one.durationMs),
    statuses: ended.map((one) => one.status),
    errors: ended.map((one) => one.error),
    request_headers: ended.map((one) => JSON.stringify(one.requestHeaders)),
    response_excerpts: ended.map((one) => one.responseExcerpt),
    states: ended.map((one) => one.state),
    next_attempts_at: ended.map((one) => one.nextAttemptAt),
    quiet_until: ended.map((one) => one.quietUntil),
    leaves_health: ended.map((one) => one.leavesHealth),
    now: pull.now,
    pulled_per_second: pull.perSecond,
    pulled_at_most: pull.limit,
    most_unscheduled: pull.maxUnscheduled,
  });
  return runPrepared<PulledEndpoint>(pool, SAVE_STATEMENT, values);
}
