import { describe, expect, test } from 'vitest';
import { createMethodChangeCode, decideMethodChange, findDueFault, MAX_CHANGES_IN_A_DAY } from './method-change.ts';

type Facts = Parameters<typeof decideMethodChange>[0];

/** An admin with two-factor adds an address to a live store that receives elsewhere. */
const USUAL: Facts = {
  kind: 'wallet',
  live: true,
  locked: false,
  asker: 'person',
  inUse: false,
  hadMethod: true,
  hasMembers: true,
  isWaiting: false,
  recent: 0,
};
const EXCHANGE = { kind: 'exchange-account' } as const;

describe('a payment method of a live store', () => {
  test.each<[string, Partial<Facts>]>([
    ['that a person adds', {}],
    ['that an operator adds', { asker: 'operator' }],
    ['in an exchange account', EXCHANGE],
    ['while the day has room for one more change', { recent: MAX_CHANGES_IN_A_DAY - 1 }],
  ])('%s waits for the delay', (_title, facts) => {
    expect(decideMethodChange({ ...USUAL, ...facts })).toEqual({ wait: true });
  });

  test.each<[string, Partial<Facts>, string]>([
    ['is the first that the store ever had', { hadMethod: false }, 'first-method'],
    ['is the same exchange account with another key', { ...EXCHANGE, inUse: true }, 'same-account'],
    ['is ordered by an operator with a reason', { asker: 'operator-now' }, 'ordered'],
    ['is ordered while another change waits', { asker: 'operator-now', isWaiting: true }, 'ordered'],
    ['belongs to a merchant whom nobody could be told of', { hasMembers: false, asker: 'operator' }, 'nobody-to-tell'],
    ['belongs to a test store', { live: false }, 'test-store'],
    [
      'belongs to a test store of a person without a factor',
      { live: false, asker: 'person-without-factor' },
      'test-store',
    ],
  ])('that %s takes effect at once', (_title, facts, apply) => {
    expect(decideMethodChange({ ...USUAL, ...facts })).toEqual({ apply });
  });

  test.each<[string, Partial<Facts>, string]>([
    ['by a person without a second factor', { asker: 'person-without-factor' }, 'FACTOR_NEEDED'],
    [
      'by a person without a second factor, though it is the first',
      { asker: 'person-without-factor', hadMethod: false },
      'FACTOR_NEEDED',
    ],
    ['where the store receives already', { inUse: true }, 'WALLET_EXISTS'],
    ['where the store receives already, though ordered', { inUse: true, asker: 'operator-now' }, 'WALLET_EXISTS'],
    ['while another change waits on the network', { isWaiting: true }, 'METHOD_CHANGE_WAITS'],
    ['when the day has had enough changes', { recent: MAX_CHANGES_IN_A_DAY }, 'TOO_MANY_METHOD_CHANGES'],
  ])('%s is refused', (_title, facts, refuse) => {
    expect(decideMethodChange({ ...USUAL, ...facts })).toEqual({ refuse });
  });

  test.each<[string, Partial<Facts>]>([
    ['a person', {}],
    ['a person without a second factor', { asker: 'person-without-factor' }],
    ['an operator', { asker: 'operator' }],
    ['an operator who orders it', { asker: 'operator-now' }],
    ['a first method', { hadMethod: false }],
    ['another key of the same account', { ...EXCHANGE, inUse: true }],
    ['a merchant without members', { hasMembers: false }],
    ['a test store', { live: false }],
  ])('is refused while methods are locked, for %s too', (_title, facts) => {
    expect(decideMethodChange({ ...USUAL, ...facts, locked: true })).toEqual({ refuse: 'METHODS_LOCKED' });
  });
});

test.each([
  [true, true, true, undefined],
  [true, true, false, 'requester-not-allowed'],
  [true, false, true, 'store-inactive'],
  [true, false, false, 'store-inactive'],
  [false, true, true, 'merchant-inactive'],
  [false, false, false, 'merchant-inactive'],
])(
  'a due change of a merchant (active %s) and store (active %s), whose requester may ask (%s), has the fault %s',
  (merchantActive, storeActive, requesterAllowed, fault) => {
    expect(findDueFault({ merchantActive, storeActive, requesterAllowed })).toBe(fault);
  },
);

test('codes of changes are long enough that nobody guesses one', () => {
  expect(createMethodChangeCode()).toMatch(/^MCH-[A-Z0-9]{12}$/);
});
