import type { Tx } from '../db/transaction.ts';
import type { Alarm } from './alarm.ts';

/** Whether something was told of the same subject since a moment. */
export async function hasAlarmSince(tx: Tx, kind: Alarm['kind'], subject: string, since: Date): Promise<boolean> {
  const row = await tx
    .selectFrom('alarms')
    .select('id')
    .where('kind', '=', kind)
    .where('subject', '=', subject)
    .where('at', '>', since)
    .orderBy('id', 'desc')
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
