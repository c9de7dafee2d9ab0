import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openStore } from '../../test/harness.ts';
import type { TestStore } from '../../test/harness.ts';
import type { RingDesk } from '../../test/ring-desk.ts';
import { ALICE, openRingDesk, ringContext } from '../../test/ring-desk.ts';
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

/** What becomes of a store whose secrets were given up with a lost key. */

let desk: RingDesk;
let store: TestStore;
beforeAll(async () => {
  desk = await openRingDesk();
  store = await openStore(desk.database, { ring: await openKeyRing(desk.path), wallet: false });
  await rm(desk.path);
  await abandonRingKey(ringContext(desk), ALICE, { key: desk.first, reason: 'the host burnt' });
  await initKeyRing(ringContext(desk), ALICE);
});
afterAll(() => desk.close());

const input = () => ({ store: store.ref, overlapHours: 24 });
const ringed = async () => ({ database: desk.database, clock: systemClock, ring: await openKeyRing(desk.path) });

test('its API key still works, cannot be shown, and a new one can', async () => {
  const context = await ringed();
  const reveal = () => revealApiKey(context, ALICE, input());
  const [admission] = await admitAll(desk.database.pool, 'create', [
    { keyHash: hashApiKey(store.apiKey), address: 'test' },
  ]);
  expect(admission?.store?.id).toBe(store.id);
  await expect(reveal()).rejects.toMatchObject({ code: 'SECRET_ABANDONED' });
  const issued = await issueApiKey(context, ALICE, input());
  expect(await reveal()).toBe(issued);
});

test('its webhooks are not signed before it has a new secret, and then with that one alone, also during an overlap', async () => {
  const context = await ringed();
  const secretsOf = createSecretsOf(desk.database, systemClock, context.ring);
  const unsigned = () => readUnsignedStores(desk.database.queries, new Date(systemClock.nowMs()), 10);
  await expect(secretsOf(store.id)).rejects.toMatchObject({ code: 'STORE_WITHOUT_SECRET' });
  expect(await unsigned()).toEqual([{ merchantId: store.merchantId, name: 'Test store' }]);
  const secret = await rotateWebhookSecret(context, ALICE, input());
  expect(await secretsOf(store.id)).toEqual([secret]);
  expect(await unsigned()).toEqual([]);
});
