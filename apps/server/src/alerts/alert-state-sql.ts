import { sql } from 'kysely';
import type { AlarmKind, StateKind } from '../audit/alarm.ts';
import { ALARMS } from '../audit/alarm.ts';
import { IS_CONFIRMED } from '../confirmations/confirmation-sql.ts';
import type { Tx } from '../db/transaction.ts';
import { QUIET_HOURS, quietSince } from './alert.ts';

/** Whether the cause of alarms still lasts, as the database shows it. */

/** How many of the newest mails are searched for one that was sent. */
const SEARCHED_MAILS = 100;

type FactKind = Exclude<StateKind, keyof typeof QUIET_HOURS>;

const NEWEST = (kind: AlarmKind) => sql`(select a.at from alarms a where a.kind = ${kind} order by a.id desc limit 1)`;

const LASTING: Record<FactKind, ReturnType<typeof sql>> = {
  'clock-wrong': sql`coalesce((select max(id) from alarms where kind = 'clock-wrong'), 0)
    > coalesce((select max(id) from alarms where kind = 'clock-right'), 0)`,
  'database-mark-missing': sql`not ${sql.raw(IS_CONFIRMED)}`,
  'database-went-back': sql`exists (select from database_confirmation c where c.went_back_at is not null)`,
  'exchange-account-stopped': sql`exists (select from exchange_accounts x where x.stopped_at is not null and x.removed_at is null)`,
  'exchange-key-refused': sql`exists (select from exchange_accounts x where x.fault is not null and x.removed_at is null)`,
  'mail-server-unusable': sql`not exists (select from (select m.state, m.decided_at from mails m order by m.id desc limit ${SEARCHED_MAILS}) m
      where m.state = 'sent' and m.decided_at > ${NEWEST('mail-server-unusable')})
    and not exists (select from (select e.channel, e.state, e.decided_at from alerts e order by e.id desc limit ${SEARCHED_MAILS}) e
      where e.channel = 'email' and e.state = 'sent' and e.decided_at > ${NEWEST('mail-server-unusable')})`,
};

const isRepeated = (kind: AlarmKind): kind is keyof typeof QUIET_HOURS => kind in QUIET_HOURS;
const isState = (kind: AlarmKind): kind is StateKind => ALARMS[kind].nature === 'state';

function conditionOf(kind: AlarmKind, nowMs: number): ReturnType<typeof sql> {
  if (!isState(kind)) return sql`exists (select from alarms a where a.kind = ${kind} and a.acknowledged_at is null)`;
  if (isRepeated(kind)) return sql`coalesce(${NEWEST(kind)} > ${quietSince(kind, nowMs)}, false)`;
  return LASTING[kind];
}

/** Whether a kind is not over: an event that nobody has acknowledged, or a state whose cause lasts. */
export async function lasts(tx: Tx, kind: AlarmKind, nowMs: number): Promise<boolean> {
  const { rows } = await sql<{ holds: boolean }>`select ${conditionOf(kind, nowMs)} as holds`.execute(tx);
  return rows[0]?.holds === true;
}
