import { sql } from 'kysely';
import { ALARM_KINDS } from '../audit/alarm.ts';
import type { AlarmKind } from '../audit/alarm.ts';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';
import { firstCharacters } from '../lib/text.ts';
import type { Alert, AlertChannel, AlertFacts } from './alert.ts';
import { LONGEST_DELAY_MS } from './alert.ts';

// The key of the advisory lock of alerts: any constant that all workers share.
const ALERT_LOCK = 790_614;
const MAX_ERROR_CHARACTERS = 500;
/** How many of the newest alerts a look at the channels reads. */
const MAX_RECENT = 1_000;

/** Takes the lock with which one worker at a time decides about alerts; false while another worker has it. */
export async function lockAlerts(tx: Tx): Promise<boolean> {
  const { rows } = await sql<{ mayDecide: boolean }>`
    select pg_try_advisory_xact_lock(${ALERT_LOCK}) as "mayDecide"`.execute(tx);
  return rows[0]?.mayDecide === true;
}

type KindFacts = Omit<AlertFacts, 'hasFresh'> & { kind: AlarmKind };

/** Reads the latest phase of each kind, and whether it had an alert in this hour. */
export async function readAlertFacts(tx: Tx, hour: Date): Promise<KindFacts[]> {
  const { rows } = await sql<KindFacts>`
    select k.kind, (select a.phase from alerts a where a.kind = k.kind order by a.id desc limit 1) as "lastPhase",
      exists (select from alerts a where a.kind = k.kind and a.phase = 'raised' and a.hour = ${hour}) as "raisedThisHour",
      exists (select from alerts a where a.kind = k.kind and a.phase = 'over' and a.hour = ${hour}) as "overThisHour"
    from unnest(${ALARM_KINDS}::text[]) k (kind)`.execute(tx);
  return rows;
}

type NewAlert = Omit<Alert, 'id'>;

/** Stores an alert that is due immediately. A second row with the same kind, channel, phase and hour violates the unique key. */
export async function insertAlert(tx: Tx, alert: NewAlert): Promise<void> {
  await sql`
    insert into alerts (kind, channel, phase, hour, alarms, subjects, created_at, next_attempt_at)
    values (${alert.kind}, ${alert.channel}, ${alert.phase}, ${alert.hour}, ${alert.alarms}, ${alert.subjects}::text[],
      ${alert.createdAt}, ${alert.createdAt})`.execute(tx);
}

/** Deletes alerts that were created before a moment, the oldest first. */
export async function deleteOldAlerts(tx: Tx, before: Date, limit: number): Promise<void> {
  await sql`
    delete from alerts where id = any(array(
      select a.id from (select id, created_at from alerts order by id limit ${limit}) a where a.created_at < ${before}))`.execute(
    tx,
  );
}

type ClaimedAlert = Alert & {
  /** Number of attempts, including the claimed one. */
  attempts: number;
};

/**
 * Claims the alert that has been due for the longest time: no other worker sends it before `until`. Kinds that only a
 * later version knows are left to its workers. An alert that was postponed by a clock that was ahead is due again.
 */
export async function claimAlert(
  queries: Queries,
  channels: readonly AlertChannel[],
  { now, until }: { now: Date; until: Date },
): Promise<ClaimedAlert | undefined> {
  const beyondDelays = new Date(now.getTime() + LONGEST_DELAY_MS);
  const { rows } = await sql<ClaimedAlert>`
    update alerts set attempts = attempts + 1, next_attempt_at = ${until}
    where id = (
      select id from alerts
      where state = 'pending' and (next_attempt_at <= ${now} or next_attempt_at > ${beyondDelays})
        and channel = any(${channels}::text[]) and kind = any(${ALARM_KINDS}::text[])
      order by next_attempt_at limit 1 for update skip locked)
    returning id, kind, channel, phase, hour, alarms, subjects, created_at as "createdAt", attempts`.execute(queries);
  return rows[0];
}

type AlertOutcome = { state: 'pending' | 'sent' | 'failed'; at: Date; error: string | null };

/** Saves how an attempt ended, unless another worker has claimed the alert since; `at` is the next attempt's time or the end. */
export async function saveOutcome(
  queries: Queries,
  { id, attempts }: ClaimedAlert,
  { state, at, error }: AlertOutcome,
): Promise<void> {
  const lastError = error === null ? null : firstCharacters(error, MAX_ERROR_CHARACTERS);
  await sql`
    update alerts set state = ${state}, next_attempt_at = ${at},
      decided_at = case when ${state}::text <> 'pending' then ${at}::timestamptz end, last_error = coalesce(${lastError}, last_error)
    where id = ${id} and state = 'pending' and attempts = ${attempts}`.execute(queries);
}

/** How the latest alerts of a channel ended. */
export type ChannelFacts = {
  channel: AlertChannel;
  /** How the newest alert ended that is not pending any more. */
  lastState: 'sent' | 'failed' | null;
  /** Most attempts of a pending alert. */
  mostAttempts: number;
  /** The newest error of an alert that was not sent. */
  lastError: string | null;
};

/** Reads how alerts created since a moment ended, by channel. */
export async function readChannelFacts(queries: Queries, since: Date): Promise<ChannelFacts[]> {
  const { rows } = await sql<ChannelFacts>`
    with recent as materialized (
      select id, channel, state, attempts, last_error, decided_at from alerts where created_at > ${since}
      order by id desc limit ${MAX_RECENT})
    select c.channel,
      (select r.state from recent r where r.channel = c.channel and r.state <> 'pending'
        order by r.decided_at desc, r.id desc limit 1) as "lastState",
      coalesce((select max(r.attempts) from recent r where r.channel = c.channel and r.state = 'pending'), 0) as "mostAttempts",
      (select r.last_error from recent r where r.channel = c.channel and r.state <> 'sent' and r.last_error is not null
        order by r.id desc limit 1) as "lastError"
    from (values ('email'), ('url')) c (channel)`.execute(queries);
  return rows;
}
