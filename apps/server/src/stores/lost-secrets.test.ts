import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openStore } from '../../test/harness.ts';
import type { TestStore } from '../../test/harness.ts';
import type { RingDesk } from '../../test/ring-desk.ts';
import { ACTOR, openRingDesk } from '../../test/ring-desk.ts';
import { systemClock } from '../lib/clock.ts';
import { abandonRingKey } from '../secrets/abandon-ring-key.ts';
import { initKeyRing } from '../secrets/init-key-ring.ts';
import { openKeyRing } from '../secrets/key-ring.ts';
import { admitAll } from './admission-store.ts';
import { hashApiKey } from './api-key.ts';
import { readUnsignedStores } from './api-key-store.ts';
import { issueApiKey } from './issue-api-key.ts';
import { revealApiKey } from './reveal-api-key.ts';
import { rotateWebhookSecret } from './rotate-webhook-secret.ts';
import { createSecretsOf } from './webhook-secrets.ts';

/** What becomes of a store whose secrets were given up with a lost key. */

let desk: RingDesk;
let store: TestStore;
beforeAll(async () => {
  desk = await openRingDesk();
  store = await openStore(desk.database, { ring: await openKeyRing(desk.path), wallet: false });
  await rm(desk.path);
  const input = { path: desk.path, actor: ACTOR };
  const lost = { ...input, key: desk.first, reason: 'the host burnt' };
  await abandonRingKey(desk.database, systemClock, lost);
  await initKeyRing(desk.database, systemClock, input);
});
afterAll(() => desk.close());

const input = () => ({ merchantId: store.merchantId, overlapHours: 24, actor: ACTOR });

test('its API key still works, cannot be shown, and a new one can', async () => {
  const ring = await openKeyRing(desk.path);
  const reveal = () => revealApiKey(desk.database, systemClock, ring, input());
  const [admission] = await admitAll(desk.database.pool, 'create', [
    { keyHash: hashApiKey(store.apiKey), address: 'test' },
  ]);
  expect(admission?.store?.id).toBe(store.id);
  await expect(reveal()).rejects.toThrow('given up because its key was lost');
  const issued = await issueApiKey(desk.database, systemClock, ring, input());
  expect(await reveal()).toBe(issued);
});

test('its webhooks are not signed before it has a new secret, and then with that one alone, also during an overlap', async () => {
  const ring = await openKeyRing(desk.path);
  const secretsOf = createSecretsOf(desk.database, systemClock, ring);
  const unsigned = () => readUnsignedStores(desk.database.queries, new Date(systemClock.nowMs()), 10);
  await expect(secretsOf(store.id)).rejects.toThrow('has no webhook secret');
  expect(await unsigned()).toEqual([{ merchantId: store.merchantId, name: 'Test store' }]);
  const secret = await rotateWebhookSecret(desk.database, systemClock, ring, input());
  expect(await secretsOf(store.id)).toEqual([secret]);
  expect(await unsigned()).toEqual([]);
});
