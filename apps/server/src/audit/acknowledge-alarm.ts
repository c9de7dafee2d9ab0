import type { Database } from '../db/database.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Clock } from '../lib/clock.ts';
import { OperatorError } from '../lib/errors.ts';
import type { RaisedAlarm } from './alarm-store.ts';
import { findAlarm, markAcknowledged } from './alarm-store.ts';
import { recordAudit } from './record-audit.ts';

export type AcknowledgeInput = { id: bigint; reason: string; actor: string };

/** A person says that an alarm was dealt with. It stays; nothing else changes. Audited. */
export async function acknowledgeAlarm(
  database: Database,
  clock: Clock,
  { id, reason, actor }: AcknowledgeInput,
): Promise<RaisedAlarm> {
  return inTransaction(database, async (tx) => {
    const done = await markAcknowledged(tx, id, new Date(clock.nowMs()), actor);
    const alarm = await findAlarm(tx, id);
    if (!alarm) throw new OperatorError(`There is no alarm ${id}.`);
    if (!done) {
      const at = alarm.acknowledgedAt?.toISOString();
      throw new OperatorError(`Alarm ${id} was acknowledged by ${alarm.acknowledgedBy} at ${at}.`);
    }
    const details = { kind: alarm.kind, subject: alarm.subject, reason };
    await recordAudit(tx, clock, { actor, action: 'alarm.acknowledge', subject: `alarm:${id}`, details });
    return alarm;
  });
}
