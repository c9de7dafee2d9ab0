/** Why a transfer to a watched address matches no amount, judged by the open quotes around it. Pure rules. */

/** An open quote of the same address and token. */
export type Neighbour = { quoteId: bigint; displayUnits: bigint };

export type UnmatchedExplanation = {
  reason: 'short' | 'over' | 'wrong_token' | 'unknown';
  /** Quote that the transfer was probably meant for; null where none or several are near. */
  quoteId: bigint | null;
};

export type UnmatchedFacts = {
  displayUnits: bigint;
  /** The next amounts above, the nearest first; two at most. */
  above: readonly Neighbour[];
  /** The next amounts below, the nearest first; two at most. */
  below: readonly Neighbour[];
  /** Whether a quote for any token was open at the address. */
  addressWasOpen: boolean;
};

/** A transfer this near to an amount, in percent of it, was meant for it. */
const NEAR_PERCENT = 10n;

const distance = (left: bigint, right: bigint) => (left > right ? left - right : right - left);

/**
 * Why a transfer matches nothing: it is short of the next amount above or over the next one below, whichever is nearer.
 */
function reasonOf({ displayUnits, above: [above], below: [below], addressWasOpen }: UnmatchedFacts) {
  if (above && (!below || above.displayUnits - displayUnits <= displayUnits - below.displayUnits)) return 'short';
  if (below) return 'over';
  return addressWasOpen ? 'wrong_token' : 'unknown';
}

export function explainUnmatched(facts: UnmatchedFacts): UnmatchedExplanation {
  const near = [...facts.above, ...facts.below].filter(
    (quote) => distance(quote.displayUnits, facts.displayUnits) * 100n <= quote.displayUnits * NEAR_PERCENT,
  );
  const [only] = near;
  return { reason: reasonOf(facts), quoteId: near.length === 1 && only ? only.quoteId : null };
}
