import { askOthers } from './ask-others.ts';
import type { ChainState } from './chain-sql.ts';
import type { Follower } from './follower.ts';
import { settledHeights } from './settled-heights.ts';

/** By tier, what the providers but one last called settled, while no block was undone since. */
export type OthersDepth = { by: string; rewinds: bigint; settled: ReadonlyMap<string, number> };

/**
 * How much of what one provider calls settled by a tier another one calls so, too: what a tag means differs between them,
 * and one may be wrong. Others that have long been silent are done without, as everywhere.
 */
export async function agreeOnDepth(
  follower: Follower,
  { rewinds }: ChainState,
  tier: string,
  height: number,
): Promise<number> {
  const { source, heads, othersDepth: known } = follower;
  if (source.providers.length < 2 || !heads) return height;
  const isKnown = known?.by === heads.by && known.rewinds === rewinds;
  if (isKnown && (known.settled.get(tier) ?? 0) >= height) return height;
  const safe = follower.tiers?.includes('safe') === true;
  const others = await askOthers(follower, heads.by, (pass) => source.heads(pass, { safe }));
  if (!others.answered) return height;
  const settled = await settledHeights(follower, others.answer);
  follower.othersDepth = { by: heads.by, rewinds, settled };
  // Whoever does not know a tag cannot contradict it.
  return Math.min(height, settled.get(tier) ?? height);
}
