import { expect, test } from 'vitest';
import { isEventId, isTopupCode, isTransId, TRANS_ID_FORMAT, TRANS_ID_WITHIN } from './code.ts';

test.each([
  ['TID-K7M2Q9X4B8D3F6H1', true],
  ['TID-k7m2q9x4b8d3f6h1', false],
  ['TID-K7M2Q9X4B8D3F6H', false],
  ['TID-K7M2Q9X4B8D3F6H12', false],
  ['TOP-K7M2Q9X4B8D3F6H1', false],
  ['', false],
])('%j is an invoice code: %s', (text, is) => {
  expect(isTransId(text)).toBe(is);
});

test('the format that errors show has the form of a code', () => {
  expect(isTransId(TRANS_ID_FORMAT)).toBe(true);
});

test('a sentence is split at its invoice codes', () => {
  const parts = 'Pay TID-K7M2Q9X4B8D3F6H1, not TID-1.'.split(TRANS_ID_WITHIN);
  expect(parts).toEqual(['Pay ', 'TID-K7M2Q9X4B8D3F6H1', ', not TID-1.']);
});

test('codes of top-ups and events have a form of their own', () => {
  expect(['TOP-K7M2Q9X4B8D3F6H1', 'TID-K7M2Q9X4B8D3F6H1', null].map(isTopupCode)).toEqual([true, false, false]);
  expect(['evt_1a2b', 'evt_', 'EVT_1', `evt_${'a'.repeat(101)}`].map(isEventId)).toEqual([true, false, false, false]);
});
