import { parseDecimal } from '../lib/amount.ts';
import { randomText, UPPER_ALPHANUMERIC } from '../lib/random.ts';

/** Top-ups: payments into the balance of a store, at the checkout of a store of the operator. */

const CODE_LENGTH = 16;
const CODE = /^TOP-[A-Z0-9]{16}$/;

/** The code of a top-up, which is also the request_id of its invoice: nobody can guess it beforehand. */
export function createTopupCode(): string {
  return `TOP-${randomText(UPPER_ALPHANUMERIC, CODE_LENGTH)}`;
}

/** Whether a text looks like the code of a top-up. Merchants choose a request_id as they like, so this proves nothing. */
export const isTopupCode = (text: string | null): boolean => text !== null && CODE.test(text);

const CENTS_DECIMALS = 2;
const MICRO_USD_PER_CENT = 10_000n;
const LEAST_MICRO_USD = 5_000_000n;
const MOST_MICRO_USD = 10_000_000_000n;

/** The amount of a top-up, from 5.00 to 10000.00 USD in whole cents; undefined for any other text. */
export function parseTopupAmount(text: string): bigint | undefined {
  const cents = parseDecimal(text, CENTS_DECIMALS);
  if (cents === undefined) return undefined;
  const microUsd = cents * MICRO_USD_PER_CENT;
  return microUsd >= LEAST_MICRO_USD && microUsd <= MOST_MICRO_USD ? microUsd : undefined;
}

/** Why a top-up was given up before it had an invoice. */
export type TopupFault = 'not-set-up' | 'no-payment-method' | 'request-id-taken' | 'too-late';

type TopupState = 'opening' | 'open' | 'ended' | 'credited' | 'failed';

type TopupFacts = { transId: string | null; expiresAt: Date | null; failedAt: Date | null; creditedAt: Date | null };

/**
 * What a top-up has come to. One that ended unpaid, or was given up, is credited all the same when its invoice is paid
 * afterwards.
 */
export function stateOfTopup({ transId, expiresAt, failedAt, creditedAt }: TopupFacts, now: Date): TopupState {
  if (creditedAt !== null) return 'credited';
  if (transId !== null && expiresAt !== null) return expiresAt > now ? 'open' : 'ended';
  return failedAt === null ? 'opening' : 'failed';
}
