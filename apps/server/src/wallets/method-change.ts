import { randomText, UPPER_ALPHANUMERIC } from '../lib/random.ts';

/**
 * Changes of where a store receives money. Adding a method to a live store waits and the owners are notified: a stolen
 * session must not be able to redirect money immediately.
 */

const CODE_LENGTH = 12;
/** Changes per merchant in 24 hours: each emails every owner. */
export const MAX_CHANGES_IN_A_DAY = 50;
/** How long the requester of a stopped change cannot unlock. */
export const REQUESTER_WAITS_HOURS = 24;

export function createMethodChangeCode(): string {
  return `MCH-${randomText(UPPER_ALPHANUMERIC, CODE_LENGTH)}`;
}

export type MethodKind = 'wallet' | 'exchange-account';

/** `pending` until it is decided, then permanently one of the others. */
export type MethodChangeState = 'pending' | 'applied' | 'cancelled' | 'locked' | 'removed' | 'failed';

/** What an exchange account has besides its id. */
export type ExchangeParts = {
  baseUrl: string;
  keyHint: string;
  boundToAddresses: boolean;
  isSubAccount: boolean;
  keyExpiresAt: Date | null;
};

/** Where a store receives: an address, or an exchange account. */
export type MethodPlace = { network: string; family: string; address: string };

type MethodChangeFacts = {
  kind: MethodKind;
  live: boolean;
  locked: boolean;
  /** An operator, an operator who orders it immediately, or a member. */
  asker: 'operator' | 'operator-now' | 'person' | 'person-without-factor';
  inUse: boolean;
  hadMethod: boolean;
  hasMembers: boolean;
  isWaiting: boolean;
  recent: number;
};

/** Why a change takes effect immediately. */
export type Immediacy = 'same-account' | 'test-store' | 'ordered' | 'first-method' | 'nobody-to-tell';

type MethodDecision =
  | { refuse: 'METHODS_LOCKED' | 'FACTOR_NEEDED' | 'WALLET_EXISTS' | 'METHOD_CHANGE_WAITS' | 'TOO_MANY_METHOD_CHANGES' }
  | { apply: Immediacy }
  | { wait: true };

/** Whether a payment method is refused, added immediately, or after the merchant's delay. */
export function decideMethodChange(facts: MethodChangeFacts): MethodDecision {
  if (facts.locked) return { refuse: 'METHODS_LOCKED' };
  if (facts.live && facts.asker === 'person-without-factor') return { refuse: 'FACTOR_NEEDED' };
  // Another key for the same account: the money goes where it did before.
  if (facts.inUse) return facts.kind === 'wallet' ? { refuse: 'WALLET_EXISTS' } : { apply: 'same-account' };
  if (!facts.live) return { apply: 'test-store' };
  if (facts.asker === 'operator-now') return { apply: 'ordered' };
  if (!facts.hadMethod) return { apply: 'first-method' };
  // There is no member to notify, and none who could stop it.
  if (!facts.hasMembers) return { apply: 'nobody-to-tell' };
  if (facts.isWaiting) return { refuse: 'METHOD_CHANGE_WAITS' };
  if (facts.recent >= MAX_CHANGES_IN_A_DAY) return { refuse: 'TOO_MANY_METHOD_CHANGES' };
  return { wait: true };
}

/** Why a due change cannot be applied. */
export type MethodFault =
  | 'merchant-inactive'
  | 'store-inactive'
  | 'requester-not-allowed'
  | 'address-of-another-merchant'
  | 'wallet-exists';

type DueFacts = {
  merchantActive: boolean;
  storeActive: boolean;
  /** Whether the requester would still be allowed to request it. */
  requesterAllowed: boolean;
};

/** The reason not to apply a due change, if any. */
export function findDueFault({ merchantActive, storeActive, requesterAllowed }: DueFacts): MethodFault | undefined {
  if (!merchantActive) return 'merchant-inactive';
  if (!storeActive) return 'store-inactive';
  return requesterAllowed ? undefined : 'requester-not-allowed';
}
