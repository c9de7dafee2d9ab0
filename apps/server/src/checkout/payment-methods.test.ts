import type { MethodView } from '@counterfoil/checkout/checkout-view';
import { expect, test } from 'vitest';
import { markLowestFees } from './payment-methods.ts';

const method = (network: string, feeHint: MethodView['feeHint'], part: Partial<MethodView> = {}): MethodView => ({
  token: 'USDT',
  tokenName: 'Tether USD',
  network,
  networkName: network,
  standard: '',
  family: 'evm',
  state: 'ready',
  refusal: null,
  typicalSeconds: 10,
  feeHint,
  lowestFee: false,
  ...part,
});

const cheapest = (...methods: MethodView[]) =>
  markLowestFees(methods)
    .filter(({ lowestFee }) => lowestFee)
    .map(({ network, token }) => `${token} ${network}`);

test('the one network with the lowest level of fee is the cheapest', () => {
  expect(cheapest(method('BSC', 'very-low'), method('TRC20', 'medium'), method('ETH', 'high'))).toEqual(['USDT BSC']);
});

test('two networks of the same level are not told apart, and one alone is not compared', () => {
  expect(cheapest(method('BSC', 'very-low'), method('SOL', 'very-low'), method('ETH', 'high'))).toEqual([]);
  expect(cheapest(method('BSC', 'very-low'))).toEqual([]);
});

test('only networks that can be chosen are compared, and exchange accounts are not', () => {
  const down = method('BSC', 'very-low', { state: 'unavailable', refusal: 'network-unavailable' });
  const exchange = method('EXCHANGE_PAY:OKX', 'none', { family: 'exchange' });
  expect(cheapest(down, exchange, method('TRC20', 'medium'), method('ETH', 'high'))).toEqual(['USDT TRC20']);
});
