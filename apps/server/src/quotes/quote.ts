import { randomBytes } from 'node:crypto';
import { base58 } from '@scure/base';
import type { Token } from '../networks/network.ts';
import { USD_DECIMALS } from '../ledger/fee.ts';
import { PRICE_DECIMALS } from '../prices/price.ts';

/**
 * A quote is what a payer pays for one selection of token and network. At a shared address only the exact amount tells
 * payers apart, so each open quote has an amount of its own: the price rounded up, plus a salt in the last digits that
 * costs next to nothing.
 */

export type QuoteRow = {
  id: bigint;
  network: string;
  token: string;
  toAddress: string;
  displayUnits: bigint;
  tokenAmount: string;
  tokenPriceUsd: string;
  finality: string;
  /** Reference that a payment may carry to name this quote; null on networks without references. */
  reference: string | null;
};

export const SELECTION_CLOSES_SECONDS = 60;
/**
 * Longest remaining time of an invoice that is quoted in a volatile token: a price held for longer would be a free
 * option for the payer.
 */
export const VOLATILE_MAX_LIFE_SECONDS = 3_600;
export const QUARANTINE_HOURS = 24;
/** How many seconds a payment's block time may lie before the creation of its quote. */
export const WINDOW_SKEW_SECONDS = 120;

const CENT_UNITS = 10n ** BigInt(USD_DECIMALS - 2);
const SALT_SHARE = 1_000n;
const USUAL_SALTS = 9_999n;
const MOST_SALTS = 99_999n;
/**
 * The number of amounts that a band should have. A band with fewer is widened, as long as its salt is worth no more
 * than MOST_WIDENED_CENTS.
 */
const WANTED_AMOUNTS = 1_000n;
const MOST_WIDENED_CENTS = 5n;

function least(left: bigint, right: bigint): bigint {
  return left < right ? left : right;
}

function pow10(exponent: number): bigint {
  return 10n ** BigInt(exponent);
}

/**
 * How many units of a token, at display precision, `usdUnits` (10^-8 USD) are worth at `priceUnits` (10^-12 USD a
 * token), as a fraction.
 */
function worth(usdUnits: bigint, priceUnits: bigint, token: Token): { numerator: bigint; denominator: bigint } {
  return {
    numerator: usdUnits * pow10(token.displayDecimals + PRICE_DECIMALS),
    denominator: priceUnits * pow10(USD_DECIMALS),
  };
}

export type AmountBand = {
  /** The least amount of the band: the price, rounded up. */
  base: bigint;
  /** The largest salt of amounts that are drawn at random first; `salts` is the largest salt of the whole band. */
  usualSalts: bigint;
  salts: bigint;
};

/**
 * The band of amounts that a quote may take. The salt is worth at most one cent or a thousandth of the price, whichever
 * is more; up to five cents where the band would have few amounts, because a coin is expensive or has few digits.
 */
export function amountBand(usdUnits: bigint, priceUnits: bigint, token: Token): AmountBand {
  const due = worth(usdUnits, priceUnits, token);
  const base = (due.numerator + due.denominator - 1n) / due.denominator;
  const thousandth = usdUnits / SALT_SHARE;
  const saltsWorth = (units: bigint) => {
    const { numerator, denominator } = worth(units, priceUnits, token);
    return numerator / denominator;
  };
  const narrow = saltsWorth(thousandth > CENT_UNITS ? thousandth : CENT_UNITS);
  const wanted = unitsAtPlace(placeOf(base) + WANTED_AMOUNTS - 1n) - base;
  const widened = least(wanted, saltsWorth(MOST_WIDENED_CENTS * CENT_UNITS));
  const salts = widened > narrow ? widened : narrow;
  return { base, usualSalts: least(salts, USUAL_SALTS), salts: least(salts, MOST_SALTS) };
}

/** Period after which the pattern of amounts that may be given out repeats. */
export const ROUND_UNITS = 1_000n;
/**
 * Of every four amounts the last one is never given out normally. It is for the time after a restore from a backup,
 * when quotes that were lost may own any other amount.
 */
export const RESIDUES = 4n;
export const KEPT_RESIDUE = 3n;

/**
 * Whether an amount may be given out. A payer who rounds must not pay another invoice, so an amount has a digit other
 * than zero among its last three; and it is not one that is kept for a restore.
 */
export const isGivenOut = (units: bigint): boolean => units % ROUND_UNITS !== 0n && units % RESIDUES !== KEPT_RESIDUE;

const GIVEN_OUT = Array.from({ length: Number(ROUND_UNITS) }, (_unused, units) => BigInt(units)).filter(isGivenOut);
/** How many amounts of every `ROUND_UNITS` are given out. */
export const GIVEN_PER_ROUND = BigInt(GIVEN_OUT.length);

/**
 * Position of an amount, counted from 0, among all amounts that may be given out, in ascending order. If `units` may
 * not be given out itself, the position of the next amount that may.
 */
function placeOf(units: bigint): bigint {
  const rest = units % ROUND_UNITS;
  const inRound = rest === 0n ? 0n : rest - 1n - rest / RESIDUES;
  return (units / ROUND_UNITS) * GIVEN_PER_ROUND + inRound;
}

/** The amount at a place in the sequence of all amounts that may be given out. */
export function unitsAtPlace(place: bigint): bigint {
  const inRound = GIVEN_OUT[Number(place % GIVEN_PER_ROUND)];
  if (inRound === undefined) throw new Error(`No amount stands at place ${place}.`);
  return (place / GIVEN_PER_ROUND) * ROUND_UNITS + inRound;
}

type Places = { first: bigint; /** The place right after the last place. */ end: bigint };

/** The places of those amounts from `base` to `base + salts` that may be given out. */
export function placesOf(base: bigint, salts: bigint): Places {
  return { first: placeOf(base), end: placeOf(base + salts + 1n) };
}

/** How many amounts of a band may be given out. */
export function countAmounts({ base, salts }: AmountBand): bigint {
  const { first, end } = placesOf(base, salts);
  return end - first;
}

/** Converts an amount at display precision to the token's base units on chain. */
export function chainUnits(shownUnits: bigint, token: Token): bigint {
  return shownUnits * pow10(token.decimals - token.displayDecimals);
}

/**
 * Converts base units to an amount at display precision; undefined when the amount has more digits than any quote has.
 */
export function displayUnits(units: bigint, token: Token): bigint | undefined {
  const scale = pow10(token.decimals - token.displayDecimals);
  return units % scale === 0n ? units / scale : undefined;
}

const REFERENCE_BYTES = 32;

/** Makes the reference of a quote: a key in the form of an address, for which nobody has the private key. */
export function createReference(): string {
  return base58.encode(randomBytes(REFERENCE_BYTES));
}
