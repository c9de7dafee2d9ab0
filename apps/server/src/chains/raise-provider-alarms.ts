import type { LackedMethod, RefusedProvider } from '../sources/chain-source.ts';
import type { AlarmRaiser } from './raise-chain-alarm.ts';
import { raiseChainAlarm } from './raise-chain-alarm.ts';

type ProviderWatcher = AlarmRaiser & {
  readonly source: {
    network: { id: string };
    refused?: () => readonly RefusedProvider[];
    lacking?: () => readonly LackedMethod[];
  };
};

/** Alarms for providers on another chain or without a method: reading continues, so they would stay unnoticed. */
export async function raiseProviderAlarms(follower: ProviderWatcher): Promise<void> {
  const { refused, lacking } = follower.source;
  for (const { provider, reason } of refused?.() ?? [])
    await raiseChainAlarm(follower, 'wrong-chain', { reason }, provider);
  for (const { provider, method } of lacking?.() ?? [])
    await raiseChainAlarm(follower, 'method-unsupported', { provider, method }, provider);
}
