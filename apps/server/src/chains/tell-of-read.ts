import type { ChainRead } from '../sources/chain-source.ts';
import type { Follower } from './follower.ts';
import { endChainAlarm, raiseChainAlarm } from './raise-chain-alarm.ts';

/** What an answer leaves open is told, and holds nothing up; `tier` names a second read. */
export async function tellOfRead(
  follower: Follower,
  { quietTail, unknownShapes = 0, by }: ChainRead,
  height: number,
  tier?: string,
): Promise<void> {
  const details = { provider: by, height };
  if (quietTail === true) await raiseChainAlarm(follower, 'logs-quiet', details, tier);
  else endChainAlarm(follower, 'logs-quiet', tier);
  if (unknownShapes > 0) await raiseChainAlarm(follower, 'unknown-transactions', { ...details, unknownShapes });
}
