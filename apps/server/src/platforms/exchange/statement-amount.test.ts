import { describe, expect, test } from 'vitest';
import { EXCHANGE_NETWORKS } from '../../networks/exchange-networks.ts';
import { readUnits, tokenOfCoin } from './statement-amount.ts';

const [network] = EXCHANGE_NETWORKS;
if (!network) throw new Error('There are no exchange platforms.');
const [usdt] = network.tokens;
if (!usdt) throw new Error('The platform has no tokens.');

describe('amounts', () => {
  test.each([
    ['5', 500_000_000n],
    ['0.00000001', 1n],
    ['-12.5', -1_250_000_000n],
    ['0', 0n],
    ['0.00000000', 0n],
    ['1.0000000000', 100_000_000n],
    ['100', 10_000_000_000n],
    ['90071992547409.93000001', 9_007_199_254_740_993_000_001n],
    ['1E-8', 1n],
    ['-1.5e-7', -15n],
    ['1e3', 100_000_000_000n],
    ['9.007199254740993000001E+13', 9_007_199_254_740_993_000_001n],
    ['0E-8', 0n],
    ['10E-9', 1n],
  ])('%s is exactly %s units', (text, units) => {
    expect(readUnits(text, usdt)).toBe(units);
  });

  test.each([
    '0.000000001',
    '1E-9',
    '1e41',
    '1e-41',
    '1e9999',
    '1e',
    'e3',
    '1e1.5',
    '1.e3',
    5,
    null,
    '',
    '-',
    ' 1',
    '1,5',
    '+1',
    'NaN',
    '--1',
    '.5',
    '5.',
    '.',
    '.0',
    '01',
    `1.${'0'.repeat(60)}`,
  ])('"%s" cannot be read, and is never guessed', (text) => {
    expect(readUnits(text, usdt)).toBeUndefined();
  });
});

test('a coin is known by its code alone, letter by letter', () => {
  expect(tokenOfCoin(network, 'USDC')?.symbol).toBe('USDC');
  for (const coin of ['usdt', 'USDT2', 'BUSD', '']) expect(tokenOfCoin(network, coin)).toBeUndefined();
});
