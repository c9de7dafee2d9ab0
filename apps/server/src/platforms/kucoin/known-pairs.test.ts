import { describe, expect, test } from 'vitest';
import { createKnownPairs } from './known-pairs.ts';
import type { KucoinDeposit } from './kucoin-statement.ts';

const deposit = (facts: Partial<KucoinDeposit> = {}): KucoinDeposit => ({
  units: 5n,
  isInternal: true,
  state: 'final',
  isBooked: true,
  transaction: '',
  createdMs: 1_000,
  updatedMs: 1_000,
  ...facts,
});
const pair = (of: KucoinDeposit, id: string) => ({
  deposit: of,
  entry: { id, units: 5n, transaction: '', atMs: 1_000 },
});

describe('pairs that were found before', () => {
  test('are recalled for deposits that are shown as they were', () => {
    const known = createKnownPairs();
    known.keep('one', [pair(deposit(), '7')]);
    expect(known.recall('one', [deposit()])?.map(({ entry }) => entry.id)).toEqual(['7']);
    expect(known.recall('one', [])).toEqual([]);
  });

  test.each([
    ['of another exchange account', 'two', [deposit()]],
    ['of a deposit that is new', 'one', [deposit(), deposit({ createdMs: 2_000 })]],
    ['of a deposit that is shown once more', 'one', [deposit(), deposit()]],
    ['of a deposit whose state has changed', 'one', [deposit({ state: 'pending' })]],
    ['of a deposit that was credited later', 'one', [deposit({ updatedMs: 9_000 })]],
    ['beside a payment that cannot be read', 'one', [deposit(), deposit({ units: undefined, state: 'pending' })]],
  ])('are not recalled %s', (_case, account, deposits) => {
    const known = createKnownPairs();
    known.keep('one', [pair(deposit(), '7')]);
    expect(known.recall(account, deposits)).toBeUndefined();
  });

  test('are kept for half an hour, beside those that a later read finds', () => {
    const known = createKnownPairs();
    const later = deposit({ createdMs: 29 * 60_000 });
    const latest = deposit({ createdMs: 33 * 60_000 });
    known.keep('one', [pair(deposit(), '7')]);
    known.keep('one', [pair(later, '8')]);
    expect(known.recall('one', [deposit(), later])?.map(({ entry }) => entry.id)).toEqual(['7', '8']);
    known.keep('one', [pair(latest, '9')]);
    expect(known.recall('one', [deposit()])).toBeUndefined();
    expect(known.recall('one', [later, latest])).toHaveLength(2);
  });

  test('are given up when a later read gives their entry to another deposit', () => {
    const known = createKnownPairs();
    const other = deposit({ createdMs: 2_000 });
    known.keep('one', [pair(deposit(), '7')]);
    known.keep('one', [pair(other, '7')]);
    expect(known.recall('one', [deposit(), other])).toBeUndefined();
    expect(known.recall('one', [other])).toHaveLength(1);
  });

  test('need no deposit that pays nothing: one from a chain, one that failed', () => {
    const known = createKnownPairs();
    expect(known.recall('one', [deposit({ isInternal: false }), deposit({ state: 'failed' })])).toEqual([]);
  });
});
