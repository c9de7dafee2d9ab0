import { askOthers } from './ask-others.ts';
import type { ChainState } from './chain-sql.ts';
import type { Follower } from './follower.ts';
import { settledHeights } from './settled-heights.ts';

/** Heights by tier that providers other than `by` called settled; valid until the next rewind. */
export type OthersDepth = { by: string; rewinds: bigint; settled: ReadonlyMap<string, number> };

/**
 * The height, at most `height`, up to which another provider calls a tier settled: tags differ between providers, and
 * one may be wrong. If all others have been silent for a minute, one provider is enough.
 */
export async function agreeOnDepth(
  follower: Follower,
  { rewinds }: ChainState,
  tier: string,
  height: number,
): Promise<number> {
  const { source, memory } = follower;
  const { heads, othersDepth: known } = memory;
  if (source.providers.length < 2 || !heads) return height;
  const isKnown = known?.by === heads.by && known.rewinds === rewinds;
  if (isKnown && (known.settled.get(tier) ?? 0) >= height) return height;
  const safe = memory.tiers?.includes('safe') === true;
  const others = await askOthers(follower, heads.by, (pass) => source.heads(pass, { safe }));
  if (!others.answered) return height;
  const settled = await settledHeights(follower, others.answer);
  memory.othersDepth = { by: heads.by, rewinds, settled };
  // A provider without the tag cannot contradict.
  return Math.min(height, settled.get(tier) ?? height);
}
