import pino from 'pino';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { ExchangeFixture, ExchangeSite } from '../../rig/exchanges/exchange-fixture.ts';
import {
  addAccount,
  openExchangeFixture,
  openExchangeSite,
  openPayment,
  pass,
  payQuote,
  poll,
} from '../../rig/exchanges/exchange-fixture.ts';
import type { FakeAccount } from '../../rig/exchanges/fake-exchange.ts';
import { NETWORKS } from '../../rig/chains/networks.ts';
import { fail } from '../../rig/invoices/engine-fixture.ts';
import { statusOf } from '../../rig/invoices/look-up.ts';
import { openBeside } from '../../rig/stores/open-beside.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { nextAddress, openStore, TESTER } from '../../rig/stores/open-store.ts';
import { finishStatements, followStatements } from '../../src/accounts/follow-statements.ts';
import type { StoreRef } from '../../src/db/store-ref.ts';
import { createStatementSources } from '../../src/platforms/create-statement-sources.ts';
import { createRequestGate } from '../../src/platforms/exchange/request-gate.ts';
import { storeForOperator } from '../../src/stores/store-for-operator.ts';
import { addExchangeAccount } from '../../src/wallets/add-exchange-account.ts';
import { applyMethodChanges } from '../../src/wallets/apply-method-changes.ts';
import { checkDueKeys } from '../../src/wallets/check-due-keys.ts';
import { checkExchangeAccount } from '../../src/wallets/check-exchange-account.ts';
import { findExchangeAccount } from '../../src/wallets/exchange-account-sql.ts';
import { isOffered } from '../../src/wallets/exchange-account.ts';
import { requireStatementSource } from '../../src/wallets/statement-sources.ts';
import { stopExchangeAccount } from '../../src/wallets/stop-exchange-account.ts';

/** Keys of exchange accounts that are refused, replaced, or checked while they are replaced. */

const MINUTE = 60;
const HOUR_MS = 3_600_000;
const WORKER = { kind: 'worker', name: 'test' } as const;
const log = pino({ level: 'silent' });

let site: ExchangeSite;
let kucoin: ExchangeSite;
beforeAll(async () => {
  [site, kucoin] = [
    await openExchangeSite(inject('template'), 'BINANCE'),
    await openExchangeSite(inject('template'), 'KUCOIN'),
  ];
});
afterAll(() => Promise.all([site.close(), kucoin.close()]));

function partsOf({ engine }: ExchangeSite, ring: TestStore['ring']) {
  const { clock } = engine;
  const gate = createRequestGate({ clock, wait: (ms) => clock.wait(ms) });
  const statements = createStatementSources(NETWORKS, { clock, gate });
  return { clock, networks: NETWORKS, statements, ring, anyBaseUrl: true, jobs: undefined };
}

const workerOf = (at: ExchangeSite, ring: TestStore['ring']) => ({
  ...partsOf(at, ring),
  database: at.engine.as('worker'),
  log,
});

type AddInput = { ring: TestStore['ring']; store: StoreRef; key: FakeAccount; now?: { reason: string } };

const add = (at: ExchangeSite, { ring, store, key, now }: AddInput) =>
  addExchangeAccount({ ...partsOf(at, ring), database: at.engine.as('admin') }, TESTER, {
    store,
    network: at.network,
    baseUrl: at.fake.url,
    credentials: key.credentials,
    now,
  });

const accountOf = async ({ engine, network }: ExchangeSite, { uid }: FakeAccount) =>
  (await findExchangeAccount(engine.database.queries, { network, account: uid })) ?? fail();

const isOfferedNow = async (at: ExchangeSite, account: FakeAccount) =>
  isOffered(await accountOf(at, account), at.engine.clock.nowMs());

/** Polls one exchange account alone. */
async function pollOne({ engine, follower, network }: ExchangeFixture, { uid }: FakeAccount): Promise<void> {
  await engine.database.pool.query(
    `update followed_accounts set next_read_at = case when account = $2 then '-infinity'::timestamptz else 'infinity' end
     where network = $1`,
    [network, uid],
  );
  await followStatements(follower);
  await finishStatements(follower);
}

describe('a key whose list of addresses lacks ours', () => {
  test('is marked, and another merchant is paid at the same platform meanwhile', async () => {
    const fixture = await openExchangeFixture(kucoin);
    const { engine } = fixture;
    const other = await openStore(engine.database, { clock: engine.clock, wallet: false });
    const bad = await addAccount(fixture, other);
    const open = await openPayment(fixture);
    await openPayment({ ...fixture, store: other, account: bad }, other);
    bad.change({ refusesAddress: true });
    await pollOne(fixture, bad);
    payQuote(fixture, open);
    engine.clock.advance(2_000);
    await pollOne(fixture, fixture.account);
    expect(await statusOf(engine, fixture.store, open.transId)).toBe('completed');
    expect(await accountOf(kucoin, bad)).toMatchObject({ fault: expect.stringMatching(/^refused: .*400006/) });
    expect(await accountOf(kucoin, fixture.account)).toMatchObject({ fault: null });
  });
});

test('a key that was refused once is checked again within minutes, and is offered again', async () => {
  const fixture = await openExchangeFixture(site);
  const { account, store } = fixture;
  await openPayment(fixture);
  account.change({ refusesAddress: true });
  await poll(fixture);
  expect(await isOfferedNow(site, account)).toBe(false);
  account.change({ refusesAddress: false });
  await pass(fixture, MINUTE);
  await checkDueKeys(workerOf(site, store.ring), WORKER);
  expect(await accountOf(site, account)).toMatchObject({ fault: null });
  expect(await isOfferedNow(site, account)).toBe(true);
});

test('a key that a check finds refused is checked again after ten minutes', async () => {
  const fixture = await openExchangeFixture(site);
  const { account, store, engine } = fixture;
  const check = () => checkDueKeys(workerOf(site, store.ring), WORKER);
  account.change({ refusesAddress: true });
  engine.clock.advance(6 * HOUR_MS);
  await check();
  expect(await isOfferedNow(site, account)).toBe(false);
  account.change({ refusesAddress: false });
  engine.clock.advance(10 * MINUTE * 1_000);
  await check();
  expect(await isOfferedNow(site, account)).toBe(true);
});

test('a key with which its platform shows no statement is not accepted, though the platform describes it as good', async () => {
  const { engine, fake } = kucoin;
  const store = await openStore(engine.database, { clock: engine.clock, wallet: false });
  const key = fake.openAccount();
  fake.misbehave({ kind: 'error', status: 401, part: 'statement' });
  await expect(add(kucoin, { ring: store.ring, store: store.ref, key })).rejects.toMatchObject({
    code: 'EXCHANGE_KEY_REFUSED',
    details: { fault: expect.stringMatching(/^refused: /) },
  });
  fake.misbehave(null);
  expect(await add(kucoin, { ring: store.ring, store: store.ref, key })).toMatchObject({ account: key.uid });
});

let people = 0;

/** Two live stores of one merchant, whose changes of payment methods wait because the merchant has an owner. */
async function openTwoStores(): Promise<{ store: TestStore; beside: StoreRef }> {
  const { engine } = site;
  const store = await openStore(engine.database, { clock: engine.clock });
  people += 1;
  await engine.database.pool.query(
    `with p as (insert into people (code, mail_normal, mail_shown, name, language, created_at)
       values ('PER-K' || $1::integer, 'k' || $1 || '@acme.test', 'k' || $1 || '@acme.test', 'Owner', 'en', now()) returning id)
     insert into memberships (merchant_account_id, person_id, role, since) select $2, id, 'owner', now() from p`,
    [people, store.merchantAccountId],
  );
  const { merchantId } = await openBeside(engine.database, store, nextAddress());
  const beside = await storeForOperator({ database: engine.database }, TESTER, merchantId);
  return { store, beside };
}

const NOW = { reason: 'test' };

describe('a change of payment methods that waited', () => {
  test('does not put its key in the place of a newer one', async () => {
    const { store, beside } = await openTwoStores();
    const { ring } = store;
    const first = site.fake.openAccount();
    await add(site, { ring, store: store.ref, key: first, now: NOW });
    const second = first.issueKey();
    expect(await add(site, { ring, store: beside, key: second })).toHaveProperty('waiting');
    site.engine.clock.advance(HOUR_MS);
    const third = first.issueKey();
    expect(await add(site, { ring, store: store.ref, key: third })).toMatchObject({ replaced: true });
    for (const old of [first, second]) old.change({ active: false });
    site.engine.clock.advance(49 * HOUR_MS);
    await applyMethodChanges(workerOf(site, ring), WORKER);
    await checkDueKeys(workerOf(site, ring), WORKER);
    expect(await accountOf(site, first)).toMatchObject({
      keyHint: third.credentials.apiKey.slice(-4),
      fault: null,
    });
    expect(await isOfferedNow(site, first)).toBe(true);
  });

  test('leaves an exchange account offered that another store receives at', async () => {
    const { store, beside } = await openTwoStores();
    const { ring } = store;
    const key = site.fake.openAccount();
    await add(site, { ring, store: store.ref, key, now: NOW });
    await add(site, { ring, store: beside, key });
    site.engine.clock.advance(25 * HOUR_MS);
    await checkDueKeys(workerOf(site, ring), WORKER);
    const { checkedAt } = await accountOf(site, key);
    site.engine.clock.advance(HOUR_MS);
    await applyMethodChanges(workerOf(site, ring), WORKER);
    expect(await accountOf(site, key)).toMatchObject({ checkedAt });
    expect(await isOfferedNow(site, key)).toBe(true);
  });
});

test('a check of a key that was replaced meanwhile says nothing about the new key', async () => {
  const fixture = await openExchangeFixture(site);
  const { account, store, network } = fixture;
  const worker = workerOf(site, store.ring);
  const source = requireStatementSource(worker.statements, network);
  account.change({ active: false });
  const readKey: typeof source.readKey = async (key) => {
    await add(site, { ring: store.ring, store: store.ref, key: account.issueKey() });
    return source.readKey(key);
  };
  const statements = new Map([[network, { ...source, readKey }]]);
  const checked = await checkExchangeAccount({ ...worker, statements }, WORKER, { network, account: account.uid });
  expect(checked).toMatchObject({ fault: expect.stringMatching(/^refused/) });
  expect(await accountOf(site, account)).toMatchObject({ fault: null });
});

test('a new key of a stopped exchange account leaves the account stopped', async () => {
  const fixture = await openExchangeFixture(site);
  const { account, store, network, engine } = fixture;
  const admin = { database: engine.as('admin'), clock: engine.clock };
  await stopExchangeAccount(admin, TESTER, { network, account: account.uid, reason: 'a test' });
  const next = account.issueKey();
  await add(site, { ring: store.ring, store: store.ref, key: next });
  expect(await accountOf(site, account)).toMatchObject({
    keyHint: next.credentials.apiKey.slice(-4),
    stopped: true,
  });
});
