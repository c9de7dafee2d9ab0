import { randomBytes } from 'node:crypto';
import { base58 } from '@scure/base';
import type { Token } from '../networks/network.ts';
import { USD_DECIMALS } from '../ledger/fee.ts';
import { PRICE_DECIMALS } from '../prices/price.ts';

/**
 * What a customer pays for one selection. On a shared address the exact amount is what tells payers apart, so each open
 * quote has an amount of its own: the price rounded up, plus a salt in the last digits that costs next to nothing.
 */

export const SELECTION_CLOSES_SECONDS = 60;
/** A price is held for the invoice's remaining life: longer would be a free option for the payer. */
export const VOLATILE_MAX_LIFE_SECONDS = 3_600;
export const QUARANTINE_HOURS = 24;
/** A block may be stamped a little before the quote that it pays was made. */
export const WINDOW_SKEW_SECONDS = 120;

const CENT_UNITS = 10n ** BigInt(USD_DECIMALS - 2);
const SALT_SHARE = 1_000n;
const USUAL_SALTS = 9_999n;
const MOST_SALTS = 99_999n;

function least(left: bigint, right: bigint): bigint {
  return left < right ? left : right;
}

function pow10(exponent: number): bigint {
  return 10n ** BigInt(exponent);
}

/** Token units at display precision worth `usdUnits` (10^-8 USD) at `priceUnits` (10^-12 USD a token), as a fraction. */
function worth(usdUnits: bigint, priceUnits: bigint, token: Token): { numerator: bigint; denominator: bigint } {
  return {
    numerator: usdUnits * pow10(token.displayDecimals + PRICE_DECIMALS),
    denominator: priceUnits * pow10(USD_DECIMALS),
  };
}

export type AmountBand = {
  /** The least payable amount: the price, rounded up. */
  base: bigint;
  /** Salts that are tried first, and all that there are. */
  usualSalts: bigint;
  salts: bigint;
};

/** The amounts that a quote may take. The salt is worth at most one cent or a thousandth, whichever is more. */
export function amountBand(usdUnits: bigint, priceUnits: bigint, token: Token): AmountBand {
  const due = worth(usdUnits, priceUnits, token);
  const base = (due.numerator + due.denominator - 1n) / due.denominator;
  const thousandth = usdUnits / SALT_SHARE;
  const cap = worth(thousandth > CENT_UNITS ? thousandth : CENT_UNITS, priceUnits, token);
  const salts = cap.numerator / cap.denominator;
  return { base, usualSalts: least(salts, USUAL_SALTS), salts: least(salts, MOST_SALTS) };
}

const ROUND_UNITS = 1_000n;

/** A payer who rounds must pay nobody else's invoice: an amount has a digit other than zero among its last three. */
export const isRound = (units: bigint): boolean => units % ROUND_UNITS === 0n;

/** The round amounts of a band: a hundred at most, because a band is bounded. */
export function roundUnits({ base, salts }: AmountBand): bigint[] {
  const first = ((base + ROUND_UNITS - 1n) / ROUND_UNITS) * ROUND_UNITS;
  const found: bigint[] = [];
  for (let units = first; units <= base + salts; units += ROUND_UNITS) found.push(units);
  return found;
}

/** Base units on chain of an amount at display precision. */
export function chainUnits(shownUnits: bigint, token: Token): bigint {
  return shownUnits * pow10(token.decimals - token.displayDecimals);
}

/** An amount at display precision; undefined when it has digits below, which no quote can have. */
export function displayUnits(units: bigint, token: Token): bigint | undefined {
  const scale = pow10(token.decimals - token.displayDecimals);
  return units % scale === 0n ? units / scale : undefined;
}

const REFERENCE_BYTES = 32;

/** A key that stands for nothing but one quote. It has the form of an address, and nobody has its secret. */
export function createReference(): string {
  return base58.encode(randomBytes(REFERENCE_BYTES));
}
