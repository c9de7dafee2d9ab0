import type { Tier } from '../../src/networks/finality.ts';
import { parseTier, tierFor } from '../../src/networks/finality.ts';
import type { Network } from '../../src/networks/network.ts';
import type { NetworkProfile } from '../../src/networks/profile.ts';
import type { TrueChain } from './truth.ts';
import { secondsAt } from './truth.ts';

/**
 * When a payment is settled, by the network's policy and its profile's tags. A larger sum never settles earlier than a
 * smaller one.
 */

export type Ruled = { network: Network; profile: NetworkProfile };

/** Which block to take where a tag may name any block of a span: the lowest or the highest. */
export type Bound = 'least' | 'most';

const USD_UNITS = 100_000_000n;
/**
 * How many blocks usually wait for execution, on networks that accept blocks before they execute them: tags count from
 * the newest executed block.
 */
const QUEUE_BLOCKS = 2;

const queueOf = ({ unexecutedSeconds }: NetworkProfile) => (unexecutedSeconds > 0 ? QUEUE_BLOCKS : 0);

/** Tiers for all sums up to a given sum. */
function tiersUpTo({ policy }: Network, amountUsd: number): Tier[] {
  const own = tierFor(policy, BigInt(Math.ceil(amountUsd)) * USD_UNITS);
  const tiers = policy.map(({ tier }) => tier);
  return tiers.slice(0, tiers.indexOf(own) + 1);
}

function agedHeight(chain: TrueChain, seconds: number): number {
  const youngest = secondsAt(chain, chain.head) - seconds;
  let height = chain.head;
  while (height > 0 && secondsAt(chain, height) > youngest) height -= 1;
  return height;
}

function settledBy({ profile }: Ruled, chain: TrueChain, tier: Tier, bound: Bound): number {
  const rule = parseTier(tier);
  const newest = chain.head - queueOf(profile);
  switch (rule.kind) {
    case 'confirmations':
      return newest - (rule.count - 1);
    case 'age':
      return agedHeight(chain, rule.seconds);
    case 'safe': {
      const { safe, blockSeconds } = profile;
      if (safe === null || 'refusal' in safe) throw new Error(`A network without the tag has a rule by it.`);
      return newest - Math.ceil(safe.lagSeconds / blockSeconds);
    }
    case 'finalized':
      return newest - profile.finalizedLagBlocks[bound];
    case 'credited':
      throw new Error('No chain has a rule by the word of a platform.');
  }
}

/** Highest block whose payments of a given sum are settled. */
export function settledHeight(ruled: Ruled, chain: TrueChain, amountUsd: number, bound: Bound): number {
  return Math.min(...tiersUpTo(ruled.network, amountUsd).map((tier) => settledBy(ruled, chain, tier, bound)));
}

function depthOf({ profile }: Ruled, tier: Tier): number {
  const rule = parseTier(tier);
  const { blockSeconds, finalizedLagBlocks, safe } = profile;
  switch (rule.kind) {
    case 'confirmations':
      return rule.count - 1;
    case 'age':
      return Math.floor(rule.seconds / blockSeconds) - 1;
    case 'safe':
      return safe && 'lagSeconds' in safe ? Math.ceil(safe.lagSeconds / blockSeconds) : 0;
    case 'finalized':
      return finalizedLagBlocks.least;
    case 'credited':
      return 0;
  }
}

/** Greatest depth of a reorg that does not undo payments settled by the tier for the smallest sums. */
export function maxReorgDepth(ruled: Ruled): number {
  const [smallest] = ruled.network.policy;
  // Networks where an accepted block is final have no reorgs.
  if (!smallest || ruled.profile.unexecutedSeconds > 0 || ruled.network.family === 'solana') return 0;
  return depthOf(ruled, smallest.tier);
}

/** Blocks after which a payment is settled by the tier for its sum and by the tiers for smaller sums. */
function deepestBlocks(ruled: Ruled, amountUsd: number): number {
  const { profile, network } = ruled;
  const depths = tiersUpTo(network, amountUsd).map((tier) =>
    tier === 'finalized' ? profile.finalizedLagBlocks.most : depthOf(ruled, tier) + 1,
  );
  return Math.max(...depths) + queueOf(profile);
}

/** A small, a middle and a large sum, one for each tier of a policy. */
export const SUMS_USD = [20, 1_500, 12_000] as const;

/** Largest of the drill's sums that a network settles within the given seconds. */
export function largestSum(ruled: Ruled, mostSeconds: number): number {
  const { blockSeconds } = ruled.profile;
  const quick = SUMS_USD.filter((sum) => deepestBlocks(ruled, sum) * blockSeconds <= mostSeconds);
  return quick.at(-1) ?? SUMS_USD[0];
}

/**
 * Number of blocks after which every payment of the drill is settled, where the drill pays no sum that takes longer
 * than `mostSeconds` to settle.
 */
export function settlingBlocks(ruled: Ruled, mostSeconds: number): number {
  return deepestBlocks(ruled, largestSum(ruled, mostSeconds));
}

/**
 * Time in milliseconds of the block that settled a small payment, by making the payment deep enough, old enough or
 * final. Undefined while there is no such block.
 */
export function settledAtMs(ruled: Ruled, chain: TrueChain, height: number): number | undefined {
  const { network, profile } = ruled;
  const rule = parseTier(tierFor(network.policy, BigInt(SUMS_USD[0]) * USD_UNITS));
  const queue = queueOf(profile);
  const { least, most } = profile.finalizedLagBlocks;
  const isSettled = (newest: number): boolean => {
    const latest = newest - queue;
    if (rule.kind === 'confirmations') return latest - (rule.count - 1) >= height;
    if (rule.kind === 'age') return secondsAt(chain, newest) - rule.seconds >= secondsAt(chain, height);
    const lag = profile.finalizedMonotonic ? least + (latest % (most - least + 1)) : most;
    return latest - lag >= height;
  };
  for (let newest = height; newest <= chain.head; newest += 1) if (isSettled(newest)) return chain.timeMsAt(newest);
  return undefined;
}
