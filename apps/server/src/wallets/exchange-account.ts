import { DAY_MS, HOUR_MS } from '@counterfoil/core/duration.ts';
import type { KeyFacts } from '../platforms/statement-source.ts';

/** Which keys are accepted, and when an exchange account is offered. */

export type ExchangeAccountName = {
  network: string;
  account: string;
};

export type ExchangeAccountHealth = {
  checkedAt: Date;
  keyExpiresAt: Date | null;
  fault: string | null;
  stopped: boolean;
};

/** How often a worker checks a key. */
export const CHECK_EVERY_MS = 6 * HOUR_MS;
/** How often a refused key is checked again: the refusal may be an error of the platform. */
export const REFUSED_CHECK_EVERY_MS = 10 * 60_000;
/** How long a check lasts: without a newer one, the account is not offered. */
const CHECK_LASTS_MS = 25 * HOUR_MS;
/** Time before a key's end at which operators are warned. */
export const KEY_WARNING_MS = 14 * DAY_MS;
/** How long a key must still last: an invoice and the quarantine of its amount end within this time. */
const KEY_MUST_LAST_MS = 3 * DAY_MS;

export function exchangeKeyPurpose({ network, account }: ExchangeAccountName): string {
  return `exchange_key:${network}:${account}`;
}

const KEY_HINT_LENGTH = 4;

/** The end of a key's public part, to identify it. */
export function keyHint(apiKey: string): string {
  return apiKey.slice(-KEY_HINT_LENGTH);
}

/** Why a key is refused. It may only read: an unknown permission counts as more. */
export function findKeyFault(facts: KeyFacts, account: string, nowMs: number): string | undefined {
  if (facts.account !== account) return `other-account: ${facts.account}`;
  if (facts.refusedRights.length > 0) return `too-many-rights: ${facts.refusedRights.join(', ')}`;
  if (!facts.canRead) return 'cannot-read';
  const { expiresAtMs } = facts;
  if (expiresAtMs !== undefined && expiresAtMs < nowMs + KEY_MUST_LAST_MS)
    return `ends: ${new Date(expiresAtMs).toISOString()}`;
  return undefined;
}

/** Why an account is not offered. */
export function findOfferFault(
  { checkedAt, keyExpiresAt, fault, stopped }: ExchangeAccountHealth,
  nowMs: number,
): string | undefined {
  if (fault !== null) return fault;
  if (stopped) return 'stopped';
  if (checkedAt.getTime() < nowMs - CHECK_LASTS_MS) return 'not-checked';
  if (keyExpiresAt !== null && keyExpiresAt.getTime() < nowMs + KEY_MUST_LAST_MS)
    return `ends: ${keyExpiresAt.toISOString()}`;
  return undefined;
}

export const isOffered = (health: ExchangeAccountHealth, nowMs: number): boolean =>
  findOfferFault(health, nowMs) === undefined;
