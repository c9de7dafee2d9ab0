import type { Context } from '../db/context.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Actor } from '../lib/actor.ts';
import { nameOfActor } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import type { RaisedAlarm } from './alarm-sql.ts';
import { findAlarm, markAcknowledged } from './alarm-sql.ts';
import { recordAudit } from './record-audit.ts';

type AcknowledgeInput = { id: bigint; reason: string };

/** Acknowledges an alarm as handled. It stays stored, and nothing else changes. */
export async function acknowledgeAlarm(
  { database, clock }: Context,
  actor: Actor,
  { id, reason }: AcknowledgeInput,
): Promise<RaisedAlarm> {
  return inTransaction(database, async (tx) => {
    const done = await markAcknowledged(tx, id, new Date(clock.nowMs()), nameOfActor(actor));
    const alarm = await findAlarm(tx, id);
    if (!alarm) throw new Refusal('ALARM_UNKNOWN', { alarm: String(id) });
    if (!done) {
      const at = alarm.acknowledgedAt?.toISOString();
      throw new Refusal('ALARM_ACKNOWLEDGED', { alarm: String(id), by: String(alarm.acknowledgedBy), at: String(at) });
    }
    const details = { kind: alarm.kind, subject: alarm.subject, reason };
    await recordAudit(tx, clock, actor, { action: 'alarm.acknowledge', subject: `alarm:${id}`, details });
    return alarm;
  });
}
