/** When a payment counts as settled. Rules follow a chain's own word (tags) where it has one, not block counts. */

export type FinalityRule =
  | { kind: 'confirmations'; count: number }
  | { kind: 'age'; seconds: number }
  | { kind: 'safe' }
  | { kind: 'finalized' };

/** A rule by its name, as quotes and coverage store it. */
export type Tier = `conf:${number}` | `age:${number}` | 'safe' | 'finalized';

/** The rule for amounts below `belowUsd`; the last tier of a policy has no bound. */
export type FinalityTier = { belowUsd: number | null; tier: Tier };

export function parseTier(tier: string): FinalityRule {
  if (tier === 'safe' || tier === 'finalized') return { kind: tier };
  const [kind, number] = tier.split(':');
  const value = Number(number);
  if (!Number.isInteger(value) || value < 1) throw new Error(`${tier} is not a finality tier.`);
  if (kind === 'conf') return { kind: 'confirmations', count: value };
  if (kind === 'age') return { kind: 'age', seconds: value };
  throw new Error(`${tier} is not a finality tier.`);
}

/** The tier that settles an amount, given in units of 10^-8 USD. */
export function tierFor(policy: readonly FinalityTier[], amountUnits: bigint): Tier {
  const usdUnits = 100_000_000n;
  const found = policy.find(({ belowUsd }) => belowUsd === null || amountUnits < BigInt(belowUsd) * usdUnits);
  if (!found) throw new Error('A finality policy must end with a tier for every amount.');
  return found.tier;
}

/**
 * Heights that rules call settled, by tier, so that a larger sum never settles shallower than a smaller one: what a tag
 * means changes, and is the node's word alone. A tier that is no longer in the policy is held to its shallowest rule.
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

/** The tiers of a policy, shallow first. */
export function tiersOf(policy: readonly FinalityTier[]): Tier[] {
  return policy.map(({ tier }) => tier);
}
