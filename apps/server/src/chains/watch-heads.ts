import { isSandboxId } from '@counterfoil/core/network-id.ts';
import { profileOf } from '../networks/profile.ts';
import type { StandingHead } from '../sources/chain-source.ts';
import type { AlarmRaiser } from './raise-chain-alarm.ts';
import { endChainAlarm, raiseChainAlarm } from './raise-chain-alarm.ts';

/** Alarms about stalled heads and about blocks that do not become final, for chains and accounts. */

/** With the pause between reads, below two minutes. */
const STALLED_MS = 100_000;

type Highest = { height: number; sinceMs: number };

/** Written only by this file. */
export type HeadMemory = {
  readonly highest: { head: Highest | undefined; final: Highest | undefined };
  /** Providers with a stalled head for which an alarm was raised. */
  readonly standing: Set<string>;
};

type HeadWatcher = AlarmRaiser & {
  readonly source: { network: { id: string }; standing?: () => readonly StandingHead[] };
  readonly memory: HeadMemory;
};

type Heights = { latest: number; finalized: number };

/** Records a height; returns how long no higher one was shown. */
function noteHeight({ clock, memory: { highest } }: HeadWatcher, which: 'head' | 'final', height: number): number {
  const known = highest[which];
  if (!known || height > known.height) highest[which] = { height, sinceMs: clock.nowMs() };
  return clock.nowMs() - (highest[which]?.sinceMs ?? 0);
}

/** Alarms for providers that answer with a stalled head; readers use another one. */
async function reportStanding(follower: HeadWatcher): Promise<void> {
  const { standing: known } = follower.memory;
  const standing = new Map((follower.source.standing?.() ?? []).map(({ provider, height }) => [provider, height]));
  for (const provider of known) {
    if (standing.has(provider)) continue;
    known.delete(provider);
    endChainAlarm(follower, 'head-stalled', provider);
  }
  for (const [provider, height] of standing) {
    known.add(provider);
    await raiseChainAlarm(follower, 'head-stalled', { provider, height }, provider);
  }
}

export async function watchHeads(follower: HeadWatcher, { latest, finalized }: Heights): Promise<void> {
  const { network } = follower.source;
  if (isSandboxId(network.id)) return;
  await reportStanding(follower);
  if (noteHeight(follower, 'head', latest) < STALLED_MS) endChainAlarm(follower, 'head-stalled');
  else await raiseChainAlarm(follower, 'head-stalled', { latest });
  if (noteHeight(follower, 'final', finalized) < profileOf(network).stallAlarmSeconds * 1_000)
    endChainAlarm(follower, 'finality-stalled');
  else await raiseChainAlarm(follower, 'finality-stalled', { finalized, latest });
}
