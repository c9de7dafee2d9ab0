import type { Alarm } from '../audit/alarm.ts';
import { raiseAlarms } from '../audit/raise-alarms.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Follower } from './follower.ts';

/** Whatever follows a network, by its blocks or by its accounts. */
export type AlarmRaiser = Pick<Follower, 'alarmed' | 'clock' | 'database' | 'log'> & {
  source: { network: { symbol: string } };
};

/** Tells a person of something about a chain, once while it lasts. */
export async function raiseChainAlarm(
  follower: AlarmRaiser,
  kind: Alarm['kind'],
  details: Record<string, unknown>,
  about = '',
): Promise<void> {
  const key = `${kind} ${about}`;
  if (follower.alarmed.has(key)) return;
  const network = follower.source.network.symbol;
  follower.log.error({ network, kind, ...details }, 'alarm');
  const at = new Date(follower.clock.nowMs());
  const alarm = { kind, subject: `chain:${network}`, details: { ...details, ...(about !== '' && { about }) } };
  follower.alarmed.add(key);
  try {
    await inTransaction(follower.database, (tx) => raiseAlarms(tx, at, [alarm]));
  } catch (cause) {
    // Nobody was told of it.
    follower.alarmed.delete(key);
    throw cause;
  }
}

/** What a person was told of is over: the next time is told again. */
export function endChainAlarm(follower: Pick<AlarmRaiser, 'alarmed'>, kind: Alarm['kind'], about = ''): void {
  follower.alarmed.delete(`${kind} ${about}`);
}
