import type { Tx } from '../db/transaction.ts';
import type { Alarm } from './alarm.ts';

export async function insertAlarms(tx: Tx, at: Date, alarms: readonly Alarm[]): Promise<void> {
  await tx
    .insertInto('alarms')
    .values(
      alarms.map((alarm) => ({ at, kind: alarm.kind, subject: alarm.subject, details: JSON.stringify(alarm.details) })),
    )
    .execute();
}
