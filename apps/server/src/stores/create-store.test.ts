import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import type { TestDatabase } from '../../rig/database/test-database.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { openStore } from '../../rig/stores/open-store.ts';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import { verifyAudit } from '../audit/verify-audit.ts';
import { readAvailable } from '../ledger/ledger-sql.ts';
import { createManualClock, systemClock } from '../lib/clock.ts';
import { createKeyRing } from '../secrets/key-ring.ts';
import { openSecret } from '../secrets/open-secret.ts';
import type { KeyedStore } from './admission.ts';
import { admitAll } from './admission-sql.ts';
import { hashApiKey, isWellFormedApiKey } from './api-key.ts';
import { activateMerchant } from '../merchants/activate-merchant.ts';
import { findMerchant } from '../merchants/merchant-sql.ts';
import { createMerchant } from '../merchants/create-merchant.ts';
import { createPlan } from '../merchants/create-plan.ts';
import { activateStore } from './activate-store.ts';
import type { StoreInput } from './create-store.ts';
import { createStore } from './create-store.ts';
import { issueApiKey } from './issue-api-key.ts';
import { revealApiKey } from './reveal-api-key.ts';
import { webhookSecretPurpose } from './store.ts';
import { storeForOperator } from './store-for-operator.ts';
import { readWebhookSecretIds } from './webhook-secret-sql.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

let own: TestDatabase;
let store: TestStore;
beforeEach(async () => {
  own = await openTestDatabase(inject('template'));
  store = await openStore(own.database, { wallet: false, creditMicroUsd: 0n });
});
afterEach(() => own.drop());

const ALICE = { kind: 'operator', name: 'alice' } as const;
const actor = 'cli:alice';
const context = () => ({ database: own.database, clock: systemClock, ring: store.ring, jobs: undefined });

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
  discountPercent: '0',
  lifetimeMinutes: 30,
  httpsCallbacksOnly: false,
  ...changes,
});

const create = (changes: Partial<StoreInput>) => createStore(context(), ALICE, input(changes));

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
    const created = await createStore(context(), ALICE, input());
    const entry = await latestAudit();
    expect(entry).toMatchObject({ actor, action: 'store.create', subject: `store:${created.id}` });
    const text = JSON.stringify(entry);
    expect(text).not.toContain(created.apiKey.slice(0, -4));
    expect(text).not.toContain(created.webhookSecret);
  });

  test('has the shard of its merchant, in its key and in the codes of its invoices', async () => {
    const merchant = await findMerchant(own.database.queries, store.merchantAccountId);
    const stores: KeyedStore[] = [];
    for (let times = 0; times < 6; times += 1) {
      const { apiKey } = await createStore(context(), ALICE, input());
      expect(apiKey.charAt('cf_live_'.length)).toBe(merchant?.shard);
      const admitted = await admittedBy(apiKey);
      if (admitted) stores.push(admitted);
    }
    expect(stores.map(({ shard }) => shard)).toEqual(Array.from({ length: 6 }, () => merchant?.shard));
  });

  test('a merchant is opened in one of the shards that its cell has', async () => {
    const shards = 'KX7';
    for (let times = 0; times < 12; times += 1) {
      const id = await createMerchant(context(), ALICE, { name: 'Some', shards });
      expect(shards).toContain((await findMerchant(own.database.queries, id))?.shard);
    }
  });

  test('starts its trial at the time of the injected clock', async () => {
    const clock = createManualClock(Date.UTC(2026, 10, 15));
    const limits = { createBurst: 5, createSustained: 60, lookupBurst: 20, lookupSustained: 200 };
    const plan = { code: 'trial', feeRatePercent: '1', minimumFeeMicroUsd: 0n, trialDays: 14, ...limits };
    await createPlan({ ...context(), clock }, ALICE, plan);
    const created = await createStore({ ...context(), clock }, ALICE, input({ planCode: 'trial' }));
    expect(created.trialEndsAt).toEqual(new Date(Date.UTC(2026, 10, 15) + 14 * DAY_MS));
  });

  test('of an unknown plan or merchant is refused by name and leaves nothing', async () => {
    const { entries } = await verifyAudit(own.database.queries);
    await expect(create({ planCode: 'none' })).rejects.toMatchObject({
      code: 'PLAN_UNKNOWN',
      details: { plan: 'none' },
    });
    await expect(create({ merchantAccountId: 999n })).rejects.toMatchObject({
      code: 'MERCHANT_UNKNOWN',
      details: { merchant: '999' },
    });
    expect(await verifyAudit(own.database.queries)).toMatchObject({ entries });
  });

  test('that cannot be made whole is not made at all', async () => {
    // The store's secrets cannot be sealed: this key ring was never registered in the database.
    await expect(createStore({ ...context(), ring: createKeyRing() }, ALICE, input())).rejects.toMatchObject({
      code: 'RING_LACKS_KEY',
    });
    expect(await own.database.queries.selectFrom('stores').select('id').execute()).toEqual([{ id: store.id }]);
    expect(await own.database.queries.selectFrom('balances').select('store_id').execute()).toHaveLength(1);
  });

  test('a plan code is used once', async () => {
    const limits = { createBurst: 5, createSustained: 60, lookupBurst: 20, lookupSustained: 200 };
    const plan = { code: 'lifted', feeRatePercent: '1', minimumFeeMicroUsd: 0n, trialDays: 0, ...limits };
    await expect(createPlan(context(), ALICE, plan)).rejects.toMatchObject({
      code: 'PLAN_EXISTS',
      details: { plan: 'lifted' },
    });
  });
});

const issue = (overlapHours: number, clock = systemClock) =>
  issueApiKey({ ...context(), clock }, ALICE, { store: store.ref, overlapHours });

async function readEnd(apiKey: string): Promise<Date | undefined> {
  const { rows } = await own.database.pool.query<{ expires_at: Date }>(
    'select expires_at from api_keys where hash = $1',
    [hashApiKey(apiKey)],
  );
  return rows[0]?.expires_at;
}

describe('a regenerated key', () => {
  test('without an overlap ends the old one at once', async () => {
    const fresh = await issue(0);
    expect((await admittedBy(fresh))?.id).toBe(store.id);
    expect(await admittedBy(store.apiKey)).toBeUndefined();
  });

  test('with an overlap leaves the old one alive until it is over', async () => {
    const clock = createManualClock(systemClock.nowMs());
    const fresh = await issue(24, clock);
    expect((await admittedBy(fresh))?.id).toBe(store.id);
    expect((await admittedBy(store.apiKey))?.id).toBe(store.id);
    expect(await readEnd(store.apiKey)).toEqual(new Date(clock.nowMs() + 24 * HOUR_MS));
  });

  test('whose overlap is over ends the old one', async () => {
    await issue(1, createManualClock(systemClock.nowMs() - 2 * HOUR_MS));
    expect(await admittedBy(store.apiKey)).toBeUndefined();
  });

  test('with an overlap never makes an older key live longer than it was told', async () => {
    await own.database.pool.query(`update api_keys set expires_at = now() + interval '1 hour' where hash = $1`, [
      hashApiKey(store.apiKey),
    ]);
    const end = await readEnd(store.apiKey);
    await issue(48);
    expect(await readEnd(store.apiKey)).toEqual(end);
  });

  test('with an overlap ends a key that was still overlapping at once: there are never more than two', async () => {
    const second = await issue(24);
    const third = await issue(168);
    expect(await admittedBy(store.apiKey)).toBeUndefined();
    expect((await admittedBy(second))?.id).toBe(store.id);
    expect((await admittedBy(third))?.id).toBe(store.id);
    expect(await latestAudit()).toMatchObject({ details: { ended: [store.apiKey.slice(-4)] } });
  });

  test('of a server whose clock is ahead ends the old one at once too', async () => {
    await issue(0, createManualClock(systemClock.nowMs() + HOUR_MS));
    expect(await admittedBy(store.apiKey)).toBeUndefined();
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
      details: { before: [store.apiKey.slice(-4)], ended: [], after: fresh.slice(-4), overlapHours: 2 },
    });
  });
});

const reveal = () => revealApiKey(context(), ALICE, { store: store.ref });

describe('revealing a key', () => {
  test('shows the newest key and leaves an audit entry', async () => {
    expect(await reveal()).toBe(store.apiKey);
    expect(await latestAudit()).toEqual({
      actor,
      action: 'api_key.reveal',
      subject: `store:${store.id}`,
      details: { key: store.apiKey.slice(-4) },
    });
    const fresh = await issue(24);
    expect(await reveal()).toBe(fresh);
  });

  test('is audited also when it then fails', async () => {
    const failed = revealApiKey({ ...context(), ring: createKeyRing() }, ALICE, { store: store.ref });
    await expect(failed).rejects.toMatchObject({ code: 'RING_LACKS_KEY' });
    expect(await latestAudit()).toMatchObject({ action: 'api_key.reveal' });
  });
});

describe('activity', () => {
  test('of a store is switched off and on, and both are audited', async () => {
    await activateStore(context(), ALICE, { store: store.ref, active: false });
    expect(await admittedBy(store.apiKey)).toMatchObject({ active: false, accountActive: true });
    expect(await latestAudit()).toMatchObject({ actor, action: 'store.deactivate', subject: `store:${store.id}` });
    await activateStore(context(), ALICE, { store: store.ref, active: true });
    expect(await admittedBy(store.apiKey)).toMatchObject({ active: true });
    expect(await latestAudit()).toMatchObject({ action: 'store.activate' });
  });

  test('of a merchant reaches all its stores and no others', async () => {
    const sibling = await createStore(context(), ALICE, input());
    const other = await openStore(own.database, { wallet: false });
    const merchantAccountId = store.merchantAccountId;
    await activateMerchant(context(), ALICE, { merchantAccountId, active: false });
    expect(await admittedBy(store.apiKey)).toMatchObject({ accountActive: false });
    expect(await admittedBy(sibling.apiKey)).toMatchObject({ accountActive: false });
    expect(await admittedBy(other.apiKey)).toMatchObject({ accountActive: true });
    expect(await latestAudit()).toMatchObject({ action: 'merchant.deactivate' });
    await activateMerchant(context(), ALICE, { merchantAccountId, active: true });
    expect(await latestAudit()).toMatchObject({
      action: 'merchant.activate',
      subject: `merchant:${merchantAccountId}`,
    });
  });

  test('of a merchant that is unknown is refused by name and leaves no audit entry', async () => {
    const { entries } = await verifyAudit(own.database.queries);
    const unknownMerchant = activateMerchant(context(), ALICE, { merchantAccountId: 999n, active: false });
    await expect(unknownMerchant).rejects.toMatchObject({ code: 'MERCHANT_UNKNOWN', details: { merchant: '999' } });
    expect(await verifyAudit(own.database.queries)).toMatchObject({ entries });
  });
});

test('an operator acts for a store by its code, and one that is unknown is refused by name', async () => {
  expect(await storeForOperator(context(), ALICE, store.merchantId)).toEqual(store.ref);
  const unknown = storeForOperator(context(), ALICE, 'MID-X');
  await expect(unknown).rejects.toMatchObject({ code: 'STORE_UNKNOWN', details: { store: 'MID-X' } });
});
