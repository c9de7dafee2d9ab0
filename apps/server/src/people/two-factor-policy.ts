/** The two-factor requirement that owners can set for their team. */

type PolicyDecision = 'unchanged' | 'set-up-first' | 'switch-on' | 'switch-off';

type PolicyRequest = {
  present: boolean;
  wanted: boolean;
  /** Whether the requesting owner has a two-factor method. */
  ownFactor: boolean;
};

/** An owner without a two-factor method would lose access too. */
export function decidePolicy({ present, wanted, ownFactor }: PolicyRequest): PolicyDecision {
  if (wanted === present) return 'unchanged';
  if (!wanted) return 'switch-off';
  return ownFactor ? 'switch-on' : 'set-up-first';
}
