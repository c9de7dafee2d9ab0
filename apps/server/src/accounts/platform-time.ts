import type { StatementFollower } from './statement-follower.ts';

/** How long a platform's clock counts as measured. */
const MEASURED_FOR_MS = 60_000;

/** Reads a platform's clock, and remembers how far it is from ours. */
export async function measurePlatformTime(
  { clock, source, memory }: StatementFollower,
  baseUrl: string,
): Promise<number> {
  const platformMs = await source.readTime(baseUrl);
  const atMs = clock.nowMs();
  // Base addresses are those of stored accounts, from a list in the code: the map cannot grow.
  memory.offsets.set(baseUrl, { atMs, offsetMs: platformMs - atMs });
  return platformMs;
}

/** The platform's time, by a measurement of the last minute: polls of many accounts must not each ask for it. */
export async function platformTime(follower: StatementFollower, baseUrl: string): Promise<number> {
  const nowMs = follower.clock.nowMs();
  const last = follower.memory.offsets.get(baseUrl);
  if (last && Math.abs(nowMs - last.atMs) < MEASURED_FOR_MS) return nowMs + last.offsetMs;
  return measurePlatformTime(follower, baseUrl);
}
