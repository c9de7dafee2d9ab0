import type pg from 'pg';
import type { Prepared } from '../db/database.ts';
import { runPrepared } from '../db/database.ts';

/** How attempts ended, and what follows for the delivery, the invoice and the endpoint. */

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
  /** The receiver asked to be left alone until then. */
  quietUntil: Date | null;
};

/** How the waiting retries of an endpoint that is back are brought forward. */
export type Pull = {
  now: Date;
  perSecond: number;
  /** At one time; while there are more, each success brings the next. */
  limit: number;
  /** How often one delivery may be tried beyond its schedule. */
  maxUnscheduled: number;
};

/**
 * One statement, because a worker that dies between two would leave the retries of a returned endpoint waiting for days.
 * An attempt whose lease was lost and taken again changes nothing but the log; saving the same attempts twice does no harm.
 *
 * Endpoints are locked in order and the retries to pull are not waited for, so that two that save never wait for each
 * other. A pulled attempt is not charged to the schedule: an endpoint that refuses one event and takes the others would
 * burn the seven days of that one within seconds. What is due within the time that one pull spans is left as it is.
 */
export const SAVE_STATEMENT: Prepared = {
  name: 'save-attempts',
  text: `
with ended as (
  select * from unnest($1::bigint[], $2::smallint[], $3::timestamptz[], $4::integer[], $5::smallint[], $6::text[], $7::jsonb[],
    $8::text[], $9::text[], $10::timestamptz[], $15::timestamptz[])
    as a (delivery_id, number, at, duration_ms, status, error, request_headers, response_excerpt, state, next_attempt_at, quiet_until)
), logged as (
  insert into attempts (at, delivery_id, number, duration_ms, status, error, request_headers, response_excerpt)
  select at, delivery_id, number, duration_ms, status, error, request_headers, response_excerpt from ended a
  where not exists (select from attempts b where b.delivery_id = a.delivery_id and b.number = a.number and b.at = a.at)
), moved as (
  update deliveries d set state = a.state, next_attempt_at = coalesce(d.resume_at, a.next_attempt_at), resume_at = null,
    leased_until = '-infinity'
  from (select * from ended order by delivery_id) a
  where d.id = a.delivery_id and d.state = 'pending' and (d.attempts = a.number or a.state = 'delivered')
  returning d.invoice_id, d.event_row_id, d.endpoint_id, a.state, a.quiet_until
), told as (
  update invoices i set callback_status = case when m.state = 'delivered' then 'success' else 'failed' end
  from (select m.invoice_id, m.state from moved m join events e on e.id = m.event_row_id
    where e.type = 'invoice.completed' order by m.invoice_id) m
  where i.id = m.invoice_id and i.status = 'completed'
), counted as (
  select endpoint_id, bool_or(state = 'delivered') as answered, count(*) filter (where state <> 'delivered') as failed,
    max(quiet_until) as quiet_until
  from moved group by endpoint_id
), affected as (
  select p.id, p.failures, c.answered, c.failed, c.quiet_until from counted c join endpoints p on p.id = c.endpoint_id
  where c.failed > 0 or p.failures > 0 order by p.id for update of p
), waiting as (
  select w.id, a.id as endpoint_id, $11::timestamptz + make_interval(secs =>
    (row_number() over (partition by a.id order by w.next_attempt_at, w.id))::float8 / $12::integer) as earlier_at
  from affected a cross join lateral (select d.id, d.next_attempt_at from deliveries d
    where d.endpoint_id = a.id and d.state = 'pending' and d.leased_until < now() and d.attempts > 0
      and d.unscheduled < $14::integer and d.id <> all($1::bigint[])
    order by d.next_attempt_at, d.id limit $13::integer) w
  where a.answered and a.failures > 0
), free as (
  select d.id, w.earlier_at from waiting w join deliveries d on d.id = w.id
  where d.next_attempt_at > $11::timestamptz + make_interval(secs => $13::integer::float8 / $12::integer)
  order by d.id for update of d skip locked
), pulled as (
  update deliveries d set next_attempt_at = f.earlier_at, unscheduled = d.unscheduled + 1 from free f
  where d.id = f.id and d.state = 'pending' and d.leased_until < now()
  returning d.endpoint_id
), marked as (
  update endpoints p set failures = case when not a.answered then a.failures + a.failed
    when (select count(*) from waiting w where w.endpoint_id = a.id) < $13::integer then 0 else greatest(a.failures, 1) end,
    probe_at = greatest(p.probe_at, a.quiet_until)
  from affected a where p.id = a.id
)
select endpoint_id as "endpointId", count(*)::integer as pulled from pulled group by endpoint_id`,
};

export type PulledEndpoint = { endpointId: bigint; pulled: number };

/** Returns the endpoints that are back, and how many retries of each come earlier for that. */
export function saveAttempts(pool: pg.Pool, ended: readonly EndedAttempt[], pull: Pull): Promise<PulledEndpoint[]> {
  return runPrepared<PulledEndpoint>(pool, SAVE_STATEMENT, [
    ended.map((one) => one.deliveryId),
    ended.map((one) => one.number),
    ended.map((one) => one.at),
    ended.map((one) => one.durationMs),
    ended.map((one) => one.status),
    ended.map((one) => one.error),
    ended.map((one) => JSON.stringify(one.requestHeaders)),
    ended.map((one) => one.responseExcerpt),
    ended.map((one) => one.state),
    ended.map((one) => one.nextAttemptAt),
    pull.now,
    pull.perSecond,
    pull.limit,
    pull.maxUnscheduled,
    ended.map((one) => one.quietUntil),
  ]);
}
