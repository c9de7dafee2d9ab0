/** When a payment settles: by the chain's own tags (`safe`, `finalized`) where it has them. */

export type FinalityRule =
  | { kind: 'confirmations'; count: number }
  | { kind: 'age'; seconds: number }
  | { kind: 'safe' }
  | { kind: 'finalized' }
  /** A row of an exchange account settles when the platform says so. */
  | { kind: 'credited' };

/** A tier: the name of a finality rule, as stored. */
export type Tier = `conf:${number}` | `age:${number}` | 'safe' | 'finalized' | 'credited';

/** The tier below `belowUsd`; the last one has no bound. */
export type FinalityTier = { belowUsd: number | null; tier: Tier };

export function parseTier(tier: string): FinalityRule {
  if (tier === 'safe' || tier === 'finalized' || tier === 'credited') return { kind: tier };
  const [kind, number] = tier.split(':');
  const value = Number(number);
  if (!Number.isInteger(value) || value < 1) throw new Error(`${tier} is not a finality tier.`);
  if (kind === 'conf') return { kind: 'confirmations', count: value };
  if (kind === 'age') return { kind: 'age', seconds: value };
  throw new Error(`${tier} is not a finality tier.`);
}

/** The tier that settles an amount in units of 10^-8 USD. */
export function tierFor(policy: readonly FinalityTier[], amountUnits: bigint): Tier {
  const usdUnits = 100_000_000n;
  const found = policy.find(({ belowUsd }) => belowUsd === null || amountUnits < BigInt(belowUsd) * usdUnits);
  if (!found) throw new Error('A finality policy must end with a tier for every amount.');
  return found.tier;
}

/**
 * Bounds settled heights, so that a larger sum never settles at less depth than a smaller one, regardless of what tags
 * mean at a node. Tiers that left the policy are bounded by its first.
 */
export function neverShallower(
  policy: readonly FinalityTier[],
  settled: ReadonlyMap<string, number>,
): Map<string, number> {
  const bounded = new Map<string, number>();
  let lowest: number | undefined = Number.POSITIVE_INFINITY;
  for (const { tier } of policy) {
    const own = settled.get(tier);
    lowest = own === undefined || lowest === undefined ? undefined : Math.min(lowest, own);
    if (lowest !== undefined) bounded.set(tier, lowest);
  }
  const shallowest = policy[0] && settled.get(policy[0].tier);
  for (const [tier, own] of settled) {
    const listed = policy.some((one) => one.tier === tier);
    if (!listed && shallowest !== undefined) bounded.set(tier, Math.min(own, shallowest));
  }
  return bounded;
}

/** Tiers of a policy, smallest amounts first. */
export function tiersOf(policy: readonly FinalityTier[]): Tier[] {
  return policy.map(({ tier }) => tier);
}
