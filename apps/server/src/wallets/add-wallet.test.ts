import { normalizeAddress } from '@counterfoil/core/address.ts';
import { storeForOperator } from '../stores/store-for-operator.ts';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import type { TestDatabase } from '../../rig/database/test-database.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { LIFTED_PLAN, nextAddress, openStore } from '../../rig/stores/open-store.ts';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import { verifyAudit } from '../audit/verify-audit.ts';
import { createManualClock, systemClock } from '../lib/clock.ts';
import { createStore } from '../stores/create-store.ts';
import { addWallet } from './add-wallet.ts';
import { listWallets } from './wallet-sql.ts';
import { NETWORKS } from '../../rig/chains/networks.ts';

const CONNECTIONS = 6;
const TRON = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
const SOLANA = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';

let own: TestDatabase;
let store: TestStore;
beforeEach(async () => {
  own = await openTestDatabase(inject('template'), CONNECTIONS);
  store = await openStore(own.database, { wallet: false });
});
afterEach(() => own.drop());

const ALICE = { kind: 'operator', name: 'alice' } as const;
const context = () => ({
  networks: NETWORKS,
  database: own.database,
  clock: systemClock,
  ring: store.ring,
  jobs: undefined,
});
const add = async (merchantId: string, network: string, address: string) =>
  addWallet(context(), ALICE, { store: await storeForOperator(context(), ALICE, merchantId), network, address });
const walletsOf = (one: { id: bigint }) => listWallets(own.database.queries, one.id);

async function openSibling() {
  return createStore(context(), ALICE, {
    merchantAccountId: store.merchantAccountId,
    name: 'Sibling',
    planCode: LIFTED_PLAN.code,
    discountPercent: '0',
    lifetimeMinutes: 30,
    httpsCallbacksOnly: false,
  });
}

test('a wallet is listed with its address in the one written form and the time of the injected clock', async () => {
  const address = nextAddress();
  const clock = createManualClock(Date.UTC(2026, 10, 15));
  await addWallet({ ...context(), clock }, ALICE, { store: store.ref, network: 'BSC', address });
  expect(await walletsOf(store)).toEqual([
    { network: 'BSC', address: normalizeAddress('evm', address), addedAt: new Date(Date.UTC(2026, 10, 15)) },
  ]);
});

test.each([
  ['TRC20', TRON],
  ['SOL', SOLANA],
])('%s takes addresses of its family', async (network, address) => {
  expect(await add(store.merchantId, network, address)).toEqual({ address });
});

test('an address belongs to one merchant, on every network of its family and in every spelling', async () => {
  const other = await openStore(own.database, { wallet: false });
  const address = '0xd8da6bf26964af9d7eed9e03e53415d37aa96045';
  await add(store.merchantId, 'BSC', address);
  for (const network of ['BSC', 'ETH', 'POLYGON']) {
    await expect(add(other.merchantId, network, address)).rejects.toMatchObject({
      code: 'ADDRESS_OF_ANOTHER_MERCHANT',
    });
    await expect(add(other.merchantId, network, '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045')).rejects.toMatchObject({
      code: 'ADDRESS_OF_ANOTHER_MERCHANT',
    });
  }
  expect(await walletsOf(other)).toEqual([]);
});

test('a test store receives in the sandbox alone, and a live store never there', async () => {
  const trying = await openStore(own.database, { test: true, ring: store.ring });
  const given = await walletsOf(trying);
  expect(given.map(({ network }) => network)).toEqual([...NETWORKS.keys()].filter((id) => id.startsWith('sandbox:')));
  expect(given.map(({ address }) => address).every((address) => address.endsWith(trying.merchantId))).toBe(true);
  await expect(add(trying.merchantId, 'BSC', nextAddress())).rejects.toMatchObject({
    code: 'TEST_STORE_ON_LIVE_NETWORK',
  });
  await expect(add(store.merchantId, 'sandbox:BSC', 'test-bsc-MID')).rejects.toMatchObject({ code: 'SANDBOX_NETWORK' });
  expect(await walletsOf(trying)).toEqual(given);
});

test('two merchants that claim an address at the same moment: one gets it, the other is refused', async () => {
  const others = [
    store,
    await openStore(own.database, { wallet: false }),
    await openStore(own.database, { wallet: false }),
  ];
  const address = nextAddress();
  const results = await Promise.allSettled(others.map((one) => add(one.merchantId, 'BSC', address)));
  expect(results.filter((one) => one.status === 'fulfilled')).toHaveLength(1);
  const refusals = results.filter((one) => one.status === 'rejected').map((one) => one.reason as unknown);
  expect(refusals).toHaveLength(2);
  for (const refusal of refusals) expect(refusal).toMatchObject({ code: 'ADDRESS_OF_ANOTHER_MERCHANT' });
});

test('the database itself refuses a wallet at an address of another merchant', async () => {
  const other = await openStore(own.database, { wallet: false });
  await add(store.merchantId, 'BSC', nextAddress());
  const forged = own.database.pool.query(
    `insert into wallets (store_id, merchant_account_id, network, family, address, added_at)
     select $1, $2, network, family, address, added_at from wallets`,
    [other.id, other.merchantAccountId],
  );
  await expect(forged).rejects.toMatchObject({ code: '23503' });
});

test('a second store of the same merchant may use the address', async () => {
  const sibling = await openSibling();
  const address = nextAddress();
  await add(store.merchantId, 'BSC', address);
  await add(sibling.merchantId, 'BSC', address);
  expect(await walletsOf(sibling)).toHaveLength(1);
});

test('the same address on another network of the family is another wallet; on the same network it is refused', async () => {
  const address = nextAddress();
  await add(store.merchantId, 'BSC', address);
  await add(store.merchantId, 'ETH', address);
  await expect(add(store.merchantId, 'BSC', address)).rejects.toMatchObject({
    code: 'WALLET_EXISTS',
    details: { network: 'BSC' },
  });
  expect((await walletsOf(store)).map((wallet) => wallet.network)).toEqual(['BSC', 'ETH']);
});

test('the same wallet added many times at once is there once', async () => {
  const address = nextAddress();
  const results = await Promise.allSettled(
    Array.from({ length: CONNECTIONS }, () => add(store.merchantId, 'BSC', address)),
  );
  expect(results.filter((one) => one.status === 'fulfilled')).toHaveLength(1);
  expect(await walletsOf(store)).toHaveLength(1);
});

test.each([
  ['BSC', '0x1234'],
  ['BSC', '0x0000000000000000000000000000000000000000'],
  ['BSC', '0xD8dA6BF26964aF9D7eEd9e03E53415D37aA96045'],
  ['BSC', TRON],
  ['TRC20', '0xd8da6bf26964af9d7eed9e03e53415d37aa96045'],
  ['SOL', TRON],
  ['SOL', ''],
])('on %s the address "%s" is refused, because what is sent there is lost', async (network, address) => {
  await expect(add(store.merchantId, network, address)).rejects.toMatchObject({ code: 'ADDRESS_INVALID' });
});

test('an unknown network is refused by name, with a list of those that are known', async () => {
  const details = { network: 'DOGE', known: expect.arrayContaining(['BSC', 'ETH']) };
  const unknown = add(store.merchantId, 'DOGE', nextAddress());
  await expect(unknown).rejects.toMatchObject({ code: 'NETWORK_UNKNOWN', details });
});

test('an added wallet is audited; a refused one leaves neither an audit entry nor a claim', async () => {
  const { entries } = await verifyAudit(own.database.queries);
  const { address } = await add(store.merchantId, 'BSC', nextAddress());
  await add(store.merchantId, 'BSC', address).catch(() => {});
  const { rows } = await own.database.pool.query(
    'select actor, action, subject, details from audit_entries where id > $1',
    [entries],
  );
  expect(rows).toEqual([
    {
      actor: 'cli:alice',
      action: 'wallet.add',
      subject: `store:${store.id}`,
      details: { after: { network: 'BSC', address }, atOnce: 'first-method' },
    },
  ]);
});
