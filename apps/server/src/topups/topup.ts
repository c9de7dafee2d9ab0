import { randomText, UPPER_ALPHANUMERIC } from '../lib/random.ts';
/** Top-ups: payments into a store's balance at the checkout of an operator's store. */

const CODE_LENGTH = 16;

/** The code of a top-up and request_id of its invoice: cannot be guessed. */
export function createTopupCode(): string {
  return `TOP-${randomText(UPPER_ALPHANUMERIC, CODE_LENGTH)}`;
}

/** Why a top-up failed before it had an invoice. */
export type TopupFault = 'not-set-up' | 'no-payment-method' | 'request-id-taken' | 'too-late';

type TopupState = 'opening' | 'open' | 'ended' | 'credited' | 'failed';

type TopupFacts = { transId: string | null; expiresAt: Date | null; failedAt: Date | null; creditedAt: Date | null };

/** The state of a top-up. One that expired or failed is still credited when its invoice is paid later. */
export function stateOfTopup({ transId, expiresAt, failedAt, creditedAt }: TopupFacts, now: Date): TopupState {
  if (creditedAt !== null) return 'credited';
  if (transId !== null && expiresAt !== null) return expiresAt > now ? 'open' : 'ended';
  return failedAt === null ? 'opening' : 'failed';
}
