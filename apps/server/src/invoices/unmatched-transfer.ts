import type { QuotedUnits } from '../quotes/read-units.ts';

/** Transfers without an invoice: how they are matched, and why some match no amount. */

/** `blockTime` is in whole seconds. */
export type UnmatchedTransfer = {
  id: bigint;
  token: string;
  to: string;
  blockTime: number;
  /** References in the payment, one of which may identify its quote. */
  references: string[] | null;
} & QuotedUnits;

export type Neighbour = { quoteId: bigint; displayUnits: bigint };

export type UnmatchedExplanation = {
  reason: 'short' | 'over' | 'wrong_token' | 'unknown';
  /** The only quote nearby; otherwise null. */
  quoteId: bigint | null;
  /** Whether several quotes are nearby, each of which the transfer may have been meant for. */
  isAmbiguous: boolean;
};

export type UnmatchedFacts = {
  displayUnits: bigint;
  above: readonly Neighbour[];
  below: readonly Neighbour[];
  /** Whether a quote for any token was open at the address. */
  addressWasOpen: boolean;
};

/** How near, in percent of a quoted amount, a transfer counts as meant for it. */
export const NEAR_PERCENT = 10n;

const distance = (left: bigint, right: bigint) => (left > right ? left - right : right - left);

/** Short of the next amount above, or over the next below, whichever is nearer. */
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
  return {
    reason: reasonOf(facts),
    quoteId: near.length === 1 && only ? only.quoteId : null,
    isAmbiguous: near.length > 1,
  };
}
