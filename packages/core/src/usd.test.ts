import { describe, expect, test } from 'vitest';
import { formatMicroUsd, formatUsd, parseMicroUsd, sumUsd, toCents } from './usd.ts';

describe('a sum of USD', () => {
  test.each(['0.00', '12.40125', '-0.01', '123456789012345.678901', '5.10'])('%s is read and written whole', (text) => {
    expect(formatMicroUsd(parseMicroUsd(text) ?? 0n)).toBe(text);
  });

  test.each(['', '-', '1e3', '1.2345678', ' 1', '+1', '--1', '1,5', '05'])('%j is not a sum', (text) => {
    expect(parseMicroUsd(text)).toBeUndefined();
  });
});

test.each([
  [5_000_000_000n, '50.00'],
  [5_012_345_678n, '50.12345678'],
  [1n, '0.00000001'],
  [-5_050_000_000n, '-50.50'],
])('%s units of an invoice amount are shown as %s', (units, text) => {
  expect(formatUsd(units)).toBe(text);
});

test('a sum in cents never shows more than there is', () => {
  expect(['12.409999', '-0.001', '-5.00', '7.00', 'much'].map(toCents)).toEqual([
    '12.40',
    '-0.01',
    '-5.00',
    '7.00',
    'much',
  ]);
});

test('amounts add up exactly, and an amount that cannot be parsed throws', () => {
  expect(sumUsd(['0.1', '0.2', '1000000.00000001'])).toBe('1000000.30000001');
  expect(sumUsd([])).toBe('0.00');
  expect(() => sumUsd(['1', 'much'])).toThrow('much is not an amount with at most 8 decimals');
});
