import type { QuotedUnits } from '../quotes/read-units.ts';

/** Transfers that are not attached to an invoice: the form in which they are matched, and why some match no amount. Pure. */

/** A transfer to be matched; `blockTime` is in whole seconds. */
export type UnmatchedTransfer = {
  id: bigint;
  token: string;
  to: string;
  blockTime: number;
  /** References of the payment, one of which may name its quote. */
  references: string[] | null;
} & QuotedUnits;

/** An open quote of the same address and token. */
export type Neighbour = { quoteId: bigint; displayUnits: bigint };

export type UnmatchedExplanation = {
  reason: 'short' | 'over' | 'wrong_token' | 'unknown';
  /** The quote that the transfer was probably meant for; null where no quote or several quotes are near. */
  quoteId: bigint | null;
};

export type UnmatchedFacts = {
  displayUnits: bigint;
  /** The next quoted amounts above the transfer's, the nearest first; two at most. */
  above: readonly Neighbour[];
  /** The next quoted amounts below the transfer's, the nearest first; two at most. */
  below: readonly Neighbour[];
  /** Whether a quote for any token was open at the address. */
  addressWasOpen: boolean;
};

/** How near to a quoted amount, in percent of that amount, a transfer counts as meant for its quote. */
const NEAR_PERCENT = 10n;

const distance = (left: bigint, right: bigint) => (left > right ? left - right : right - left);

/**
 * Why a transfer matches no quote: it is short of the next amount above or over the next amount below, whichever is
 * nearer.
 */
function reasonOf({ displayUnits: units, above: [above], below: [below], addressWasOpen }: UnmatchedFacts) {
  if (above && (!below || above.displayUnits - units <= units - below.displayUnits)) return 'short';
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
