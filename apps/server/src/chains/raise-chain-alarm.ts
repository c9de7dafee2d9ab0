import type { Alarm } from '../audit/alarm.ts';
import { raiseAlarms } from '../audit/raise-alarms.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Follower } from './follower.ts';

/** The part of a follower that alarms need; followers of chains and of accounts both have it. */
export type AlarmRaiser = Pick<Follower, 'alarmed' | 'clock' | 'database' | 'log'> & {
  source: { network: { id: string } };
};

/** Raises an alarm about a chain, once while its cause lasts. */
export async function raiseChainAlarm(
  follower: AlarmRaiser,
  kind: Alarm['kind'],
  details: Record<string, unknown>,
  about = '',
): Promise<void> {
  const key = `${kind} ${about}`;
  if (follower.alarmed.has(key)) return;
  const network = follower.source.network.id;
  follower.log.error({ network, kind, ...details }, 'alarm');
  const at = new Date(follower.clock.nowMs());
  const alarm = { kind, subject: `chain:${network}`, details: { ...details, ...(about !== '' && { about }) } };
  follower.alarmed.add(key);
  try {
    await inTransaction(follower.database, (tx) => raiseAlarms(tx, at, [alarm]));
  } catch (cause) {
    // The alarm was not stored: the next call must raise it again.
    follower.alarmed.delete(key);
    throw cause;
  }
}

/** Notes that the cause of an alarm is over: the next one is raised again. */
export function endChainAlarm(follower: Pick<AlarmRaiser, 'alarmed'>, kind: Alarm['kind'], about = ''): void {
  follower.alarmed.delete(`${kind} ${about}`);
}
