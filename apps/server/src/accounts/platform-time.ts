import type { StatementFollower } from './statement-follower.ts';

/** How long a platform's clock counts as measured. */
const MEASURED_FOR_MS = 60_000;

/** The platform's time: as it is by our clock, and as the platform itself last said. */
type PlatformTime = {
  /** By our clock since the last measurement: wrong when our clock jumps. Decides only what is read. */
  nowMs: number;
  /** The platform's own word, and never ahead of its clock. Decides what is covered, and what is gone. */
  measuredMs: number;
};

/** Reads a platform's clock, and remembers how far it is from ours. */
export async function measurePlatformTime(
  { clock, source, memory }: StatementFollower,
  baseUrl: string,
): Promise<number> {
  const measuredMs = await source.readTime(baseUrl);
  // Base addresses are those of stored accounts, from a list in the code: the map cannot grow.
  memory.measured.set(baseUrl, { atMs: clock.nowMs(), measuredMs });
  return measuredMs;
}

/** The platform's time, by a measurement of the last minute: polls of many accounts must not each ask for it. */
export async function platformTime(follower: StatementFollower, baseUrl: string): Promise<PlatformTime> {
  const nowMs = follower.clock.nowMs();
  const last = follower.memory.measured.get(baseUrl);
  const ageMs = last ? nowMs - last.atMs : MEASURED_FOR_MS;
  if (last && ageMs >= 0 && ageMs < MEASURED_FOR_MS)
    return { nowMs: last.measuredMs + ageMs, measuredMs: last.measuredMs };
  const measuredMs = await measurePlatformTime(follower, baseUrl);
  return { nowMs: measuredMs, measuredMs };
}
