import { expect, test } from 'vitest';
import { findNetwork } from '../../rig/chains/networks.ts';
import { coinOf } from '../networks/network.ts';
import { dustUnits } from './coin-dust.ts';

const coin = (symbol: string) => {
  const network = findNetwork(symbol);
  const found = network && coinOf(network);
  if (!found) throw new Error(`${symbol} has no coin.`);
  return found;
};
const PRICE = 10n ** 12n;

test.each([
  ['BSC', 600n * PRICE, 166_666_666_666_666n],
  ['SOL', 150n * PRICE, 666_666n],
  ['TRC20', PRICE / 2n, 200_000n],
])('on %s the least sum that is kept is worth ten cents at the last price', (symbol, price, units) => {
  expect(dustUnits(coin(symbol), price)).toBe(units);
});

test('without a price no coin is dust', () => {
  expect(dustUnits(coin('BSC'), 0n)).toBe(0n);
});
