import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { creditBalance } from '../../src/ledger/credit-balance.ts';
import { readAvailable } from '../../src/ledger/ledger-sql.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { activateMerchant } from '../../src/merchants/activate-merchant.ts';
import { activateStore } from '../../src/stores/activate-store.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { CONTRACT_PLAN, openStore, TESTER } from '../../rig/stores/open-store.ts';
import type { Contract } from './contract-client.ts';
import {
  call,
  create,
  createWritten,
  expectCreated,
  expectError,
  expectInvalid,
  expectLimited,
  forgetWindows,
  lookup,
  openContract,
  removeWallets,
  setWindows,
} from './contract-client.ts';

let contract: Contract;

beforeAll(async () => {
  contract = await openContract();
});
beforeEach(() => forgetWindows(contract.database));
afterAll(() => contract.close());

const disableStore = ({ ref }: TestStore) =>
  activateStore({ database: contract.database, clock: systemClock, jobs: undefined }, TESTER, {
    store: ref,
    active: false,
  });
const disableAccount = ({ merchantAccountId }: TestStore) =>
  activateMerchant({ database: contract.database, clock: systemClock }, TESTER, { merchantAccountId, active: false });

async function drain({ id, ref }: TestStore): Promise<void> {
  const available = await readAvailable(contract.database.queries, id);
  await creditBalance({ database: contract.database, clock: systemClock }, TESTER, {
    store: ref,
    microUsd: -available,
    note: 'test',
  });
}

const limitCreate = (bucket: string) =>
  setWindows(contract.database, bucket, 'create', { burstUsed: 5, sustainedUsed: 5 });
const limitLookup = (bucket: string) =>
  setWindows(contract.database, bucket, 'lookup', { burstUsed: 20, sustainedUsed: 20 });

/** Bodies that no admitted caller may send, with a request_id where one can be read. */
const BAD_BODIES: [string, string, Record<string, string>][] = [
  ['no object', '[]', {}],
  ['malformed JSON', '{', {}],
  ['missing fields', '{}', {}],
  ['too large', `{"request_id":"${'x'.repeat(20_000)}"}`, {}],
  ['another media type', '{}', { 'content-type': 'text/plain' }],
  ['a media type that is none', '{}', { 'content-type': 'garbage' }],
  ['an encoding', '{}', { 'content-encoding': 'gzip' }],
];

describe('order on create | parse body, admit, account, store, body, merchant_id, replay, payment method, balance', () => {
  test.each(BAD_BODIES)('limit before body: %s', async (_case, body, headers) => {
    const store = await openStore(contract.database, { plan: CONTRACT_PLAN });
    await limitCreate(`s${store.id}`);
    expectLimited(await createWritten(contract, store.apiKey, body, headers), 'create', 'burst');
  });

  test('limit before key', async () => {
    await limitCreate('a127.0.0.1');
    expectLimited(await createWritten(contract, undefined, '{}'), 'create', 'burst');
    expectLimited(await createWritten(contract, 'unknown', '{}'), 'create', 'burst');
  });

  test('limit before account and store', async () => {
    const store = await openStore(contract.database, { plan: CONTRACT_PLAN });
    await disableStore(store);
    await disableAccount(store);
    await limitCreate(`s${store.id}`);
    expectLimited(await create(contract, store), 'create', 'burst');
  });

  test.each(BAD_BODIES)('key before body: %s', async (_case, body, headers) => {
    expectError(await createWritten(contract, undefined, body, headers), 'MISSING_API_KEY');
    expectError(await createWritten(contract, 'unknown', body, headers), 'INVALID_API_KEY');
  });

  test('account before store', async () => {
    const store = await openStore(contract.database);
    await disableStore(store);
    await disableAccount(store);
    expectError(await create(contract, store), 'ACCOUNT_INACTIVE');
  });

  test.each(BAD_BODIES)('account before body: %s', async (_case, body, headers) => {
    const store = await openStore(contract.database);
    await disableAccount(store);
    expectError(await createWritten(contract, store.apiKey, body, headers), 'ACCOUNT_INACTIVE');
  });

  test.each(BAD_BODIES)('store before body: %s', async (_case, body, headers) => {
    const store = await openStore(contract.database);
    await disableStore(store);
    expectError(await createWritten(contract, store.apiKey, body, headers), 'STORE_INACTIVE');
  });

  test('body before merchant_id', async () => {
    const store = await openStore(contract.database);
    const answer = await create(contract, store, { merchant_id: 'MID-AAAAAAAAAAAA', name: 5 });
    expectInvalid(answer, 'name', 'name must be a string.');
  });

  test('body before replay', async () => {
    const store = await openStore(contract.database);
    expectCreated(await create(contract, store, { request_id: 'used' }));
    const answer = await create(contract, store, { request_id: 'used', amount: null });
    expectInvalid(answer, 'amount', 'amount is required.', { request_id: 'used' });
  });

  test('merchant_id before replay', async () => {
    const store = await openStore(contract.database);
    expectCreated(await create(contract, store, { request_id: 'used' }));
    const answer = await create(contract, store, { request_id: 'used', merchant_id: 'MID-AAAAAAAAAAAA' });
    expectError(answer, 'INVALID_MERCHANT_ID', { request_id: 'used' });
  });

  test('merchant_id before payment method and balance', async () => {
    const store = await openStore(contract.database, { wallet: false, creditMicroUsd: 0n });
    expectError(await create(contract, store, { merchant_id: 'MID-AAAAAAAAAAAA' }), 'INVALID_MERCHANT_ID');
  });

  test('replay before payment method', async () => {
    const store = await openStore(contract.database);
    const first = expectCreated(await create(contract, store, { request_id: 'used' }));
    await removeWallets(contract.database, store.id);
    const replay = expectCreated(await create(contract, store, { request_id: 'used' }));
    expect(replay).toStrictEqual({ ...first, idempotent: true });
    expectError(await create(contract, store, { request_id: 'new' }), 'NO_PAYMENT_METHOD', { request_id: 'new' });
  });

  test('replay before balance', async () => {
    const store = await openStore(contract.database);
    const first = expectCreated(await create(contract, store, { request_id: 'used' }));
    await drain(store);
    const replay = expectCreated(await create(contract, store, { request_id: 'used', amount: '1000000' }));
    expect(replay).toStrictEqual({ ...first, idempotent: true });
    expect((await create(contract, store, { request_id: 'new' })).status).toBe(402);
  });

  test('payment method before balance', async () => {
    const store = await openStore(contract.database, { wallet: false, creditMicroUsd: 0n });
    expectError(await create(contract, store), 'NO_PAYMENT_METHOD');
  });

  test('every error repeats a valid request_id, also that of a body with other faults', async () => {
    const body = JSON.stringify({ request_id: 'order-1', amount: {}, name: 5 });
    const store = await openStore(contract.database, { plan: CONTRACT_PLAN });
    const echo = { request_id: 'order-1' };
    expectError(await createWritten(contract, undefined, body), 'MISSING_API_KEY', echo);
    expectError(await createWritten(contract, 'unknown', body), 'INVALID_API_KEY', echo);
    expect(JSON.parse((await createWritten(contract, store.apiKey, body)).text)).toMatchObject(echo);
    await limitCreate(`s${store.id}`);
    expectLimited(await createWritten(contract, store.apiKey, body), 'create', 'burst', echo);
    await disableStore(store);
    await forgetWindows(contract.database);
    expectError(await createWritten(contract, store.apiKey, body), 'STORE_INACTIVE', echo);
  });
});

describe('order on get | admit, account, store, MISSING_TRANS_ID, format, lookup', () => {
  const FAULTS = ['', 'no-format', '%zz', 'TID-AAAAAAAAAAAAAAAA'];

  test.each(FAULTS)('limit before key and path: /invoice/%s', async (transId) => {
    await limitLookup('a127.0.0.1');
    expectLimited(await lookup(contract, undefined, transId), 'lookup', 'burst');
    const store = await openStore(contract.database, { plan: CONTRACT_PLAN });
    await disableStore(store);
    await disableAccount(store);
    await limitLookup(`s${store.id}`);
    expectLimited(await lookup(contract, store.apiKey, transId), 'lookup', 'burst');
  });

  test.each(FAULTS)('key before path: /invoice/%s', async (transId) => {
    expectError(await lookup(contract, undefined, transId), 'MISSING_API_KEY');
    expectError(await lookup(contract, 'unknown', transId), 'INVALID_API_KEY');
  });

  test.each(FAULTS)('account before store, store before path: /invoice/%s', async (transId) => {
    const store = await openStore(contract.database);
    await disableStore(store);
    expectError(await lookup(contract, store.apiKey, transId), 'STORE_INACTIVE');
    await disableAccount(store);
    expectError(await lookup(contract, store.apiKey, transId), 'ACCOUNT_INACTIVE');
  });

  test('MISSING_TRANS_ID before format', async () => {
    const store = await openStore(contract.database);
    expectError(await call(contract, '/invoice/', { key: store.apiKey }), 'MISSING_TRANS_ID');
  });

  test('format before lookup', async () => {
    const store = await openStore(contract.database);
    const { data } = expectCreated(await create(contract, store));
    const transId = data.trans_id.toLowerCase();
    expectError(await lookup(contract, store.apiKey, transId), 'INVALID_TRANS_ID_FORMAT', {
      details: { trans_id: transId, expected_format: 'TID-XXXXXXXXXXXXXXXX' },
    });
  });
});
