import pino from 'pino';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { ExchangeSite } from '../../rig/exchanges/exchange-fixture.ts';
import { openExchangeSite } from '../../rig/exchanges/exchange-fixture.ts';
import type { FakeAccount } from '../../rig/exchanges/fake-exchange.ts';
import { NETWORKS } from '../../rig/chains/networks.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { openStore, TESTER } from '../../rig/stores/open-store.ts';
import { createStatementSources } from '../../src/platforms/create-statement-sources.ts';
import { createRequestGate } from '../../src/platforms/exchange/request-gate.ts';
import { addExchangeAccount } from '../../src/wallets/add-exchange-account.ts';
import { applyMethodChanges } from '../../src/wallets/apply-method-changes.ts';
import { checkDueKeys } from '../../src/wallets/check-due-keys.ts';
import { findExchangeAccount } from '../../src/wallets/exchange-account-sql.ts';
import { isOffered } from '../../src/wallets/exchange-account.ts';
import { openExchangeKey } from '../../src/wallets/open-exchange-key.ts';
import { removeExchangeAccount } from '../../src/wallets/remove-exchange-account.ts';

/** Exchange accounts of merchants with members wait like addresses do. */

const HOUR_MS = 3_600_000;
const WORKER = { kind: 'worker', name: 'test' } as const;
const log = pino({ level: 'silent' });

let site: ExchangeSite;
beforeAll(async () => {
  site = await openExchangeSite(inject('template'), 'BINANCE');
});
afterAll(() => site.close());

let people = 0;

/** A live store that receives on BSC, whose merchant has an owner. */
async function openOwnedStore(): Promise<TestStore> {
  const { engine } = site;
  const store = await openStore(engine.database, { clock: engine.clock });
  people += 1;
  await engine.database.pool.query(
    `with p as (insert into people (code, mail_normal, mail_shown, name, language, created_at)
       values ('PER-' || $1::integer, $1 || '@acme.test', $1 || '@acme.test', 'Owner', 'en', now()) returning id)
     insert into memberships (merchant_account_id, person_id, role, since) select $2, id, 'owner', now() from p`,
    [people, store.merchantAccountId],
  );
  return store;
}

function partsOf(store: TestStore) {
  const { clock } = site.engine;
  const statements = createStatementSources(NETWORKS, { clock, gate: createRequestGate({ clock }) });
  return { clock, networks: NETWORKS, statements, ring: store.ring, anyBaseUrl: true, jobs: undefined };
}

const add = (store: TestStore, { credentials }: FakeAccount) =>
  addExchangeAccount({ ...partsOf(store), database: site.engine.as('admin') }, TESTER, {
    store: store.ref,
    network: site.network,
    baseUrl: site.fake.url,
    credentials,
  });

const worker = (store: TestStore) => ({ ...partsOf(store), database: site.engine.as('worker'), log });
const accountOf = ({ uid }: FakeAccount) =>
  findExchangeAccount(site.engine.database.queries, { network: site.network, account: uid });

test('an exchange account waits for the delay; then its key is good at once, and is checked anew', async () => {
  const store = await openOwnedStore();
  const account = site.fake.openAccount();
  const { waiting } = await add(store, account);
  expect(waiting?.change).toMatch(/^MCH-/);
  expect(await accountOf(account)).toBeUndefined();
  site.engine.clock.advance(25 * HOUR_MS);
  await applyMethodChanges(worker(store), WORKER);
  const added = await accountOf(account);
  if (!added) throw new Error('The exchange account is missing.');
  expect(await openExchangeKey(site.engine.as('worker').queries, store.ring, added)).toMatchObject({
    credentials: account.credentials,
  });
  await checkDueKeys(worker(store), WORKER);
  const checked = await accountOf(account);
  expect(checked && isOffered(checked, site.engine.clock.nowMs())).toBe(true);
  expect(checked?.checkedAt.getTime()).toBe(site.engine.clock.nowMs());
});

test('another key of the account where the store receives takes effect at once', async () => {
  const store = await openOwnedStore();
  const account = site.fake.openAccount();
  await add(store, account);
  site.engine.clock.advance(25 * HOUR_MS);
  await applyMethodChanges(worker(store), WORKER);
  const next = account.issueKey();
  expect(await add(store, next)).toMatchObject({ replaced: true });
  expect(await accountOf(account)).toMatchObject({ keyHint: next.credentials.apiKey.slice(-4) });
});

test('giving an exchange account up ends what waits at its platform', async () => {
  const store = await openOwnedStore();
  const account = site.fake.openAccount();
  await add(store, account);
  site.engine.clock.advance(25 * HOUR_MS);
  await applyMethodChanges(worker(store), WORKER);
  const second = site.fake.openAccount();
  await add(store, second);
  const given = { network: site.network, account: account.uid, reason: 'a test' };
  await removeExchangeAccount({ ...partsOf(store), database: site.engine.as('admin') }, TESTER, given);
  site.engine.clock.advance(25 * HOUR_MS);
  await applyMethodChanges(worker(store), WORKER);
  expect(await accountOf(second)).toBeUndefined();
  const { rows } = await site.engine.database.pool.query(
    'select state from method_changes where store_id = $1 order by id',
    [store.id],
  );
  expect(rows).toEqual([{ state: 'applied' }, { state: 'removed' }]);
});
