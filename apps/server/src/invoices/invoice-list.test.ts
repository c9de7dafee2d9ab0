import { describe, expect, test } from 'vitest';
import type { StoreProgress } from './invoice-list.ts';
import { advance, cutPage, divideLook, floorOf, fullPage, isOpen, needsQuote, scanOf } from './invoice-list.ts';

const store = (storeId: bigint, below: bigint, density?: number, isDone = false): StoreProgress => ({
  storeId,
  atLeast: 0n,
  below,
  density,
  isDone,
});

describe('a look is divided', () => {
  test.each([
    ['evenly at first', 600, [store(1n, 9n), store(2n, 9n)], { 1: 300, 2: 300 }],
    ['among those that are not done', 600, [store(1n, 9n), store(2n, 9n, 1, true)], { 1: 600 }],
    ['by density', 100, [store(1n, 1_000n, 0.9), store(2n, 1_000n, 0.1)], { 1: 90, 2: 10 }],
    ['with none for stores that are far ahead', 100, [store(1n, 1_000n, 1), store(2n, 10n, 0.001)], { 1: 100 }],
    ['over no store', 100, [], {}],
  ])('%s', (_how, budget, stores, expected) => {
    const shares = [...divideLook(budget, stores)].map(([storeId, most]) => [String(storeId), most]);
    expect(Object.fromEntries(shares)).toEqual(expected);
  });

  test('without looking at much more than it may, however the stores stand', () => {
    const stores = Array.from({ length: 200 }, (_, n) =>
      store(BigInt(n), BigInt(10_000 - n * 40), 0.001 + (n % 7) / 10),
    );
    const total = [...divideLook(3_000, stores).values()].reduce((sum, most) => sum + most, 0);
    expect(total).toBeLessThanOrEqual(3_000 + stores.length);
    expect(total).toBeGreaterThanOrEqual(3_000);
  });
});

test('a store is done when a look sees fewer invoices than it could', () => {
  const found = { storeId: 1n, looked: 2, highest: 8n, lowest: 5n, matched: [8n] };
  expect(advance(store(1n, 9n), found, 2)).toEqual(store(1n, 5n, 0.5));
  expect(advance(store(1n, 9n), found, 3)).toEqual(store(1n, 5n, 0.5, true));
  const nothing = { storeId: 1n, looked: 0, highest: null, lowest: null, matched: [] };
  expect(advance(store(1n, 9n), nothing, 3)).toEqual(store(1n, 9n, undefined, true));
});

test.each([
  ['all are done', [store(1n, 5n, 1, true)], undefined],
  ['two are left: the one that is least far counts', [store(1n, 5n), store(2n, 7n), store(3n, 9n, 1, true)], 7n],
])('the floor when %s', (_when, stores, expected) => {
  expect(floorOf(stores)).toBe(expected);
});

describe('a page', () => {
  test.each([
    ['shows nothing below the floor', [9n, 3n, 100n], 5n, 2, { ids: [100n, 9n], next: 5n }],
    ['ends at its last row when more were found', [9n, 8n, 7n], undefined, 2, { ids: [9n, 8n], next: 8n }],
    ['is the last one when all was looked at', [9n, 8n], undefined, 2, { ids: [9n, 8n], next: undefined }],
    ['goes on at the floor when nothing was found', [], 5n, 2, { ids: [], next: 5n }],
  ])('%s', (_what, found, floor, size, expected) => {
    expect(cutPage(found, floor, size)).toEqual(expected);
  });

  test('that is not full asks for a further look, unless nothing is left', () => {
    expect(fullPage([9n], 5n, 2)).toBeUndefined();
    expect(fullPage([9n], undefined, 2)).toEqual({ ids: [9n], next: undefined });
    expect(fullPage([9n, 8n], 5n, 2)).toEqual({ ids: [9n, 8n], next: 5n });
  });
});

test('a filter says which index finds it, and whether it needs quotes', () => {
  expect(scanOf({ status: 'waiting' })).toBe('open');
  expect(scanOf({ status: 'processing', callbackFailed: true })).toBe('open');
  expect(scanOf({ status: 'late', callbackFailed: true })).toBe('late');
  expect(scanOf({ status: 'completed', callbackFailed: true })).toBe('failed');
  expect(scanOf({ status: 'expired' })).toBe('all');
  expect([needsQuote({ token: 'USDT' }), needsQuote({ networks: [] }), needsQuote({ status: 'late' })]).toEqual([
    true,
    true,
    false,
  ]);
  expect([isOpen({ status: undefined }), isOpen({ networks: [] })]).toEqual([true, false]);
});
