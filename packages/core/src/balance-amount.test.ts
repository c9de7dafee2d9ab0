import { expect, test } from 'vitest';
import { parseLowBalance, parseTopupAmount } from './balance-amount.ts';

test.each([
  ['5', 5_000_000n],
  ['5.00', 5_000_000n],
  ['5.01', 5_010_000n],
  ['10000.00', 10_000_000_000n],
  ['4.99', undefined],
  ['10000.01', undefined],
  ['5.001', undefined],
  ['05', undefined],
  ['5.', undefined],
  ['+5', undefined],
  ['-5', undefined],
  ['5,00', undefined],
  ['1e3', undefined],
  ['', undefined],
])('the top-up %s is %s micro-USD', (text, microUsd) => {
  expect(parseTopupAmount(text)).toBe(microUsd);
});

test.each([
  ['0', 0n],
  ['25.50', 25_500_000n],
  ['1000000.00', 1_000_000_000_000n],
  ['1000000.01', undefined],
  ['25.505', undefined],
  ['-1', undefined],
  ['025', undefined],
  ['', undefined],
])('the low balance %s is %s micro-USD', (text, microUsd) => {
  expect(parseLowBalance(text)).toBe(microUsd);
});
