import { randomText, UPPER_ALPHANUMERIC } from '../lib/random.ts';

/**
 * Changes of where a store receives money. Pure. Adding a payment method to a live store waits, the owners are told, and
 * each of them can stop it: whoever has taken over a session must not be able to send money elsewhere at once.
 */

const CODE_LENGTH = 12;
export const HOUR_MS = 3_600_000;
/** How many changes the members of a merchant may ask for in 24 hours: each is a mail to every owner. */
export const MAX_CHANGES_IN_A_DAY = 50;
/** How long after a lock whoever asked for a change that it stopped cannot unlock. */
export const REQUESTER_WAITS_HOURS = 24;

export function createMethodChangeCode(): string {
  return `MCH-${randomText(UPPER_ALPHANUMERIC, CODE_LENGTH)}`;
}

export type MethodKind = 'wallet' | 'exchange-account';

/** State of a change: `pending` until it is decided, then one of the others for ever. */
export type MethodChangeState = 'pending' | 'applied' | 'cancelled' | 'locked' | 'removed' | 'failed';

/** What an exchange account needs besides its id. */
export type ExchangeParts = {
  baseUrl: string;
  keyHint: string;
  boundToAddresses: boolean;
  isSubAccount: boolean;
  keyExpiresAt: Date | null;
};

/** Where a store is to receive: an address on a network, or an exchange account. */
export type MethodPlace = { network: string; family: string; address: string };

type MethodChangeFacts = {
  kind: MethodKind;
  /** Whether the store is live; a test store is never paid with real money. */
  live: boolean;
  /** Whether the merchant's payment methods are locked. */
  locked: boolean;
  /** Who asks: an operator, an operator who orders it at once, or a person of the merchant. */
  asker: 'operator' | 'operator-now' | 'person' | 'person-without-factor';
  /** Whether the store receives there already. */
  inUse: boolean;
  /** Whether the store has or had any payment method. */
  hadMethod: boolean;
  /** Whether the merchant has members. */
  hasMembers: boolean;
  /** Whether another change of the store on this network is waiting. */
  isWaiting: boolean;
  /** How many changes were asked for in the last 24 hours. */
  recent: number;
};

/** Why a change takes effect at once. */
export type Immediacy = 'same-account' | 'test-store' | 'ordered' | 'first-method' | 'nobody-to-tell';

type MethodDecision =
  | { refuse: 'METHODS_LOCKED' | 'FACTOR_NEEDED' | 'WALLET_EXISTS' | 'METHOD_CHANGE_WAITS' | 'TOO_MANY_METHOD_CHANGES' }
  | { apply: Immediacy }
  | { wait: true };

/** Decides whether a payment method is refused, added at once, or added after the merchant's delay. */
export function decideMethodChange(facts: MethodChangeFacts): MethodDecision {
  if (facts.locked) return { refuse: 'METHODS_LOCKED' };
  if (facts.live && facts.asker === 'person-without-factor') return { refuse: 'FACTOR_NEEDED' };
  // Another key for the same account of the platform: the money lands where it did.
  if (facts.inUse) return facts.kind === 'wallet' ? { refuse: 'WALLET_EXISTS' } : { apply: 'same-account' };
  if (!facts.live) return { apply: 'test-store' };
  if (facts.asker === 'operator-now') return { apply: 'ordered' };
  if (!facts.hadMethod) return { apply: 'first-method' };
  // Nobody could be told of the change, and nobody could stop it.
  if (!facts.hasMembers) return { apply: 'nobody-to-tell' };
  if (facts.isWaiting) return { refuse: 'METHOD_CHANGE_WAITS' };
  if (facts.recent >= MAX_CHANGES_IN_A_DAY) return { refuse: 'TOO_MANY_METHOD_CHANGES' };
  return { wait: true };
}

/** Why a change cannot be applied when its time has come. */
export type MethodFault =
  | 'merchant-inactive'
  | 'store-inactive'
  | 'requester-not-allowed'
  | 'address-of-another-merchant'
  | 'wallet-exists';

type DueFacts = {
  merchantActive: boolean;
  storeActive: boolean;
  /** Whether whoever asked for the change could ask for it now. */
  requesterAllowed: boolean;
};

/** What speaks against a change whose time has come; undefined when nothing does. */
export function findDueFault({ merchantActive, storeActive, requesterAllowed }: DueFacts): MethodFault | undefined {
  if (!merchantActive) return 'merchant-inactive';
  if (!storeActive) return 'store-inactive';
  return requesterAllowed ? undefined : 'requester-not-allowed';
}
