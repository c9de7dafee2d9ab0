import type { Clock } from '../lib/clock.ts';

/** When blocks were seen: a chain that catches up makes an hour of blocks in seconds. */

type PastHead = { height: number; atMs: number };

/** Heads as seen by this process, oldest first; valid for `rewinds`. Written only by this file. */
export type PastHeadsMemory = { pastHeads: { rewinds: bigint; seen: readonly PastHead[] } };

const LEAST_APART_MS = 1_000;
/** An hour at two heads per second: more than any age in a finality policy. */
const MAX_SEEN = 7_200;

export function noteHead(memory: PastHeadsMemory, rewinds: bigint, height: number, clock: Clock): void {
  const { pastHeads } = memory;
  const known = pastHeads.rewinds === rewinds ? pastHeads.seen : [];
  const [last, before] = [known.at(-1), known.at(-2)];
  if (last && last.height >= height) {
    memory.pastHeads = { rewinds, seen: known };
    return;
  }
  const atMs = clock.nowMs();
  // At most two heads per second: the newest replaces the one before, which only makes blocks younger.
  const kept = before && atMs - before.atMs < LEAST_APART_MS ? known.slice(0, -1) : known;
  memory.pastHeads = { rewinds, seen: [...kept, { height, atMs }].slice(-MAX_SEEN) };
}

/** The highest block seen at least `ageMs` ago, if known. */
export function heightSeenBefore({ pastHeads }: PastHeadsMemory, ageMs: number, clock: Clock): number | undefined {
  const beforeMs = clock.nowMs() - ageMs;
  return pastHeads.seen.findLast(({ atMs }) => atMs <= beforeMs)?.height;
}
