import { parseDecimal } from './amount.ts';
import { CENT_DECIMALS, MICRO_USD_PER_CENT } from './usd.ts';

/** Amounts of a balance that people enter, in whole cents. */

const LEAST_TOPUP = 5_000_000n;
const MOST_TOPUP = 10_000_000_000n;
const MOST_LOW_BALANCE = 1_000_000_000_000n;

function parseCents(text: string): bigint | undefined {
  const cents = parseDecimal(text, CENT_DECIMALS);
  return cents === undefined ? undefined : cents * MICRO_USD_PER_CENT;
}

/** Micro-USD of a top-up from 5.00 to 10000.00 USD; undefined for other texts. */
export function parseTopupAmount(text: string): bigint | undefined {
  const microUsd = parseCents(text);
  return microUsd !== undefined && microUsd >= LEAST_TOPUP && microUsd <= MOST_TOPUP ? microUsd : undefined;
}

/** Micro-USD of the balance below which members are notified, up to 1000000.00 USD; undefined for other texts. */
export function parseLowBalance(text: string): bigint | undefined {
  const microUsd = parseCents(text);
  return microUsd !== undefined && microUsd <= MOST_LOW_BALANCE ? microUsd : undefined;
}
