import type { ChainRead } from '../sources/chain-source.ts';
import type { Follower } from './follower.ts';
import { endChainAlarm, raiseChainAlarm } from './raise-chain-alarm.ts';

/** Raises alarms about what a read leaves uncertain; reading continues. `tier` is given for second reads. */
export async function raiseReadAlarms(
  follower: Follower,
  { quietTail, unknownShapes = 0, duplicateLogs = 0, by }: ChainRead,
  height: number,
  tier?: string,
): Promise<void> {
  const details = { provider: by, height };
  if (quietTail === true) await raiseChainAlarm(follower, 'logs-quiet', details, tier);
  else endChainAlarm(follower, 'logs-quiet', tier);
  if (unknownShapes > 0) await raiseChainAlarm(follower, 'unknown-transactions', { ...details, unknownShapes });
  if (duplicateLogs === 0) return;
  follower.count('duplicateLogs', duplicateLogs);
  await raiseChainAlarm(follower, 'duplicate-logs', { ...details, duplicateLogs }, by);
}
