import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';
import type { Alarm, AlarmKind } from './alarm.ts';
import { ALARM_KINDS } from './alarm.ts';

/** In how many of the newest alarms of a kind a subject is searched for. */
const REMEMBERED = 500;

/**
 * Whether the same kind of alarm was raised for a subject since a moment. Only the newest alarms of this kind are
 * searched.
 */
export async function hasAlarmSince(tx: Tx, kind: Alarm['kind'], subject: string, since: Date): Promise<boolean> {
  const row = await tx
    .selectFrom((inner) =>
      inner
        .selectFrom('alarms')
        .select(['subject', 'at'])
        .where('kind', '=', kind)
        .orderBy('id', 'desc')
        .limit(REMEMBERED)
        .as('newest'),
    )
    .select('at')
    .where('subject', '=', subject)
    .where('at', '>', since)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

export async function insertAlarms(tx: Tx, at: Date, alarms: readonly Alarm[]): Promise<void> {
  await tx
    .insertInto('alarms')
    .values(
      alarms.map((alarm) => ({ at, kind: alarm.kind, subject: alarm.subject, details: JSON.stringify(alarm.details) })),
    )
    .execute();
}

export type RaisedAlarm = Alarm & {
  id: bigint;
  at: Date;
  acknowledgedAt: Date | null;
  acknowledgedBy: string | null;
};

const RAISED = sql.raw(
  'id, at, kind, subject, details, acknowledged_at as "acknowledgedAt", acknowledged_by as "acknowledgedBy"',
);

export async function findAlarm(queries: Queries, id: bigint): Promise<RaisedAlarm | undefined> {
  const { rows } = await sql<RaisedAlarm>`select ${RAISED} from alarms where id = ${id}`.execute(queries);
  return rows[0];
}

type AlarmPage = {
  /** Whether acknowledged alarms are listed too. */
  all: boolean;
  kind?: AlarmKind | undefined;
  /** The id before which the page begins. */
  before?: bigint | undefined;
  limit: number;
};

/** Lists alarms, the newest first, of one kind or of all. */
export async function listAlarms(queries: Queries, { all, kind, before, limit }: AlarmPage): Promise<RaisedAlarm[]> {
  const isWanted = all ? sql`true` : sql`acknowledged_at is null`;
  const isOfKind = kind === undefined ? sql`true` : sql`kind = ${kind}`;
  const isBefore = before === undefined ? sql`true` : sql`id < ${before}`;
  const { rows } = await sql<RaisedAlarm>`
    select ${RAISED} from alarms where ${isWanted} and ${isOfKind} and ${isBefore} order by id desc limit ${limit}`.execute(
    queries,
  );
  return rows;
}

/** Marks an alarm as acknowledged; false when there is no such alarm, or it was acknowledged before. */
export async function markAcknowledged(tx: Tx, id: bigint, at: Date, by: string): Promise<boolean> {
  const changed = await tx
    .updateTable('alarms')
    .set({ acknowledged_at: at, acknowledged_by: by })
    .where('id', '=', id)
    .where('acknowledged_at', 'is', null)
    .executeTakeFirst();
  return changed.numUpdatedRows > 0n;
}

/** Alarms are counted up to this number. */
export const COUNTED_UP_TO = 10_000;

type AlarmCount = { kind: AlarmKind; alarms: number };

/** Counts unacknowledged alarms of every kind; `COUNTED_UP_TO` stands for that many or more. */
export async function countUnacknowledged(queries: Queries): Promise<AlarmCount[]> {
  const { rows } = await sql<AlarmCount>`
    select k.kind, (select count(*) from (
        select from alarms a where a.kind = k.kind and a.acknowledged_at is null limit ${COUNTED_UP_TO}) c)::integer as alarms
    from unnest(${ALARM_KINDS}::text[]) k (kind)`.execute(queries);
  return rows;
}

/** How many alarms one alert reports at most; further ones are left for the next. */
const ALERTED_AT_ONCE = 500;

/** Kinds with unacknowledged alarms that no alert has reported. */
export async function listUnalerted(queries: Queries): Promise<Set<AlarmKind>> {
  const { rows } = await sql<{ kind: AlarmKind }>`
    select k.kind from unnest(${ALARM_KINDS}::text[]) k (kind)
    cross join lateral (
      select from alarms a where a.kind = k.kind and a.alerted_at is null and a.acknowledged_at is null limit 1) a`.execute(
    queries,
  );
  return new Set(rows.map(({ kind }) => kind));
}

/** Marks the unacknowledged alarms of a kind that no alert has reported; returns their subjects, the newest first. */
export async function markAlerted(tx: Tx, kind: AlarmKind, at: Date): Promise<string[]> {
  const { rows } = await sql<{ id: bigint; subject: string }>`
    update alarms a set alerted_at = ${at}
    where a.alerted_at is null and a.acknowledged_at is null and a.id = any(array(
      select id from alarms where kind = ${kind} and alerted_at is null and acknowledged_at is null
      order by id desc limit ${ALERTED_AT_ONCE}))
    returning a.id, a.subject`.execute(tx);
  return rows.toSorted((one, other) => (one.id < other.id ? 1 : -1)).map(({ subject }) => subject);
}
