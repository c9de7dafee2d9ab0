import { randomBytes } from 'node:crypto';
import { USD_DECIMALS, USD_UNITS_PER_CENT } from '@counterfoil/core/usd.ts';
import { base58 } from '@scure/base';
import type { Token } from '../networks/network.ts';
import { PRICE_DECIMALS } from '../prices/price.ts';

/**
 * A quote is what a payer pays for one selection of token and network. At a shared address only the exact amount
 * distinguishes payers, so each open quote has a unique one: the price rounded up, plus a salt in the last digits that
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
  /** Reference that identifies the quote in a payment; null on networks without references. */
  reference: string | null;
};

export const SELECTION_CLOSES_SECONDS = 60;
/** Longest remaining time for a quote in a volatile token: longer would be a free option for the payer. */
export const VOLATILE_MAX_LIFE_SECONDS = 3_600;
export const QUARANTINE_HOURS = 24;
/** How far a payment's block time may precede its quote. */
export const WINDOW_SKEW_SECONDS = 120;

const SALT_SHARE = 1_000n;
const USUAL_SALTS = 9_999n;
const MOST_SALTS = 99_999n;
const WANTED_AMOUNTS = 1_000n;
const MOST_WIDENED_CENTS = 5n;

function least(left: bigint, right: bigint): bigint {
  return left < right ? left : right;
}

function pow10(exponent: number): bigint {
  return 10n ** BigInt(exponent);
}

/** Units of a token, at display precision, for `usdUnits` (10^-8) at `priceUnits` (10^-12), as a fraction. */
function worth(usdUnits: bigint, priceUnits: bigint, token: Token): { numerator: bigint; denominator: bigint } {
  return {
    numerator: usdUnits * pow10(token.displayDecimals + PRICE_DECIMALS),
    denominator: priceUnits * pow10(USD_DECIMALS),
  };
}

export type AmountBand = {
  /** Lowest amount of the band: the price, rounded up. */
  base: bigint;
  /** Largest salt of the first random amounts; `salts` is that of the whole band. */
  usualSalts: bigint;
  salts: bigint;
};

/**
 * The band of possible amounts. The salt is worth at most one cent or a thousandth of the price, whichever is more; up
 * to five cents for expensive coins or coins with few digits.
 */
export function amountBand(
  usdUnits: bigint,
  priceUnits: bigint,
  token: Token,
  share: AmountShare = 'usual',
): AmountBand {
  const due = worth(usdUnits, priceUnits, token);
  const base = (due.numerator + due.denominator - 1n) / due.denominator;
  const thousandth = usdUnits / SALT_SHARE;
  const saltsWorth = (units: bigint) => {
    const { numerator, denominator } = worth(units, priceUnits, token);
    return numerator / denominator;
  };
  const narrow = saltsWorth(thousandth > USD_UNITS_PER_CENT ? thousandth : USD_UNITS_PER_CENT);
  const wanted = unitsAtPlace(placeOf(base, share) + WANTED_AMOUNTS - 1n, share) - base;
  const widened = least(wanted, saltsWorth(MOST_WIDENED_CENTS * USD_UNITS_PER_CENT));
  const salts = widened > narrow ? widened : narrow;
  return { base, usualSalts: least(salts, USUAL_SALTS), salts: least(salts, MOST_SALTS) };
}

/** Period of the pattern of permitted amounts. */
export const ROUND_UNITS = 1_000n;
/** Every fourth amount is reserved for the time after a restore, when lost quotes may own any other amount. */
export const RESIDUES = 4n;
export const KEPT_RESIDUE = 3n;

/**
 * Whether an amount is permitted: not reserved for a restore, and with a non-zero digit among its last three, so that a
 * payer who rounds does not pay another invoice.
 */
export const isGivenOut = (units: bigint): boolean => units % ROUND_UNITS !== 0n && units % RESIDUES !== KEPT_RESIDUE;

const GIVEN_OUT = Array.from({ length: Number(ROUND_UNITS) }, (_unused, units) => BigInt(units)).filter(isGivenOut);
export const GIVEN_PER_ROUND = BigInt(GIVEN_OUT.length);

/** `reserved`: only the amounts that lost quotes cannot own, after a restore. */
export type AmountShare = 'usual' | 'reserved';

/** Position of an amount, from 0, among the amounts of a share; of the next one if it has another share. */
function placeOf(units: bigint, share: AmountShare): bigint {
  if (share === 'reserved') return units / RESIDUES;
  const rest = units % ROUND_UNITS;
  const inRound = rest === 0n ? 0n : rest - 1n - rest / RESIDUES;
  return (units / ROUND_UNITS) * GIVEN_PER_ROUND + inRound;
}

/** The amount of a share at a place. */
export function unitsAtPlace(place: bigint, share: AmountShare): bigint {
  if (share === 'reserved') return place * RESIDUES + KEPT_RESIDUE;
  const inRound = GIVEN_OUT[Number(place % GIVEN_PER_ROUND)];
  if (inRound === undefined) throw new Error(`No amount stands at place ${place}.`);
  return (place / GIVEN_PER_ROUND) * ROUND_UNITS + inRound;
}

type Places = { first: bigint; /** The place right after the last place. */ end: bigint };

/** The places of a share's amounts from `base` to `base + salts`. */
export function placesOf(base: bigint, salts: bigint, share: AmountShare): Places {
  return { first: placeOf(base, share), end: placeOf(base + salts + 1n, share) };
}

export function countAmounts({ base, salts }: AmountBand, share: AmountShare): bigint {
  const { first, end } = placesOf(base, salts, share);
  return end - first;
}

/** Display precision to base units. */
export function chainUnits(shownUnits: bigint, token: Token): bigint {
  return shownUnits * pow10(token.decimals - token.displayDecimals);
}

/** Base units to display precision; undefined when the amount has more digits than any quote. */
export function displayUnits(units: bigint, token: Token): bigint | undefined {
  const scale = pow10(token.decimals - token.displayDecimals);
  return units % scale === 0n ? units / scale : undefined;
}

const REFERENCE_BYTES = 32;

/** A reference: a key in the form of an address, without a known private key. */
export function createReference(): string {
  return base58.encode(randomBytes(REFERENCE_BYTES));
}
