import { neverShallower, parseTier } from '../networks/finality.ts';
import type { Heads } from '../sources/chain-source.ts';
import { readAgedHeight } from './chain-sql.ts';
import type { Follower } from './follower.ts';
import { settledHeight } from './follower.ts';
import { heightSeenBefore } from './past-heads.ts';

/** The highest block that is old both by the times of blocks and by how long ago this process saw it. */
async function findAgedHeight(follower: Follower, { latest }: Heads, seconds: number): Promise<number | undefined> {
  const { database, source, memory, ageClock, clockRate } = follower;
  const seen = heightSeenBefore(memory, (seconds * 1_000) / clockRate, ageClock);
  if (seen === undefined) return undefined;
  const aged = await readAgedHeight(database.queries, source.network.id, latest.time - seconds);
  return aged && Math.min(aged, seen);
}

/**
 * Highest settled block by tier, according to a provider's heads. Tiers that these heads say nothing about are left
 * out.
 */
export async function settledHeights(follower: Follower, heads: Heads): Promise<Map<string, number>> {
  const { source, memory } = follower;
  const settled = new Map<string, number>();
  for (const tier of memory.tiers ?? []) {
    const rule = parseTier(tier);
    const aged = rule.kind === 'age' ? await findAgedHeight(follower, heads, rule.seconds) : undefined;
    const height = settledHeight(rule, heads, aged);
    if (height !== undefined) settled.set(tier, height);
  }
  return neverShallower(source.network.policy, settled);
}
