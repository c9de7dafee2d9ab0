import { sql } from 'kysely';
import type { Tx } from '../db/transaction.ts';

/** Ends pending deliveries to webhook endpoints that were disabled or deleted, each with an entry in its log. */

/** Nothing was sent: the error of the last entry says why. */
const ERROR = sql`case when w.deleted_at is null then 'disabled: The endpoint was disabled. Nothing was sent.'
  else 'deleted: The endpoint was deleted. Nothing was sent.' end`;

/** Returns how many deliveries were ended. */
export async function endDrainedDeliveries(tx: Tx, at: Date, limit: number): Promise<number> {
  const { rows } = await sql`
    with due as (
      select d.id, ${ERROR} as error from webhook_endpoints w cross join lateral (
        select d.id from deliveries d where d.endpoint_id = w.endpoint_id and d.state = 'pending' order by d.next_attempt_at limit ${limit}) d
      where w.draining limit ${limit}
    ), free as (
      select d.id, d.attempts, due.error from due join deliveries d on d.id = due.id
      where d.state = 'pending' and d.leased_until < now() order by d.id for update of d skip locked
    ), logged as (
      insert into attempts (at, delivery_id, number, duration_ms, status, error, request_headers, response_excerpt)
      select ${at}, id, least(attempts::integer + 1, 32767), 0, null, error, '{}', null from free
    )
    update deliveries d set state = 'failed', attempts = least(d.attempts::integer + 1, 32767), next_attempt_at = ${at}, resume_at = null
    from free f where d.id = f.id returning d.id`.execute(tx);
  return rows.length;
}

/**
 * Ends the draining of endpoints without pending deliveries, disabled before `before`: every transaction that saw them
 * enabled has ended.
 */
export async function endDraining(tx: Tx, before: Date): Promise<void> {
  await sql`
    update webhook_endpoints w set draining = false
    where w.draining and greatest(w.disabled_at, w.deleted_at) < ${before}
      and not exists (select from deliveries d where d.endpoint_id = w.endpoint_id and d.state = 'pending')`.execute(
    tx,
  );
}

/** Nothing is sent to these endpoints, so they no longer count as failing. */
export async function forgetFailures(tx: Tx): Promise<void> {
  await sql`
    update endpoints p set failures = 0, failing_since = null from webhook_endpoints w
    where w.draining and p.id = w.endpoint_id and p.failures > 0`.execute(tx);
}
