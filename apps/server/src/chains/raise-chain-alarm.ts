import type { Alarm } from '../audit/alarm.ts';
import { raiseAlarms } from '../audit/raise-alarms.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Following } from './follower.ts';

/** Raised alarms whose cause lasts, so that each is raised once. Written only by this file. */
export type AlarmMemory = { readonly alarmed: Set<string> };

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
    alarmed.delete(key);
    throw cause;
  }
}

/** When the cause returns, the alarm is raised again. */
export function endChainAlarm({ memory }: Pick<AlarmRaiser, 'memory'>, kind: Alarm['kind'], about = ''): void {
  memory.alarmed.delete(`${kind} ${about}`);
}
