import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readAvailable } from '../../src/ledger/ledger-sql.ts';
import { activateMerchant } from '../../src/merchants/activate-merchant.ts';
import { activateStore } from '../../src/stores/activate-store.ts';
import { systemClock } from '../../src/lib/clock.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { openStore, TESTER } from '../../rig/stores/open-store.ts';
import type { Contract, Settlement } from './contract-client.ts';
import {
  create,
  expectCreated,
  expectError,
  expectFound,
  lookup,
  openContract,
  SELECTION,
  selectToken,
  setStatus,
  SETTLEMENT,
} from './contract-client.ts';

let contract: Contract;
let store: TestStore;

beforeAll(async () => {
  contract = await openContract();
  store = await openStore(contract.database);
});
afterAll(() => contract.close());

async function createInvoice(fields: Record<string, unknown> = {}): Promise<string> {
  return expectCreated(await create(contract, store, fields)).data.trans_id;
}

async function find(transId: string) {
  return expectFound(await lookup(contract, store.apiKey, transId));
}

const STATUSES = ['waiting', 'processing', 'completed', 'expired'] as const;
const ALWAYS = ['trans_id', 'status', 'amount', 'created_at', 'expires_at'];
const SUPPLIED = ['request_id', 'name', 'description'];
const SELECTED = ['token_symbol', 'network_symbol', 'token_amount', 'token_price', 'to_address'];
const COMPLETED = ['transaction_hash', 'from_address', 'fee_amount', 'callback_status'];

describe('Invoice | always', () => {
  test('trans_id | string | always | TID- followed by 16 uppercase alphanumeric characters', async () => {
    const transId = await createInvoice();
    expect(transId).toMatch(/^TID-[A-Z0-9]{16}$/);
    expect((await find(transId)).trans_id).toBe(transId);
  });

  test('trans_id | string | always | unique', async () => {
    const made = await Promise.all(Array.from({ length: 30 }, () => createInvoice()));
    expect(new Set(made).size).toBe(30);
  });

  test.each(STATUSES)(
    'status | string | always | one of waiting, processing, completed, expired: %s',
    async (status) => {
      const transId = await createInvoice();
      await setStatus(contract.database, transId, status);
      expect((await find(transId)).status).toBe(status);
    },
  );

  test('amount | string | always | USD amount, serialized as a string', async () => {
    expect((await find(await createInvoice({ amount: 12.5 }))).amount).toBe('12.50');
  });

  test('created_at | integer | always | creation time, Unix timestamp in seconds', async () => {
    const transId = await createInvoice();
    const { rows } = await contract.database.pool.query(
      'select floor(extract(epoch from created_at))::float8 as created_at from invoices where trans_id = $1',
      [transId],
    );
    expect(rows).toEqual([{ created_at: (await find(transId)).created_at }]);
  });

  test('expires_at | integer | always | expiry time, Unix timestamp in seconds', async () => {
    const invoice = await find(await createInvoice());
    expect(invoice.expires_at).toBe(invoice.created_at + 30 * 60);
  });
});

describe('Invoice | only if supplied at creation', () => {
  test.each([
    { field: 'request_id', maximum: 255, meaning: "merchant's own order ID" },
    { field: 'name', maximum: 255, meaning: 'invoice title' },
    { field: 'description', maximum: 1000, meaning: 'invoice description' },
  ] as const)(
    '$field | string, max $maximum chars | only if supplied at creation | $meaning',
    async ({ field, maximum }) => {
      const written = `${field} é 漢 😀 <b>"\\/ `.padEnd(maximum, 'x');
      const supplied = await find(await createInvoice({ [field]: written }));
      expect(supplied[field]).toBe(written);
      expect(Object.keys(supplied).toSorted()).toStrictEqual([...ALWAYS, field].toSorted());
      expect(await find(await createInvoice())).not.toHaveProperty(field);
    },
  );

  test.each(['callback_url', 'completed_url', 'expired_url'])('%s | not returned by lookup', async (field) => {
    const invoice = await find(await createInvoice({ [field]: 'https://shop.example/here' }));
    expect(Object.keys(invoice).toSorted()).toStrictEqual(ALWAYS.toSorted());
  });
});

describe('Invoice | only after the customer has selected a token/network', () => {
  const selection = { ...SELECTION, network: 'TRC20', token: 'USDT', amount: '49.9900410', price: '1.00020000' };

  test.each([
    { field: 'token_symbol', meaning: 'selected token', expected: 'USDT' },
    { field: 'network_symbol', meaning: 'network', expected: 'TRC20' },
    { field: 'token_amount', meaning: 'amount of crypto to transfer', expected: '49.990041' },
    { field: 'token_price', meaning: 'exchange rate at the time of selection', expected: '1.0002' },
    { field: 'to_address', meaning: 'receiving wallet address', expected: SELECTION.toAddress },
  ] as const)('$field | string | only after selection | $meaning', async ({ field, expected }) => {
    const transId = await createInvoice();
    expect(await find(transId)).not.toHaveProperty(field);
    await selectToken(contract.database, transId, selection);
    expect((await find(transId))[field]).toBe(expected);
  });

  test.each(['BSC', 'ETH', 'TRC20', 'SOL', 'POLYGON', 'ARBITRUM', 'OPTIMISM', 'BASE', 'AVAX', 'EXCHANGE_PAY'])(
    'network_symbol | string | only after selection | shown as it is named: %s',
    async (network) => {
      const transId = await createInvoice();
      await selectToken(contract.database, transId, { ...SELECTION, network });
      expect((await find(transId)).network_symbol).toBe(network);
    },
  );

  test.each([
    ['a whole number keeps its zeros', '100', '60000', '100', '60000'],
    ['only zeros behind the point go', '100.000000', '60000.00', '100', '60000'],
    ['small digits stay', '0.00000001', '0.000000000000000001', '0.00000001', '0.000000000000000001'],
    ['18 decimals stay exact', '1234567.123456789012345678', '3.1', '1234567.123456789012345678', '3.1'],
  ])(
    'token_amount, token_price | string | exact decimals: %s',
    async (_case, amount, price, shownAmount, shownPrice) => {
      const transId = await createInvoice();
      await selectToken(contract.database, transId, { ...SELECTION, amount, price });
      const invoice = await find(transId);
      expect([invoice.token_amount, invoice.token_price]).toStrictEqual([shownAmount, shownPrice]);
    },
  );
});

async function findCompleted(settlement: Settlement) {
  const transId = await createInvoice();
  for (const field of COMPLETED) expect(await find(transId)).not.toHaveProperty(field);
  await setStatus(contract.database, transId, 'completed', settlement);
  return find(transId);
}

describe('Invoice | only when status is completed', () => {
  test('transaction_hash | string | only when completed | blockchain transaction hash', async () => {
    expect((await findCompleted(SETTLEMENT)).transaction_hash).toBe(SETTLEMENT.hash);
  });

  test("from_address | string | only when completed | sender's wallet address", async () => {
    expect((await findCompleted(SETTLEMENT)).from_address).toBe(SETTLEMENT.from);
  });

  test('fee_amount | string | only when completed | fee deducted, in USD', async () => {
    expect((await findCompleted(SETTLEMENT)).fee_amount).toBe('0.25');
  });

  test.each(['success', 'failed', null] as const)(
    'callback_status | string or null | only when completed | success, failed or null: %s',
    async (callbackStatus) => {
      const invoice = await findCompleted({ ...SETTLEMENT, callbackStatus });
      expect(invoice).toHaveProperty('callback_status', callbackStatus);
    },
  );
});

describe('Invoice | presence by status and selection, no other keys', () => {
  const cases = STATUSES.flatMap((status) => [false, true].map((selected) => ({ status, selected })));

  test.each(cases)('status $status, selected $selected', async ({ status, selected }) => {
    const transId = await createInvoice({ request_id: `presence ${status} ${selected}`, name: 'n', description: 'd' });
    if (selected) await selectToken(contract.database, transId);
    await setStatus(contract.database, transId, status);
    const expected = [
      ...ALWAYS,
      ...SUPPLIED,
      ...(selected ? SELECTED : []),
      ...(status === 'completed' ? COMPLETED : []),
    ];
    expect(Object.keys(await find(transId)).toSorted()).toStrictEqual(expected.toSorted());
  });
});

describe('Invoice | belongs to exactly one store', () => {
  test('lookups only return invoices of the store that owns the API key used', async () => {
    const other = await openStore(contract.database);
    const transId = await createInvoice();
    expect((await find(transId)).trans_id).toBe(transId);
    expectError(await lookup(contract, other.apiKey, transId), 'INVOICE_NOT_FOUND', { details: { trans_id: transId } });
  });

  test('two stores of one merchant account do not see each other', async () => {
    const sibling = await openStore(contract.database, { wallet: false });
    await contract.database.pool.query('update stores set merchant_account_id = $2 where id = $1', [
      sibling.id,
      store.merchantAccountId,
    ]);
    const transId = await createInvoice();
    const answer = await lookup(contract, sibling.apiKey, transId);
    expectError(answer, 'INVOICE_NOT_FOUND', { details: { trans_id: transId } });
  });
});

describe('Store and merchant', () => {
  test('the merchant code is a non-empty string', () => {
    expect(store.merchantId).toMatch(/^\S+$/);
  });

  test("the merchant code must match the API key's store", async () => {
    const other = await openStore(contract.database);
    expectError(await create(contract, store, { merchant_id: other.merchantId }), 'INVALID_MERCHANT_ID');
  });

  test('a store has an active/inactive state', async () => {
    const own = await openStore(contract.database);
    const context = { database: contract.database, clock: systemClock, jobs: undefined };
    await activateStore(context, TESTER, { store: own.ref, active: false });
    expectError(await create(contract, own), 'STORE_INACTIVE');
    await activateStore(context, TESTER, { store: own.ref, active: true });
    expectCreated(await create(contract, own));
  });

  test('the owning merchant account has an active/inactive state', async () => {
    const own = await openStore(contract.database);
    const { merchantAccountId } = own;
    const context = { database: contract.database, clock: systemClock };
    await activateMerchant(context, TESTER, { merchantAccountId, active: false });
    expectError(await create(contract, own), 'ACCOUNT_INACTIVE');
    await activateMerchant(context, TESTER, { merchantAccountId, active: true });
    expectCreated(await create(contract, own));
  });

  test('a store has a balance from which fees are deducted', async () => {
    const own = await openStore(contract.database, { creditMicroUsd: 1_000_000n });
    expectCreated(await create(contract, own));
    expect(await readAvailable(contract.database.queries, own.id)).toBe(750_000n);
  });

  test.each([10, 45, 1440])(
    'an invoice lifetime of %i minutes shows in expires_in_minutes on creation and in expires_at on lookup',
    async (lifetimeMinutes) => {
      const own = await openStore(contract.database, { lifetimeMinutes });
      const { data } = expectCreated(await create(contract, own));
      const invoice = expectFound(await lookup(contract, own.apiKey, data.trans_id));
      expect(data.expires_in_minutes).toBe(lifetimeMinutes);
      expect(invoice.expires_at - invoice.created_at).toBe(lifetimeMinutes * 60);
    },
  );
});
