import { CURRENCIES } from '@counterfoil/core/currency.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { merchantInvoiceSchema } from '../../src/api/invoice-schemas.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { startApi } from '../../rig/processes/server-process.ts';
import { writeRates } from '../../rig/invoices/write-rates.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { openStore } from '../../rig/stores/open-store.ts';
import type { Answer, Contract } from '../contract/contract-client.ts';
import {
  create,
  createWritten,
  expectCreated,
  expectFound,
  expectInvalid,
  forgetWindows,
  lookup,
  openContract,
} from '../contract/contract-client.ts';

/** Invoices that are priced in a currency. The rates are new for longer than the suite lasts. */

let contract: Contract;
let store: TestStore;

beforeAll(async () => {
  contract = await openContract();
  store = await openStore(contract.database);
  const at = new Date(systemClock.nowMs());
  await writeRates(contract.database, at, { EUR: '1.0838', JPY: '0.006712345678', KWD: '3.2499', AED: '0.2723' });
});
beforeEach(() => forgetWindows(contract.database));
afterAll(() => contract.close());

type Data = Record<string, string> & { trans_id: string };
type Created = { data: Data; idempotent?: boolean };

async function createdOf(answer: Answer): Promise<Created> {
  expect(answer).toMatchObject({ status: 200 });
  return JSON.parse(answer.text) as Created;
}

async function find(transId: string) {
  const answer = await lookup(contract, store.apiKey, transId);
  expect(answer.status).toBe(200);
  return merchantInvoiceSchema.parse((JSON.parse(answer.text) as { data: unknown }).data);
}

describe('an amount in a currency', () => {
  test.each([
    ['EUR', '50', '50.00', '54.19', '1.0838'],
    ['EUR', '0.01', '0.01', '0.01', '1.0838'],
    ['JPY', '5000', '5000', '33.56', '0.006712345678'],
    ['KWD', '12.345', '12.345', '40.12', '3.2499'],
    ['KWD', '1.5', '1.500', '4.87', '3.2499'],
  ])('%s %s is fixed in USD, and both are answered', async (currency, amount, shown, usd, rate) => {
    const { data } = await createdOf(await create(contract, store, { amount, currency }));
    const priced = { amount: usd, currency, currency_amount: shown, exchange_rate: rate };
    expect(data).toMatchObject(priced);
    expect(await find(data.trans_id)).toMatchObject(priced);
  });

  test('a JSON number keeps the digits that were written', async () => {
    const body = `{"merchant_id":"${store.merchantId}","amount":123456.10,"currency":"EUR"}`;
    const { data } = await createdOf(await createWritten(contract, store.apiKey, body));
    expect(data['currency_amount']).toBe('123456.10');
  });

  test('without a currency the answer is exactly that of the contract', async () => {
    const { data } = expectCreated(await create(contract, store));
    expectFound(await lookup(contract, store.apiKey, data.trans_id));
  });

  test.each([null, ''])('%j counts as not supplied', async (currency) => {
    expectCreated(await create(contract, store, { currency }));
  });

  test('USD that is supplied is answered, at the rate of 1 and by the rules of the contract', async () => {
    const { data } = await createdOf(await create(contract, store, { amount: '50.12345678', currency: 'USD' }));
    expect(data).toMatchObject({
      amount: '50.12345678',
      currency: 'USD',
      currency_amount: '50.12345678',
      exchange_rate: '1.00',
    });
  });

  test('the evidence of the rate is stored with the invoice', async () => {
    const { data } = await createdOf(await create(contract, store, { amount: '5', currency: 'EUR' }));
    const { rows } = await contract.database.pool.query<{ rate_evidence: unknown }>(
      'select rate_evidence from invoices where trans_id = $1',
      [data.trans_id],
    );
    expect(rows[0]?.rate_evidence).toMatchObject({
      sources: [
        { source: 'coinbase', usd: '1.0838' },
        { source: 'kraken', usd: '1.0838' },
      ],
      bound: { source: 'ecb', usd: '1.0838' },
    });
  });
});

const faultOf = (currency: string, decimals: number) =>
  `amount in ${currency} must be a plain decimal greater than 0, with at most 12 digits before the point and ${decimals} after it.`;

describe('a refused price', () => {
  test.each(['eur', ' EUR', 'USDT', 'XXX', 1, true, {}, ['EUR']])('the currency %j is unknown', async (currency) => {
    const message = `currency must be one of ${CURRENCIES.join(', ')}.`;
    expectInvalid(await create(contract, store, { currency }), 'currency', message);
  });

  test.each([
    ['EUR', '50.001', 2],
    ['EUR', '1234567890123', 2],
    ['EUR', '0', 2],
    ['EUR', '-5', 2],
    ['EUR', '5e2', 2],
    ['JPY', '5000.0', 0],
    ['JPY', '5000.', 0],
    ['KWD', '1.2345', 3],
  ])('%s %s is not an amount with its decimals', async (currency, amount, decimals) => {
    expectInvalid(await create(contract, store, { amount, currency }), 'amount', faultOf(currency, decimals));
  });

  test('a wrong currency is named beside other faults', async () => {
    const answer = await create(contract, store, { currency: 'XXX', amount: 0 });
    const { details } = JSON.parse(answer.text) as { details: { errors: { field: string }[] } };
    expect(details.errors.map(({ field }) => field).toSorted()).toEqual(['amount', 'currency']);
  });

  test('at most 1,000,000 USD, at the rate', async () => {
    const allowed = await create(contract, store, { amount: '922679.45', currency: 'EUR' });
    expect(JSON.parse(allowed.text)).toMatchObject({
      error_code: 'INSUFFICIENT_BALANCE',
      details: { invoice_amount: '999999.99' },
    });
    const message = 'amount must be worth 0.01 to 1000000 USD, at 1.0838 USD for 1 EUR.';
    expectInvalid(await create(contract, store, { amount: '922679.47', currency: 'EUR' }), 'amount', message);
    expectInvalid(await create(contract, store, { amount: '999999999999.99', currency: 'EUR' }), 'amount', message);
  });

  test('less than one cent', async () => {
    const message = 'amount must be worth 0.01 to 1000000 USD, at 3.2499 USD for 1 KWD.';
    expectInvalid(await create(contract, store, { amount: '0.001', currency: 'KWD' }), 'amount', message);
    const { data } = await createdOf(await create(contract, store, { amount: '0.002', currency: 'KWD' }));
    expect(data['amount']).toBe('0.01');
  });

  test('a currency without a rate is refused with its reason', async () => {
    const answer = await create(contract, store, { amount: '5', currency: 'TRY', request_id: 'no-rate' });
    expect(answer.status).toBe(503);
    expect(JSON.parse(answer.text)).toEqual({
      status: 'error',
      message: 'No exchange rate is available for this currency. Please try again later.',
      error_code: 'EXCHANGE_RATE_UNAVAILABLE',
      request_id: 'no-rate',
      details: { currency: 'TRY', reason: 'currency-off' },
    });
  });
});

describe('a request_id that is used again', () => {
  const again = { amount: '10', currency: 'AED', request_id: 'again' };

  test('keeps its first rate, also when the rate has changed or is gone', async () => {
    const first = await createdOf(await create(contract, store, again));
    expect(first.data).toMatchObject({ amount: '2.72', exchange_rate: '0.2723' });
    const at = new Date(systemClock.nowMs());
    // First changed, then out of bounds.
    for (const rates of [{ AED: '0.2735' }, { AED: '0.5' }]) {
      await writeRates(contract.database, at, rates);
      // Another process has no rates in memory.
      const server = await startApi(contract.url);
      const answer = await createWritten(
        { ...contract, server },
        store.apiKey,
        JSON.stringify({ ...again, merchant_id: store.merchantId }),
      );
      await server.stop();
      const replay = await createdOf(answer);
      expect(replay).toMatchObject({ idempotent: true, data: first.data });
    }
  });
});
