import { describe, expect, test } from 'vitest';
import { createNetworks } from '../networks/networks.ts';
import type { CheckoutFacts, QuoteFact } from './checkout-facts-sql.ts';
import type { ExchangePayment } from './exchange-payment-sql.ts';
import { judgeExchangePayments } from './exchange-verdict.ts';

const BINANCE = 'EXCHANGE_PAY:BINANCE';
const OPENED = 1_794_700_000;
const END = OPENED + 1_800;
const SKEW = 120;
const NOTHING = { token: 'USDT', networkName: 'Binance', amount: null, seconds: null, blocks: null };

const quote: QuoteFact = {
  id: '7',
  network: BINANCE,
  token: 'USDT',
  toAddress: '384729105',
  displayUnits: '50000317',
  tokenAmount: '50.000317',
  tokenPriceUsd: '1',
  finality: 'credited',
  reference: null,
  createdAtSeconds: OPENED + 0.4,
  isAsked: false,
};

const payment: ExchangePayment = {
  network: BINANCE,
  account: '384729105',
  token: 'USDT',
  units: '5000031700',
  timeSeconds: OPENED + 60,
  canonical: true,
  pending: false,
  invoiceId: null,
  reason: null,
};

const facts = { id: 1n, expiresAt: new Date(END * 1000), quotes: [quote] } as CheckoutFacts;

const judge = (...payments: ExchangePayment[]) => judgeExchangePayments(createNetworks(), facts, payments);

describe('a payment in the quoted account', () => {
  test.each<[string, Partial<ExchangePayment>, object]>([
    ['is right', {}, { reason: 'matches' }],
    ['pays this invoice', { invoiceId: 1n }, { reason: 'matches' }],
    ['was attached to this invoice by a person', { invoiceId: 1n, units: '1', timeSeconds: 1 }, { reason: 'matches' }],
    ['may still fail', { pending: true }, { reason: 'pending' }],
    ['may still fail and is attached', { pending: true, invoiceId: 1n }, { reason: 'pending' }],
    ['is too little', { units: '4970031700' }, { reason: 'short', amount: '0.3' }],
    [
      'is too much by the last digit that a platform writes',
      { units: '5000031701' },
      { reason: 'over', amount: '0.00000001' },
    ],
    ['came at the very end', { timeSeconds: END }, { reason: 'matches' }],
    ['came late', { timeSeconds: END + 90, invoiceId: 1n, reason: 'late' }, { reason: 'late', seconds: 90 }],
    ['came as early as clocks may differ', { timeSeconds: OPENED - SKEW }, { reason: 'matches' }],
    ['came before the quote', { timeSeconds: OPENED - SKEW - 30 }, { reason: 'early', seconds: 30 }],
    ['is of another token', { token: 'USDC' }, { reason: 'wrong-token', token: 'USDC' }],
    ['failed, or is listed no more', { canonical: false }, { reason: 'failed' }],
  ])('that %s', (_name, change, expected) => {
    expect(judge({ ...payment, ...change })).toEqual({ ...NOTHING, ...expected });
  });

  test.each<[string, Partial<ExchangePayment>]>([
    ['paid it', {}],
    ['was too late for it', { reason: 'late', timeSeconds: END + 90 }],
    ['was of another amount', { units: '1' }],
    ['failed since', { canonical: false }],
  ])('that belongs to another invoice and %s is only said to be used', (_name, change) => {
    expect(judge({ ...payment, invoiceId: 2n, ...change })).toEqual({ ...NOTHING, reason: 'used' });
  });

  test.each<[string, number]>([
    ['before the quote', OPENED - 9_000],
    ['after the end', END + 1],
  ])('%s is told without its amount', (_name, timeSeconds) => {
    expect(judge({ ...payment, units: '123', timeSeconds })?.amount).toBeNull();
  });
});

test('of two payments that an id names, the nearer one is meant', () => {
  const other = { ...payment, invoiceId: 2n };
  expect(judge(other, payment)?.reason).toBe('matches');
  expect(judge({ ...payment, units: '1' }, other)?.reason).toBe('short');
});

test('no payment gives no answer', () => {
  expect(judge()).toBeUndefined();
});
