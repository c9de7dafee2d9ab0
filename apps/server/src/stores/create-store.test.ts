import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import type { TestDatabase, TestStore } from '../../test/harness.ts';
import { openStore, openTestDatabase } from '../../test/harness.ts';
import { verifyAudit } from '../audit/verify-audit.ts';
import { readAvailable } from '../ledger/ledger-store.ts';
import { createManualClock, systemClock } from '../lib/clock.ts';
import { createKeyRing } from '../secrets/key-ring.ts';
import { openSecret } from '../secrets/open-secret.ts';
import type { AdmittedStore } from './admission.ts';
import { admitAll } from './admission-store.ts';
import { hashApiKey, isWellFormedApiKey } from './api-key.ts';
import { readWebhookSecretIds } from './api-key-store.ts';
import { createMerchant } from './create-merchant.ts';
import { createPlan } from './create-plan.ts';
import type { StoreInput } from './create-store.ts';
import { createStore } from './create-store.ts';
import { issueApiKey } from './issue-api-key.ts';
import { revealApiKey } from './reveal-api-key.ts';
import { setMerchantActivity, setStoreActivity } from './set-activity.ts';
import { webhookSecretPurpose } from './store.ts';
import { findMerchant } from './store-store.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

let own: TestDatabase;
let store: TestStore;
beforeEach(async () => {
  own = await openTestDatabase(inject('adminUrl'), inject('template'));
  store = await openStore(own.database, { wallet: false, creditMicroUsd: 0n });
});
afterEach(() => own.drop());

const actor = 'cli:alice';

async function latestAudit(): Promise<unknown> {
  const { rows } = await own.database.pool.query(
    'select actor, action, subject, details from audit_entries order by id desc limit 1',
  );
  return rows[0];
}

async function admittedBy(apiKey: string) {
  const [answer] = await admitAll(own.database.pool, 'lookup', [{ keyHash: hashApiKey(apiKey), address: '192.0.2.1' }]);
  return answer?.store;
}

const input = (changes: Partial<StoreInput> = {}): StoreInput => ({
  merchantAccountId: store.merchantAccountId,
  name: 'Shop',
  planCode: 'lifted',
  live: true,
  discountPercent: '0',
  lifetimeMinutes: 30,
  httpsCallbacksOnly: false,
  actor,
  ...changes,
});

describe('a new store', () => {
  test('has an empty balance, a key that is admitted and a webhook secret that opens', async () => {
    expect(await readAvailable(own.database.queries, store.id)).toBe(0n);
    expect(isWellFormedApiKey(store.apiKey)).toBe(true);
    expect(store.apiKey.startsWith('cf_live_')).toBe(true);
    expect((await admittedBy(store.apiKey))?.id).toBe(store.id);
    const [secretId] = await readWebhookSecretIds(own.database.queries, store.id, new Date(systemClock.nowMs()));
    const purpose = webhookSecretPurpose(store.id);
    expect(await openSecret(own.database.queries, store.ring, secretId ?? 0n, purpose)).toBe(store.webhookSecret);
  });

  test('is audited without its key and its secret', async () => {
    const created = await createStore(own.database, systemClock, store.ring, input());
    const entry = await latestAudit();
    expect(entry).toMatchObject({ actor, action: 'store.create', subject: `store:${created.id}` });
    const text = JSON.stringify(entry);
    expect(text).not.toContain(created.apiKey.slice(0, -4));
    expect(text).not.toContain(created.webhookSecret);
  });

  test('has the shard of its merchant, in its key and in the codes of its invoices', async () => {
    const merchant = await findMerchant(own.database.queries, store.merchantAccountId);
    const stores: AdmittedStore[] = [];
    for (const live of [true, false, true, false, true, false]) {
      const { apiKey } = await createStore(own.database, systemClock, store.ring, input({ live }));
      expect(apiKey.charAt('cf_live_'.length)).toBe(merchant?.shard);
      const admitted = await admittedBy(apiKey);
      if (admitted) stores.push(admitted);
    }
    expect(stores.map(({ shard }) => shard)).toEqual(Array.from({ length: 6 }, () => merchant?.shard));
  });

  test('a merchant is opened in one of the shards that its cell has', async () => {
    const shards = 'KX7';
    for (let times = 0; times < 12; times += 1) {
      const id = await createMerchant(own.database, systemClock, 'Some', actor, shards);
      expect(shards).toContain((await findMerchant(own.database.queries, id))?.shard);
    }
  });

  test('for trying things has a key that says so', async () => {
    const created = await createStore(own.database, systemClock, store.ring, input({ live: false }));
    expect(created.apiKey.startsWith('cf_test_')).toBe(true);
  });

  test('starts its trial at the time of the injected clock', async () => {
    const clock = createManualClock(Date.UTC(2026, 10, 15));
    const limits = { createBurst: 5, createSustained: 60, lookupBurst: 20, lookupSustained: 200 };
    const plan = { code: 'trial', feeRatePercent: '1', minimumFeeMicroUsd: 0n, trialDays: 14, ...limits };
    await createPlan(own.database, clock, plan, actor);
    const created = await createStore(own.database, clock, store.ring, input({ planCode: 'trial' }));
    expect(created.trialEndsAt).toEqual(new Date(Date.UTC(2026, 10, 15) + 14 * DAY_MS));
  });

  test('of an unknown plan or merchant is refused by name and leaves nothing', async () => {
    const { entries } = await verifyAudit(own.database.queries);
    const create = (changes: Partial<StoreInput>) => createStore(own.database, systemClock, store.ring, input(changes));
    await expect(create({ planCode: 'none' })).rejects.toThrow('There is no plan none.');
    await expect(create({ merchantAccountId: 999n })).rejects.toThrow('There is no merchant 999.');
    expect(await verifyAudit(own.database.queries)).toMatchObject({ entries });
  });

  test('that cannot be made whole is not made at all', async () => {
    // Its secrets cannot be sealed: this ring was never made known to the database.
    await expect(createStore(own.database, systemClock, createKeyRing(), input())).rejects.toThrow('lacks key');
    expect(await own.database.queries.selectFrom('stores').select('id').execute()).toEqual([{ id: store.id }]);
    expect(await own.database.queries.selectFrom('balances').select('store_id').execute()).toHaveLength(1);
  });

  test('a plan code is used once', async () => {
    const limits = { createBurst: 5, createSustained: 60, lookupBurst: 20, lookupSustained: 200 };
    const plan = { code: 'lifted', feeRatePercent: '1', minimumFeeMicroUsd: 0n, trialDays: 0, ...limits };
    await expect(createPlan(own.database, systemClock, plan, actor)).rejects.toThrow('There is a plan lifted already.');
  });
});

const issue = (overlapHours: number, clock = systemClock) =>
  issueApiKey(own.database, clock, store.ring, { merchantId: store.merchantId, overlapHours, actor });

describe('a regenerated key', () => {
  test('without an overlap ends the old one at once', async () => {
    const fresh = await issue(0);
    expect((await admittedBy(fresh))?.id).toBe(store.id);
    expect(await admittedBy(store.apiKey)).toBeUndefined();
  });

  test('with an overlap leaves the old one alive until it is over', async () => {
    const fresh = await issue(24);
    expect((await admittedBy(fresh))?.id).toBe(store.id);
    expect((await admittedBy(store.apiKey))?.id).toBe(store.id);
    const { rows } = await own.database.pool.query<{ hours: string }>(
      `select round(extract(epoch from expires_at - now()) / 3600) as hours from api_keys where hash = $1`,
      [hashApiKey(store.apiKey)],
    );
    expect(rows).toEqual([{ hours: '24' }]);
  });

  test('whose overlap is over ends the old one', async () => {
    await issue(1, createManualClock(systemClock.nowMs() - 2 * HOUR_MS));
    expect(await admittedBy(store.apiKey)).toBeUndefined();
  });

  test('with an overlap never makes an older key live longer than it was told', async () => {
    const second = await issue(1);
    await issue(48);
    const { rows } = await own.database.pool.query<{ hours: string }>(
      `select round(extract(epoch from expires_at - now()) / 3600) as hours from api_keys where hash = any ($1) order by id`,
      [[hashApiKey(store.apiKey), hashApiKey(second)]],
    );
    expect(rows).toEqual([{ hours: '1' }, { hours: '48' }]);
  });

  test('without an overlap also ends a key that was still overlapping', async () => {
    const second = await issue(24);
    const third = await issue(0);
    expect(await admittedBy(store.apiKey)).toBeUndefined();
    expect(await admittedBy(second)).toBeUndefined();
    expect((await admittedBy(third))?.id).toBe(store.id);
  });

  test('is audited by the last characters of the keys only', async () => {
    const fresh = await issue(2);
    expect(await latestAudit()).toEqual({
      actor,
      action: 'api_key.regenerate',
      subject: `store:${store.id}`,
      details: { before: [store.apiKey.slice(-4)], after: fresh.slice(-4), overlapHours: 2 },
    });
  });

  test('of an unknown store is refused by name', async () => {
    const unknown = issueApiKey(own.database, systemClock, store.ring, { merchantId: 'MID-X', overlapHours: 0, actor });
    await expect(unknown).rejects.toThrow('There is no store MID-X.');
  });
});

const reveal = (merchantId = store.merchantId) =>
  revealApiKey(own.database, systemClock, store.ring, { merchantId, actor });

describe('revealing a key', () => {
  test('shows the newest key and leaves an audit entry', async () => {
    expect(await reveal()).toBe(store.apiKey);
    expect(await latestAudit()).toEqual({
      actor,
      action: 'api_key.reveal',
      subject: `store:${store.id}`,
      details: { key: store.apiKey.slice(-4) },
    });
    const issued = { merchantId: store.merchantId, overlapHours: 24, actor };
    const fresh = await issueApiKey(own.database, systemClock, store.ring, issued);
    expect(await reveal()).toBe(fresh);
  });

  test('is audited also when it then fails', async () => {
    const wrong = createKeyRing();
    const failed = revealApiKey(own.database, systemClock, wrong, { merchantId: store.merchantId, actor });
    await expect(failed).rejects.toThrow('lacks key');
    expect(await latestAudit()).toMatchObject({ action: 'api_key.reveal' });
  });

  test('of an unknown store is refused by name', async () => {
    await expect(reveal('MID-X')).rejects.toThrow('There is no store MID-X.');
  });
});

describe('activity', () => {
  test('of a store is switched off and on, and both are audited', async () => {
    await setStoreActivity(own.database, systemClock, { merchantId: store.merchantId, active: false, actor });
    expect(await admittedBy(store.apiKey)).toMatchObject({ active: false, accountActive: true });
    expect(await latestAudit()).toMatchObject({ actor, action: 'store.deactivate', subject: `store:${store.id}` });
    await setStoreActivity(own.database, systemClock, { merchantId: store.merchantId, active: true, actor });
    expect(await admittedBy(store.apiKey)).toMatchObject({ active: true });
    expect(await latestAudit()).toMatchObject({ action: 'store.activate' });
  });

  test('of a merchant reaches all its stores and no others', async () => {
    const sibling = await createStore(own.database, systemClock, store.ring, input());
    const other = await openStore(own.database, { wallet: false });
    const merchantAccountId = store.merchantAccountId;
    await setMerchantActivity(own.database, systemClock, { merchantAccountId, active: false, actor });
    expect(await admittedBy(store.apiKey)).toMatchObject({ accountActive: false });
    expect(await admittedBy(sibling.apiKey)).toMatchObject({ accountActive: false });
    expect(await admittedBy(other.apiKey)).toMatchObject({ accountActive: true });
    expect(await latestAudit()).toMatchObject({ action: 'merchant.deactivate' });
    await setMerchantActivity(own.database, systemClock, { merchantAccountId, active: true, actor });
    expect(await latestAudit()).toMatchObject({
      action: 'merchant.activate',
      subject: `merchant:${merchantAccountId}`,
    });
  });

  test('of what is unknown is refused by name and leaves no audit entry', async () => {
    const { entries } = await verifyAudit(own.database.queries);
    const unknownStore = setStoreActivity(own.database, systemClock, { merchantId: 'MID-X', active: false, actor });
    await expect(unknownStore).rejects.toThrow('There is no store MID-X.');
    const unknownMerchant = setMerchantActivity(own.database, systemClock, {
      merchantAccountId: 999n,
      active: false,
      actor,
    });
    await expect(unknownMerchant).rejects.toThrow('There is no merchant 999.');
    expect(await verifyAudit(own.database.queries)).toMatchObject({ entries });
  });
});
