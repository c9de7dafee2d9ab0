import { describe, expect, test } from 'vitest';
import type { KeyFacts } from '../platforms/statement-source.ts';
import type { ExchangeAccountHealth } from './exchange-account.ts';
import { findKeyFault, findOfferFault, isOffered, keyHint } from './exchange-account.ts';

const NOW = Date.UTC(2026, 10, 16);
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const facts: KeyFacts = {
  account: '1234567',
  canRead: true,
  refusedRights: [],
  boundToAddresses: true,
  isSubAccount: false,
};

describe('a key', () => {
  test.each<[string, Partial<KeyFacts>, string | undefined]>([
    ['that only reads is taken', {}, undefined],
    ['of a sub-account is taken', { isSubAccount: true }, undefined],
    [
      'that may withdraw is refused by the name of the right',
      { refusedRights: ['enableWithdrawals'] },
      'too-many-rights: enableWithdrawals',
    ],
    [
      'with several rights is refused by all their names',
      { refusedRights: ['Trade', 'NewRight'] },
      'too-many-rights: Trade, NewRight',
    ],
    ['that may not read is refused', { canRead: false }, 'cannot-read'],
    ['of another account is refused', { account: '7654321' }, 'other-account: 7654321'],
    [
      'that ends before its payments can arrive is refused',
      { expiresAtMs: NOW + 3 * DAY_MS - 1 },
      'ends: 2026-11-18T23:59:59.999Z',
    ],
    ['that lasts long enough is taken', { expiresAtMs: NOW + 3 * DAY_MS }, undefined],
  ])('%s', (_which, change, fault) => {
    expect(findKeyFault({ ...facts, ...change }, '1234567', NOW)).toBe(fault);
  });

  test('is named by its last characters', () => {
    expect(keyHint('vmPUZE6mv9SD5VNHk4HlWFsOr6aKE2zvsw0MuIgwCIPy6utIco14y7Ju91duEh8A')).toBe('Eh8A');
  });
});

describe('an exchange account', () => {
  const health: ExchangeAccountHealth = {
    checkedAt: new Date(NOW - 25 * HOUR_MS),
    keyExpiresAt: null,
    fault: null,
    stopped: false,
  };

  test.each<[string, Partial<ExchangeAccountHealth>, string | undefined]>([
    ['is offered up to 25 hours after its last check', {}, undefined],
    ['is not offered later', { checkedAt: new Date(NOW - 25 * HOUR_MS - 1) }, 'not-checked'],
    ['is not offered with a fault', { fault: 'cannot-read' }, 'cannot-read'],
    ['is not offered while it is stopped', { stopped: true }, 'stopped'],
    [
      'is not offered when its key nears its end',
      { keyExpiresAt: new Date(NOW + 3 * DAY_MS - 1) },
      `ends: ${new Date(NOW + 3 * DAY_MS - 1).toISOString()}`,
    ],
    ['is offered while its key lasts long enough', { keyExpiresAt: new Date(NOW + 3 * DAY_MS) }, undefined],
  ])('%s', (_when, change, fault) => {
    expect(findOfferFault({ ...health, ...change }, NOW)).toBe(fault);
    expect(isOffered({ ...health, ...change }, NOW)).toBe(fault === undefined);
  });
});
