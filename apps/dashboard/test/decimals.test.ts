import { describe, expect, test } from 'vitest';
import { readInvoiceSearch } from '../src/api/invoice-search.ts';
import { recognise } from '../src/frame/recognise.ts';
import { divide, percentOf, splitAtDifference, subtract, withoutSign } from '../src/language/decimals.ts';

const MANY_DIGITS = '123456789012345678901234567890.123456789';

describe('decimals in texts', () => {
  test('lose no digit, however many there are', () => {
    expect(subtract(MANY_DIGITS, '0.000000001')).toBe('123456789012345678901234567890.123456788');
    expect(subtract('119.043518', '120.043518')).toBe('-1.000000');
    expect(divide('49.98', '1', 6)).toBe('49.980000');
    expect(divide('42.90', '629.1', 8)).toBe('0.06819265');
    expect(divide('1', '0', 2)).toBeUndefined();
  });

  test('lose their sign alone', () => {
    expect(['-1', '49.9831', '0'].map(withoutSign)).toEqual(['1', '49.9831', '0']);
  });

  test('become percent that are rounded to the nearest', () => {
    expect(percentOf('1', '120.043518')).toBe('0.83');
    expect(percentOf('-0.0001', '1')).toBe('-0.01');
    expect(percentOf('0', '1')).toBe('0.00');
    expect(percentOf('1', '0')).toBeUndefined();
  });

  test.each([
    ['49.983127', '49.980000', '49.98', '3127'],
    ['120.043518', '120', '120.0', '43518'],
    ['50.0012', '49.9998', '50.', '0012'],
    ['50', '50.000000', '50', ''],
  ])('%s differs from %s in its last digits', (amount, base, same, different) => {
    expect(splitAtDifference(amount, base)).toEqual({ same, different });
  });
});

describe('the address of the list', () => {
  test('gives the filters that fit, and leaves out the rest', () => {
    const raw = { status: 'late', min_amount: 12.5, max_amount: 'much', from: 1_700_000_000, last: '1y', other: 'x' };
    expect(readInvoiceSearch(raw)).toEqual({ status: 'late', min_amount: '12.5', from: 1_700_000_000 });
    expect(readInvoiceSearch({ mode: 'test' })).toEqual({ mode: 'test' });
    expect(readInvoiceSearch({ mode: 'both' })).toEqual({});
  });
});

test.each([
  ['TID-K7M2Q9X4B8D3F6H1', 'invoice'],
  ['TID-ABCD', 'order'],
  ['0x8894E0a0c962CB723c1976a4421c95949bE2D4E3', 'address'],
  ['1'.repeat(31) + '2', 'address'],
  ['ord_1001', 'order'],
  [' ab ', undefined],
])('the search box says of %s what the server searches: %s', (typed, sought) => {
  expect(recognise(typed)).toBe(sought);
});
