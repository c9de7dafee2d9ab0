import type { Tx } from '../db/transaction.ts';
import type { Alarm } from './alarm.ts';
import { hasAlarmSince, insertAlarms } from './alarm-sql.ts';

/** Writes alarms in the transaction of the change that they are about. */
export async function raiseAlarms(tx: Tx, at: Date, alarms: readonly Alarm[]): Promise<void> {
  if (alarms.length > 0) await insertAlarms(tx, at, alarms);
}

/** Writes an alarm unless it was raised for this subject within `quietMs`: strangers may cause it. */
export async function raiseRarely(tx: Tx, at: Date, alarm: Alarm, quietMs: number): Promise<void> {
  if (!(await hasAlarmSince(tx, alarm.kind, alarm.subject, new Date(at.getTime() - quietMs))))
    await insertAlarms(tx, at, [alarm]);
}
