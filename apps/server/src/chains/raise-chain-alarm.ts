import type { Alarm } from '../audit/alarm.ts';
import { raiseAlarms } from '../audit/raise-alarms.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Following } from './follower.ts';

/**
 * Alarms that this process raised and whose cause still lasts, so that each alarm is raised once. Written by this file
 * alone.
 */
export type AlarmMemory = { readonly alarmed: Set<string> };

/** The part of a follower that alarms need; followers of chains and of accounts both have it. */
export type AlarmRaiser = Pick<Following, 'clock' | 'database' | 'log'> & {
  readonly source: { network: { id: string } };
  readonly memory: AlarmMemory;
};

/** Raises an alarm about a chain, once while its cause lasts. */
export async function raiseChainAlarm(
  follower: AlarmRaiser,
  kind: Alarm['kind'],
  details: Record<string, unknown>,
  about = '',
): Promise<void> {
  const key = `${kind} ${about}`;
  const { alarmed } = follower.memory;
  if (alarmed.has(key)) return;
  const network = follower.source.network.id;
  follower.log.error({ network, kind, ...details }, 'alarm');
  const at = new Date(follower.clock.nowMs());
  const alarm = { kind, subject: `chain:${network}`, details: { ...details, ...(about !== '' && { about }) } };
  alarmed.add(key);
  try {
    await inTransaction(follower.database, (tx) => raiseAlarms(tx, at, [alarm]));
  } catch (cause) {
    // The alarm was not stored, so the next call must raise it again.
    alarmed.delete(key);
    throw cause;
  }
}

/** Notes that the cause of an alarm is over: when the cause returns, the alarm is raised again. */
export function endChainAlarm({ memory }: Pick<AlarmRaiser, 'memory'>, kind: Alarm['kind'], about = ''): void {
  memory.alarmed.delete(`${kind} ${about}`);
}
