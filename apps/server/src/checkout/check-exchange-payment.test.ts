import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import type { AccountDemand } from '../accounts/demand-account.ts';
import { createManualClock } from '../lib/clock.ts';
import { createNetworks } from '../networks/networks.ts';
import { createCheckExchangePayment, readPaymentId } from './check-exchange-payment.ts';
import type { CheckoutFacts, QuoteFact } from './checkout-facts-sql.ts';
import type { ExchangePayment } from './exchange-payment-sql.ts';

const log = pino({ level: 'silent' });
const NOW = 1_794_700_060_000;
const HASH = `0x${'ab'.repeat(32)}`;

const quote: QuoteFact = {
  id: '7',
  network: 'EXCHANGE_PAY:BINANCE',
  token: 'USDT',
  toAddress: '384729105',
  displayUnits: '50000317',
  tokenAmount: '50.000317',
  tokenPriceUsd: '1',
  finality: 'credited',
  reference: null,
  createdAtSeconds: NOW / 1000 - 60,
  isAsked: false,
};
const onChain: QuoteFact = {
  ...quote,
  id: '8',
  network: 'BSC',
  toAddress: '0x8894E0a0c962CB723c1976a4421c95949bE2D4E3',
};
const payment: ExchangePayment = {
  network: quote.network,
  account: quote.toAddress,
  token: 'USDT',
  units: '5000031700',
  timeSeconds: NOW / 1000,
  canonical: true,
  pending: false,
  invoiceId: null,
  reason: null,
};

function createCheck({ payments = [] as ExchangePayment[], demand = async () => {} } = {}) {
  const clock = createManualClock(NOW);
  const steadyClock = createManualClock(0);
  const [asked, demanded]: [string[], AccountDemand[]] = [[], []];
  const check = createCheckExchangePayment({
    networks: createNetworks(),
    clock,
    steadyClock,
    find: async (_accounts, id) => {
      asked.push(id);
      return payments;
    },
    demand: async (one) => {
      demanded.push(one);
      return demand();
    },
  });
  const of = (text: string, quotes: QuoteFact[] = [quote]) =>
    check({ id: 1n, quotes, expiresAt: new Date(NOW + 600_000) } as CheckoutFacts, text, log);
  return { of, asked, demanded, clock, steadyClock };
}

describe('an id', () => {
  test.each([
    '4021734566',
    'P_A1U7XTVXHFE71115',
    'C_P_187241923873341443',
    '77c37e5c-d9fa-41e5-bd13-c9b59d95',
    'Internal transfer 98765',
    '5bbb57386d99522d9f954c5a@test004',
    '  4021734566\n',
    'z'.repeat(64),
  ])('%j is looked up', async (text) => {
    const { of, asked } = createCheck();
    expect(await of(text)).toMatchObject({ reason: 'not-found' });
    expect(asked).toEqual([text.trim()]);
  });

  test.each(['', 'my payment', 'a'.repeat(65), "1'; drop table x", 'É1', '<b>', HASH])('%j is none', async (text) => {
    const { of, asked, demanded } = createCheck();
    expect(readPaymentId(text)).toBeUndefined();
    expect(await of(text)).toMatchObject({ reason: 'malformed' });
    expect([asked, demanded]).toEqual([[], []]);
  });

  test('that has the form of a hash is looked up, and else is a transfer over a network, which never arrives', async () => {
    const bare = HASH.slice(2);
    expect(await createCheck({ payments: [payment] }).of(bare)).toMatchObject({ reason: 'matches' });
    const { of, demanded } = createCheck();
    expect(await of(bare)).toMatchObject({ reason: 'malformed' });
    expect(demanded).toEqual([]);
  });
});

describe('an invoice with quotes on chains', () => {
  test('alone has its nodes asked', async () => {
    expect(await createCheck().of('4021734566', [onChain])).toBeUndefined();
  });

  test('too has its nodes asked about hashes, and about what is no id', async () => {
    const { of } = createCheck();
    expect(await of(HASH, [onChain, quote])).toBeUndefined();
    expect(await of('my payment', [onChain, quote])).toBeUndefined();
    expect(await of('4021734566', [onChain, quote])).toMatchObject({ reason: 'not-found' });
  });
});

describe('an id that no payment has', () => {
  test('has the quoted account read now, from before its quote', async () => {
    const { of, demanded } = createCheck();
    await of('4021734566');
    expect(demanded).toEqual([
      {
        network: quote.network,
        account: quote.toAddress,
        startAt: new Date(NOW - 180_000),
        openUntil: new Date(NOW + 600_000),
      },
    ]);
  });

  test('has an account read once in five seconds, however many visitors ask', async () => {
    const { of, demanded, steadyClock } = createCheck();
    for (let visitor = 0; visitor < 20; visitor += 1) await of(String(visitor), [quote, { ...quote, token: 'USDC' }]);
    expect(demanded).toHaveLength(1);
    steadyClock.advance(5_000);
    await of('99');
    expect(demanded).toHaveLength(2);
  });

  test('is not found even where the read could not be demanded', async () => {
    const { of } = createCheck({ demand: () => Promise.reject(new Error('down')) });
    expect(await of('4021734566')).toMatchObject({ reason: 'not-found' });
  });

  test('is not looked for a day after the end', async () => {
    const { of, asked, clock } = createCheck();
    clock.advance(600_000 + 24 * 3_600_000 + 1);
    expect(await of('4021734566')).toMatchObject({ reason: 'ended' });
    expect(asked).toEqual([]);
  });
});
