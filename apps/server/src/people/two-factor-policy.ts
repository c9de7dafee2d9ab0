/** The requirement of two-factor authentication that owners can set for their team. Pure. */

type PolicyDecision = 'unchanged' | 'set-up-first' | 'switch-on' | 'switch-off';

type PolicyRequest = {
  /** Whether the merchant requires it now. */
  present: boolean;
  wanted: boolean;
  /** Whether the owner who asks has a two-factor method. */
  ownFactor: boolean;
};

/** Decides about a change of the requirement. An owner without a two-factor method would lose access with the others. */
export function decidePolicy({ present, wanted, ownFactor }: PolicyRequest): PolicyDecision {
  if (wanted === present) return 'unchanged';
  if (!wanted) return 'switch-off';
  return ownFactor ? 'switch-on' : 'set-up-first';
}
