import type { Tx } from '../db/transaction.ts';
import type { Alarm } from './alarm.ts';
import { insertAlarms } from './alarm-store.ts';

/** Writes alarms in the transaction of what they are about. */
export async function raiseAlarms(tx: Tx, at: Date, alarms: readonly Alarm[]): Promise<void> {
  if (alarms.length > 0) await insertAlarms(tx, at, alarms);
}
