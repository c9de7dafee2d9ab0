import { describe, expect, it } from 'vitest';
import { publicSymbol } from './network-id.ts';

describe('the public symbol of a network', () => {
  it.each([
    ['BSC', 'BSC'],
    ['EXCHANGE_PAY:BINANCE', 'EXCHANGE_PAY'],
    ['EXCHANGE_PAY:OKX', 'EXCHANGE_PAY'],
    ['sandbox:BSC', 'BSC'],
    ['sandbox', 'sandbox'],
  ])('of %s is %s', (id, symbol) => {
    expect(publicSymbol(id)).toBe(symbol);
  });
});
