import type { Tx } from '../db/transaction.ts';
import type { Alarm } from './alarm.ts';

/** Of so many alarms of a kind it is known whom they were about. */
const REMEMBERED = 500;

/** Whether something was told of the same subject since a moment. Only the newest of its kind are looked at. */
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
