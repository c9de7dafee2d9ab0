import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { addWallet } from '../../src/wallets/add-wallet.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { nextAddress, openStore, TESTER } from '../../rig/stores/open-store.ts';
import { startApi } from '../../rig/processes/server-process.ts';
import type { Contract } from './contract-client.ts';
import {
  call,
  countInvoices,
  create,
  createWritten,
  expectCreated,
  expectError,
  expectFound,
  forgetWindows,
  lookup,
  openContract,
  setStatus,
} from './contract-client.ts';
import { NETWORKS } from '../../rig/chains/networks.ts';

let contract: Contract;
let store: TestStore;

beforeAll(async () => {
  contract = await openContract();
  store = await openStore(contract.database);
});
beforeEach(() => forgetWindows(contract.database));
afterAll(() => contract.close());

describe('what the service does', () => {
  test("the merchant's backend creates a payment invoice; it returns trans_id and url_payment", async () => {
    const { data } = expectCreated(await create(contract, store));
    expect(data.url_payment.endsWith(`/bill/${data.trans_id}`)).toBe(true);
  });

  test.each(['waiting', 'processing', 'completed', 'expired'] as const)(
    'the merchant can look up an invoice at any time by trans_id: %s',
    async (status) => {
      const { data } = expectCreated(await create(contract, store));
      await setStatus(contract.database, data.trans_id, status);
      expect(expectFound(await lookup(contract, store.apiKey, data.trans_id)).status).toBe(status);
    },
  );

  test.each([
    ['BSC', () => nextAddress()],
    ['ETH', () => nextAddress()],
    ['TRC20', () => 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'],
    ['SOL', () => 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'],
  ])('a store must have at least one wallet address before it can create invoices: %s', async (network, address) => {
    const own = await openStore(contract.database, { wallet: false });
    expectError(await create(contract, own), 'NO_PAYMENT_METHOD');
    const wallet = { store: own.ref, network, address: address() };
    await addWallet(
      { networks: NETWORKS, database: contract.database, clock: systemClock, jobs: undefined },
      TESTER,
      wallet,
    );
    expectCreated(await create(contract, own));
  });

  test('callback URLs should also be HTTPS, but http is accepted', async () => {
    expectCreated(await create(contract, store, { callback_url: 'http://shop.example/hook' }));
  });

  test('each store has its own API key and a merchant code', async () => {
    const other = await openStore(contract.database);
    expect(other.apiKey).not.toBe(store.apiKey);
    expect(other.merchantId).not.toBe(store.merchantId);
  });
});

const body = (requestId: string) =>
  JSON.stringify({ merchant_id: store.merchantId, amount: 50, request_id: requestId });

describe('the service is reached over HTTPS only', () => {
  let production: Contract;
  let direct: Contract;

  beforeAll(async () => {
    const settings = { COUNTERFOIL_ENVIRONMENT: 'production' };
    const proxied = await startApi(contract.url, { ...settings, COUNTERFOIL_TRUSTED_PROXIES: '127.0.0.1/32' });
    production = { ...contract, server: proxied };
    direct = { ...contract, server: await startApi(contract.url, settings) };
  });
  afterAll(() => Promise.all([production.server.stop(), direct.server.stop()]));

  const https = { 'x-forwarded-proto': 'https' };
  test('forwarded https is served', async () => {
    const { data } = expectCreated(await createWritten(production, store.apiKey, body('https'), https));
    expectFound(await lookup(production, store.apiKey, data.trans_id, https));
  });

  test.each([
    ['no x-forwarded-proto', {}],
    ['forwarded http', { 'x-forwarded-proto': 'http' }],
    ['forwarded http behind a forged https', { 'x-forwarded-proto': 'https, http' }],
  ])('refused with 403 HTTPS_REQUIRED, not redirected: %s', async (_case, headers: Record<string, string>) => {
    const before = await countInvoices(contract.database, store.id);
    const answer = await createWritten(production, store.apiKey, body('plain'), headers);
    expectError(answer, 'HTTPS_REQUIRED');
    expect(answer.headers.has('location')).toBe(false);
    expectError(await lookup(production, store.apiKey, 'TID-AAAAAAAAAAAAAAAA', headers), 'HTTPS_REQUIRED');
    expectError(await call(production, '/nowhere', { headers }), 'HTTPS_REQUIRED');
    expect(await countInvoices(contract.database, store.id)).toBe(before);
  });

  test('x-forwarded-proto of a caller that is no trusted proxy is not believed', async () => {
    expectError(await createWritten(direct, store.apiKey, body('forged'), https), 'HTTPS_REQUIRED');
  });

  test('browsers are told to stay with https', async () => {
    const answer = await lookup(production, store.apiKey, 'TID-AAAAAAAAAAAAAAAA', https);
    expect(answer.headers.get('strict-transport-security')).toBe('max-age=63072000; includeSubDomains');
  });
});
