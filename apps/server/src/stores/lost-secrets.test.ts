import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { openStore } from '../../rig/stores/open-store.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import type { KeyRingFixture } from '../../rig/database/key-ring-fixture.ts';
import { ALICE, openKeyRingFixture, ringContext } from '../../rig/database/key-ring-fixture.ts';
import { systemClock } from '../lib/clock.ts';
import { abandonRingKey } from '../secrets/abandon-ring-key.ts';
import { initKeyRing } from '../secrets/init-key-ring.ts';
import { openKeyRing } from '../secrets/key-ring.ts';
import { admitAll } from './admission-sql.ts';
import { hashApiKey } from './api-key.ts';
import { readUnsignedStores } from './webhook-secret-sql.ts';
import { issueApiKey } from './issue-api-key.ts';
import { revealApiKey } from './reveal-api-key.ts';
import { rotateWebhookSecret } from './rotate-webhook-secret.ts';
import { createSecretsOf } from './webhook-secret-cache.ts';

/** A store whose secrets were abandoned with a lost key. */

let fixture: KeyRingFixture;
let store: TestStore;
beforeAll(async () => {
  fixture = await openKeyRingFixture(inject('template'));
  store = await openStore(fixture.database, { ring: await openKeyRing(fixture.path), wallet: false });
  await rm(fixture.path);
  await abandonRingKey(ringContext(fixture), ALICE, { key: fixture.first, reason: 'the host burnt' });
  await initKeyRing(ringContext(fixture), ALICE);
});
afterAll(() => fixture.close());

const input = () => ({ store: store.ref, overlapHours: 24 });
const ringed = async () => ({
  database: fixture.database,
  clock: systemClock,
  ring: await openKeyRing(fixture.path),
  jobs: undefined,
});

test('the API key of a store whose secrets were lost still works and cannot be revealed, and a new one can', async () => {
  const context = await ringed();
  const reveal = () => revealApiKey(context, ALICE, input());
  const [admission] = await admitAll(fixture.database.pool, 'create', [
    { keyHash: hashApiKey(store.apiKey), address: 'test' },
  ]);
  expect(admission?.store?.id).toBe(store.id);
  await expect(reveal()).rejects.toMatchObject({ code: 'SECRET_ABANDONED' });
  const issued = await issueApiKey(context, ALICE, input());
  expect(await reveal()).toBe(issued);
});

test('webhooks of a store whose secrets were lost are not signed before it has a new secret, and then with that one alone, also during an overlap', async () => {
  const context = await ringed();
  const secretsOf = createSecretsOf(fixture.database, systemClock, context.ring);
  const unsigned = () => readUnsignedStores(fixture.database.queries, new Date(systemClock.nowMs()), 10);
  await expect(secretsOf(store.id)).rejects.toMatchObject({ code: 'STORE_WITHOUT_SECRET' });
  expect(await unsigned()).toEqual([{ merchantId: store.merchantId, name: 'Test store' }]);
  const secret = await rotateWebhookSecret(context, ALICE, input());
  expect(await secretsOf(store.id)).toEqual([secret]);
  expect(await unsigned()).toEqual([]);
});
