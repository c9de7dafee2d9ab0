import { describe, expect, test } from 'vitest';
import { EXCHANGE_NETWORKS } from '../../networks/exchange-networks.ts';
import { SourceError } from '../../sources/chain-source.ts';
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
  ])('%s is exactly %s units', (text, units) => {
    expect(readUnits(text, usdt)).toBe(units);
  });

  test.each([
    '0.000000001',
    '1e3',
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
  ])('"%s" is an error', (text) => {
    expect(() => readUnits(text, usdt)).toThrow(SourceError);
  });
});

test('a coin is known by its code alone, letter by letter', () => {
  expect(tokenOfCoin(network, 'USDC')?.symbol).toBe('USDC');
  for (const coin of ['usdt', 'USDT2', 'BUSD', '']) expect(tokenOfCoin(network, coin)).toBeUndefined();
});
