import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readAvailable } from '../../src/ledger/ledger-sql.ts';
import type { StoreOptions, TestStore } from '../../rig/stores/open-store.ts';
import { CONTRACT_PLAN, LIFTED_PLAN, openStore } from '../../rig/stores/open-store.ts';
import type { Contract } from './contract-client.ts';
import {
  call,
  countInvoices,
  create,
  createWritten,
  expectCreated,
  expectError,
  expectFound,
  expectInvalid,
  forgetWindows,
  lookup,
  openContract,
  rateHeaders,
  removeWallets,
  setStatus,
} from './contract-client.ts';

let contract: Contract;
let store: TestStore;

beforeAll(async () => {
  contract = await openContract();
  store = await openStore(contract.database);
});
beforeEach(() => forgetWindows(contract.database));
afterAll(() => contract.close());

const validBody = () => JSON.stringify({ merchant_id: store.merchantId, amount: 50 });

async function heldFees(storeId: bigint): Promise<bigint[]> {
  const { rows } = await contract.database.pool.query<{ micro_usd: bigint }>(
    `select micro_usd from ledger_entries where store_id = $1 and kind = 'hold' order by id`,
    [storeId],
  );
  return rows.map((row) => row.micro_usd);
}

describe('create headers | Content-Type | required | application/json', () => {
  test.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON'])('%s', async (type) => {
    expectCreated(await createWritten(contract, store.apiKey, validBody(), { 'content-type': type }));
  });

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonx',
    'text/json',
    'garbage',
  ])('%s is refused', async (type) => {
    const answer = await createWritten(contract, store.apiKey, validBody(), { 'content-type': type });
    expectError(answer, 'UNSUPPORTED_MEDIA_TYPE');
  });

  test('a body without one is refused', async () => {
    const bytes = new Blob([validBody()]);
    const response = await fetch(`${contract.server.url}/payment/crypto`, {
      method: 'POST',
      body: bytes,
      headers: { 'x-api-key': store.apiKey },
    });
    const answer = { status: response.status, headers: response.headers, text: await response.text() };
    expectError(answer, 'UNSUPPORTED_MEDIA_TYPE');
  });
});

describe("create headers | x-api-key | required | the store's API key", () => {
  test('a request with it is accepted', async () => {
    expectCreated(await createWritten(contract, store.apiKey, validBody()));
  });

  test('a request without it is refused', async () => {
    expectError(await createWritten(contract, undefined, validBody()), 'MISSING_API_KEY');
  });
});

describe('create success', () => {
  test('HTTP 200 with exactly status and data, and no other key', async () => {
    const answer = await create(contract, store, { request_id: 'exact keys', amount: '12.3' });
    const { data } = expectCreated(answer);
    expect(JSON.parse(answer.text)).toStrictEqual({
      status: 'success',
      data: {
        request_id: 'exact keys',
        trans_id: data.trans_id,
        status: 'waiting',
        amount: '12.30',
        url_payment: `https://checkout.example/bill/${data.trans_id}`,
        expires_in_minutes: 30,
      },
    });
  });

  test('status | string | success', async () => {
    expect(expectCreated(await create(contract, store)).status).toBe('success');
  });

  test('data.request_id | string | the request_id sent in the request', async () => {
    const { data } = expectCreated(await create(contract, store, { request_id: 'order 7 😀' }));
    expect(data.request_id).toBe('order 7 😀');
    expect(expectCreated(await create(contract, store)).data).not.toHaveProperty('request_id');
  });

  test('data.trans_id | string | unique invoice code', async () => {
    const { data } = expectCreated(await create(contract, store));
    expect(data.trans_id).toMatch(/^TID-[A-Z0-9]{16}$/);
    expectFound(await lookup(contract, store.apiKey, data.trans_id));
  });

  test('data.status | string | always waiting for a newly created invoice', async () => {
    expect(expectCreated(await create(contract, store)).data.status).toBe('waiting');
  });

  test('data.amount | string | USD amount as a string', async () => {
    expect(expectCreated(await create(contract, store, { amount: 7 })).data.amount).toBe('7.00');
  });

  test('data.url_payment | string | of the shape {checkout_url}/bill/<trans_id>', async () => {
    const { data } = expectCreated(await create(contract, store));
    expect(data.url_payment).toBe(`https://checkout.example/bill/${data.trans_id}`);
  });

  test('data.expires_in_minutes | integer | invoice lifetime in minutes', async () => {
    const own = await openStore(contract.database, { lifetimeMinutes: 77 });
    expect(expectCreated(await create(contract, own)).data.expires_in_minutes).toBe(77);
  });
});

describe('create rule 1 | no wallet address and no exchange platform fails with 400 NO_PAYMENT_METHOD', () => {
  test('a store that never had a wallet', async () => {
    const own = await openStore(contract.database, { wallet: false });
    expectError(await create(contract, own), 'NO_PAYMENT_METHOD');
    expect(await countInvoices(contract.database, own.id)).toBe(0);
    expect(await readAvailable(contract.database.queries, own.id)).toBe(1_000_000_000n);
  });

  test('a store whose wallets were removed', async () => {
    const own = await openStore(contract.database);
    await removeWallets(contract.database, own.id);
    expectError(await create(contract, own), 'NO_PAYMENT_METHOD');
  });

  test('the wallet of another store does not help', async () => {
    await openStore(contract.database);
    const own = await openStore(contract.database, { wallet: false });
    expectError(await create(contract, own), 'NO_PAYMENT_METHOD');
  });
});

describe('create rule 2 | idempotency: a request_id used before by the same store returns the existing invoice', () => {
  test('the response includes idempotent set to true and the same trans_id', async () => {
    const own = await openStore(contract.database);
    const first = expectCreated(await create(contract, own, { request_id: 'order-1' }));
    const second = expectCreated(await create(contract, own, { request_id: 'order-1' }));
    expect(second).toStrictEqual({ ...first, idempotent: true });
    expect(await countInvoices(contract.database, own.id)).toBe(1);
    expect(await heldFees(own.id)).toStrictEqual([250_000n]);
  });

  test('a first answer has no idempotent key', async () => {
    expect(expectCreated(await create(contract, store, { request_id: 'once' }))).not.toHaveProperty('idempotent');
  });

  test('another request_id is another invoice', async () => {
    const first = expectCreated(await create(contract, store, { request_id: 'one' }));
    const second = expectCreated(await create(contract, store, { request_id: 'two' }));
    expect(second.data.trans_id).not.toBe(first.data.trans_id);
  });

  test('another store with the same request_id has its own invoice', async () => {
    const other = await openStore(contract.database);
    const first = expectCreated(await create(contract, store, { request_id: 'shared word' }));
    const second = expectCreated(await create(contract, other, { request_id: 'shared word' }));
    expect(second).not.toHaveProperty('idempotent');
    expect(second.data.trans_id).not.toBe(first.data.trans_id);
  });

  test('without a request_id every call is a new invoice', async () => {
    const first = expectCreated(await create(contract, store));
    const second = expectCreated(await create(contract, store));
    expect(second.data.trans_id).not.toBe(first.data.trans_id);
  });

  test('twenty calls at once with one request_id are one invoice and one fee', async () => {
    const own = await openStore(contract.database);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => create(contract, own, { request_id: 'at once' })),
    );
    const created = answers.map(expectCreated);
    expect(new Set(created.map(({ data }) => data.trans_id)).size).toBe(1);
    expect(created.filter(({ idempotent }) => idempotent === true)).toHaveLength(19);
    expect(await heldFees(own.id)).toStrictEqual([250_000n]);
  });
});

const lifted = (code: string, plan: Omit<NonNullable<StoreOptions['plan']>, 'code'>) => ({
  ...LIFTED_PLAN,
  ...plan,
  code,
});

describe('create rule 3 | fees are computed on amount (USD) and deducted from the balance of the store', () => {
  test.each([
    { title: 'rate 0.5 %', amount: '50', options: {}, fee: 250_000n, shown: '0.25' },
    { title: 'a tenth off', amount: '50', options: { discountPercent: '10' }, fee: 225_000n, shown: '0.225' },
    { title: 'half a micro-USD rounds up', amount: '0.0001', options: {}, fee: 1n, shown: '0.000001' },
    { title: 'less than half rounds down', amount: '0.00009999', options: {}, fee: undefined, shown: '0.00' },
    { title: 'a full discount', amount: '50', options: { discountPercent: '100' }, fee: undefined, shown: '0.00' },
    {
      title: 'the minimum fee of the plan',
      amount: '10',
      options: { plan: lifted('minimum', { minimumFeeMicroUsd: 300_000n }) },
      fee: 300_000n,
      shown: '0.30',
    },
    {
      title: 'above the minimum fee of the plan',
      amount: '1000',
      options: { plan: lifted('minimum', { minimumFeeMicroUsd: 300_000n }) },
      fee: 5_000_000n,
      shown: '5.00',
    },
    {
      title: 'a rate with four decimals',
      amount: '100',
      options: { plan: lifted('fine', { feeRatePercent: '1.2345' }) },
      fee: 1_234_500n,
      shown: '1.2345',
    },
    {
      title: 'the greatest amount',
      amount: '1000000',
      options: { creditMicroUsd: 5_000_000_000n },
      fee: 5_000_000_000n,
      shown: '5000.00',
    },
  ])('$title | $amount USD', async ({ amount, options, fee, shown }) => {
    const own = await openStore(contract.database, options);
    const before = await readAvailable(contract.database.queries, own.id);
    const { data } = expectCreated(await create(contract, own, { amount }));
    expect(await readAvailable(contract.database.queries, own.id)).toBe(before - (fee ?? 0n));
    expect(await heldFees(own.id)).toStrictEqual(fee === undefined ? [] : [fee]);
    await setStatus(contract.database, data.trans_id, 'completed');
    expect(expectFound(await lookup(contract, own.apiKey, data.trans_id)).fee_amount).toBe(shown);
  });

  test('a balance of exactly the fee is enough, once', async () => {
    const own = await openStore(contract.database, { creditMicroUsd: 250_000n });
    expectCreated(await create(contract, own));
    expect(await readAvailable(contract.database.queries, own.id)).toBe(0n);
    expectError(await create(contract, own, { request_id: 'second' }), 'INSUFFICIENT_BALANCE', {
      request_id: 'second',
      details: {
        current_balance: '0.00',
        required_fee: '0.25',
        shortage: '0.25',
        fee_rate_percent: '0.5',
        discount_percent: '0',
        invoice_amount: '50.00',
      },
    });
  });

  test('an insufficient balance fails with 402 INSUFFICIENT_BALANCE and leaves nothing behind', async () => {
    const own = await openStore(contract.database, { creditMicroUsd: 249_999n });
    expectError(await create(contract, own), 'INSUFFICIENT_BALANCE', {
      details: {
        current_balance: '0.249999',
        required_fee: '0.25',
        shortage: '0.000001',
        fee_rate_percent: '0.5',
        discount_percent: '0',
        invoice_amount: '50.00',
      },
    });
    expect(await countInvoices(contract.database, own.id)).toBe(0);
    expect(await readAvailable(contract.database.queries, own.id)).toBe(249_999n);
    expect(await heldFees(own.id)).toStrictEqual([]);
  });

  test('an amount without a fee needs no balance', async () => {
    const own = await openStore(contract.database, { creditMicroUsd: 0n });
    expectCreated(await create(contract, own, { amount: '0.00009999' }));
  });

  test('fees are waived during the free trial period', async () => {
    const trial = lifted('trial', { trialDays: 14, minimumFeeMicroUsd: 100_000n });
    const own = await openStore(contract.database, { plan: trial, creditMicroUsd: 0n });
    const { data } = expectCreated(await create(contract, own, { amount: 1000000 }));
    expect(await heldFees(own.id)).toStrictEqual([]);
    await setStatus(contract.database, data.trans_id, 'completed');
    expect(expectFound(await lookup(contract, own.apiKey, data.trans_id)).fee_amount).toBe('0.00');
  });

  test('fees are due when the free trial period is over', async () => {
    const trial = lifted('trial', { trialDays: 14, minimumFeeMicroUsd: 100_000n });
    const own = await openStore(contract.database, { plan: trial, creditMicroUsd: 1_000_000n });
    await contract.database.pool.query(`update stores set trial_ends_at = now() - interval '1 second' where id = $1`, [
      own.id,
    ]);
    expectCreated(await create(contract, own));
    expect(await heldFees(own.id)).toStrictEqual([250_000n]);
  });
});

describe('create rules 4 to 6', () => {
  test("4. merchant_id not matching the key's store fails with 400 INVALID_MERCHANT_ID", async () => {
    const other = await openStore(contract.database);
    expectError(await create(contract, store, { merchant_id: other.merchantId }), 'INVALID_MERCHANT_ID');
  });

  test('5. missing required fields fail with 400 VALIDATION_ERROR, each in details.errors', async () => {
    expectError(await createWritten(contract, store.apiKey, '{}'), 'VALIDATION_ERROR', {
      details: {
        errors: [
          { field: 'merchant_id', message: 'merchant_id is required.' },
          { field: 'amount', message: 'amount is required.' },
        ],
      },
    });
  });

  test('5. wrong types fail with 400 VALIDATION_ERROR', async () => {
    expectInvalid(await create(contract, store, { name: 1 }), 'name', 'name must be a string.');
  });

  test('5. constraints exceeded fail with 400 VALIDATION_ERROR, with all specifics in details.errors', async () => {
    const answer = await create(contract, store, {
      amount: 0,
      callback_url: 'no',
      name: 'n'.repeat(256),
      request_id: 'r',
    });
    expectError(answer, 'VALIDATION_ERROR', {
      request_id: 'r',
      details: {
        errors: [
          {
            field: 'amount',
            message: 'amount must be a plain decimal greater than 0 and at most 1000000, with at most 8 decimals.',
          },
          { field: 'callback_url', message: 'callback_url must be an http or https URL.' },
          { field: 'name', message: 'name may hold at most 255 characters.' },
        ],
      },
    });
  });

  test('6. the limits of this endpoint are those of Limits', async () => {
    const own = await openStore(contract.database, { plan: CONTRACT_PLAN });
    const answer = await create(contract, own);
    expectCreated(answer);
    expect(rateHeaders(answer)).toStrictEqual({ limit: '5', remaining: '4', reset: '1' });
  });
});

test('all responses are JSON, also to a path that does not exist', async () => {
  expectError(await call(contract, '/payment/cryptos', { key: store.apiKey }), 'NOT_FOUND');
});
