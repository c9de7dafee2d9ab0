import type { Network } from '../networks/network.ts';
import { findToken } from '../networks/network.ts';
import { displayUnits } from '../quotes/quote.ts';

/** Transfers that are not attached to an invoice: the form in which they are matched, and why some match no amount. Pure. */

/** A transfer to be matched; `blockTime` is in whole seconds. */
export type UnmatchedTransfer = {
  id: bigint;
  token: string;
  to: string;
  blockTime: number;
  /** References that may name the quote. */
  references: string[] | null;
  /** Amount rounded down to the digits that quotes have. */
  displayUnits: bigint;
  /** Whether `displayUnits` is exactly the amount that was transferred. */
  exact: boolean;
};

/** An amount above this is cut off: no quote is near it, and it would not fit the database's integers. */
const MOST_UNITS = 10n ** 16n;

/** An amount of a token in the digits that quotes have. */
export function readUnits(
  network: Network,
  symbol: string,
  units: bigint,
): Pick<UnmatchedTransfer, 'displayUnits' | 'exact'> {
  const token = findToken(network, symbol);
  if (!token) throw new Error(`${symbol} on ${network.id} is not in our list.`);
  const rounded = units / 10n ** BigInt(token.decimals - token.displayDecimals);
  if (rounded > MOST_UNITS) return { displayUnits: MOST_UNITS, exact: false };
  return { displayUnits: rounded, exact: displayUnits(units, token) !== undefined };
}

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
