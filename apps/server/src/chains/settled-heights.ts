import { neverShallower, parseTier } from '../networks/finality.ts';
import type { Heads } from '../sources/chain-source.ts';
import { readAgedHeight } from './chain-sql.ts';
import type { Follower } from './follower.ts';
import { settledHeight } from './follower.ts';

/**
 * Highest settled block by tier, according to a provider's heads. Tiers that these heads say nothing about are left
 * out.
 */
export async function settledHeights(
  { database, source, memory: { tiers = [] } }: Follower,
  heads: Heads,
): Promise<Map<string, number>> {
  const network = source.network.id;
  const settled = new Map<string, number>();
  for (const tier of tiers) {
    const rule = parseTier(tier);
    const aged =
      rule.kind === 'age'
        ? await readAgedHeight(database.queries, network, heads.latest.time - rule.seconds)
        : undefined;
    const height = settledHeight(rule, heads, aged);
    if (height !== undefined) settled.set(tier, height);
  }
  return neverShallower(source.network.policy, settled);
}
