import { isSandboxId } from '../networks/network-id.ts';
import { profileOf } from '../networks/profile.ts';
import type { StandingHead } from '../sources/chain-source.ts';
import type { AlarmRaiser } from './raise-chain-alarm.ts';
import { endChainAlarm, raiseChainAlarm } from './raise-chain-alarm.ts';

/** Raises alarms about heads that stand still and about blocks that do not become final, for chains and accounts. */

/** Time without a new block after which an alarm is raised; with the pause between reads it stays below two minutes. */
const STALLED_MS = 100_000;

type Highest = { height: number; sinceMs: number };

/** Written by this file alone. */
export type HeadMemory = {
  /** The highest block and the highest final block, and since when each is the highest. */
  readonly highest: { head: Highest | undefined; final: Highest | undefined };
  /** Providers whose heads stand still, as far as an alarm was raised. */
  readonly standing: Set<string>;
};

type HeadWatcher = AlarmRaiser & {
  readonly source: { network: { id: string }; standing?: () => readonly StandingHead[] };
  readonly memory: HeadMemory;
};

type Heights = { latest: number; finalized: number };

/** Notes a height; returns for how long no higher one was shown. */
function noteHeight({ clock, memory: { highest } }: HeadWatcher, which: 'head' | 'final', height: number): number {
  const known = highest[which];
  if (!known || height > known.height) highest[which] = { height, sinceMs: clock.nowMs() };
  return clock.nowMs() - (highest[which]?.sinceMs ?? 0);
}

/** Raises an alarm for each provider that answers while its head stands still; its readers ask another provider. */
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
