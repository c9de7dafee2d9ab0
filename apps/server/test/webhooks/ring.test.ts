import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, inject, test } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { Refusal } from '../../src/lib/refusal.ts';
import { VERSION } from '../../src/lib/version.ts';
import { addRingKey } from '../../src/secrets/add-ring-key.ts';
import { openKeyRing, writeKeyRing } from '../../src/secrets/key-ring.ts';
import { resealSecrets } from '../../src/secrets/reseal-secrets.ts';
import { readLivingHolders } from '../../src/secrets/ring-holder-sql.ts';
import { createSecretsOf } from '../../src/stores/webhook-secret-cache.ts';
import { dispatchDeliveries } from '../../src/webhooks/dispatch-deliveries.ts';
import { backUpRing } from '../../rig/database/key-ring-fixture.ts';
import { follow, mineNow } from '../../rig/invoices/follow-network.ts';
import { newInvoice, pay, select } from '../../rig/invoices/pay-invoice.ts';
import { openPayableStore, openEngineFixture } from '../../rig/invoices/engine-fixture.ts';
import { statusOf } from '../../rig/invoices/look-up.ts';
import type { WorkerProcess } from '../../rig/processes/server-process.ts';
import { openStore, TESTER } from '../../rig/stores/open-store.ts';
import { startWorker } from '../../rig/processes/server-process.ts';
import type { WebhookFixture } from '../../rig/webhooks/webhook-fixture.ts';
import { endInvoices, openWebhookFixture, rowsOf, storeOf, urlOf } from '../../rig/webhooks/webhook-fixture.ts';
import { startReceiver } from '../../rig/webhooks/receiver.ts';
import { NO_PRICES } from '../../rig/fakes/price-servers.ts';

/** Real workers whose key ring is missing, outdated, or changed while they run. */

const WITHIN = { timeout: 60_000, interval: 50 };
const SETTINGS = {
  COUNTERFOIL_PRIVATE_CALLBACKS: 'allow',
  COUNTERFOIL_POLL_MS: '50',
  ...NO_PRICES,
};
const SECRET_TRIES = 10;
const UNSIGNED_MS = 10_000;

let folder: string;
let fixture: WebhookFixture;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'counterfoil-rings-'));
  fixture = await openWebhookFixture(inject('template'));
});
afterAll(async () => {
  await fixture.close();
  await rm(folder, { recursive: true });
});

async function readiness({ operationsUrl }: WorkerProcess): Promise<[number, { notes: string[] }]> {
  const response = await fetch(`${operationsUrl}/readyz`);
  return [response.status, (await response.json()) as { notes: string[] }];
}

async function gauge({ operationsUrl }: WorkerProcess, name: string): Promise<number> {
  const text = await (await fetch(`${operationsUrl}/metrics`)).text();
  return Number(new RegExp(`^counterfoil_${name} (\\d+)$`, 'm').exec(text)?.[1]);
}

const receivedAt = (url: string) => fixture.receiver.received.filter(({ path }) => path === new URL(url).pathname);

describe.concurrent('a worker without a key ring', () => {
  test('follows chains, settles and expires; webhooks wait until the ring appears, and it says so', async ({
    expect,
  }) => {
    const engine = await openEngineFixture(inject('template'), ['BSC']);
    const receiver = await startReceiver(() => systemClock.nowMs());
    const path = join(folder, 'late.json');
    let worker: WorkerProcess | undefined;
    try {
      const store = await openPayableStore(engine);
      receiver.secrets.set('shop', store.webhookSecret);
      await follow(engine, 'BSC');
      const more = { callback_url: `${receiver.url}/shop` };
      const [paid, unpaid] = [await newInvoice(engine, store, '50', more), await newInvoice(engine, store, '60', more)];
      await pay(engine, await select(engine, paid));
      await mineNow(engine, 'BSC', 12);
      await engine.database.pool.query(
        `update invoices set created_at = now() - interval '1 hour', expires_at = now() - interval '1 minute' where trans_id = $1`,
        [unpaid],
      );
      await engine.database.pool.query('update chains set lease_until = now()');
      const running = await startWorker(engine.url, {
        ...SETTINGS,
        COUNTERFOIL_RPC_BSC: engine.chains['BSC']?.anvil.url ?? '',
        COUNTERFOIL_KEY_RING_FILE: path,
      });
      worker = running;
      await expect.poll(() => statusOf(engine, store, paid), WITHIN).toBe('completed');
      await expect.poll(() => statusOf(engine, store, unpaid), WITHIN).toBe('expired');
      expect(await readiness(running)).toEqual([
        200,
        { status: 'ok', faults: [], notes: [expect.stringContaining('There is no key ring at')], ...VERSION },
      ]);
      expect([await gauge(running, 'key_ring_usable'), await gauge(running, 'key_ring_complete')]).toEqual([0, 0]);
      const { rows } = await engine.database.pool.query('select state, attempts from deliveries');
      expect(rows).toEqual([
        { state: 'pending', attempts: 0 },
        { state: 'pending', attempts: 0 },
      ]);

      await writeKeyRing(path, store.ring);
      await expect.poll(() => receiver.received.map(({ verified }) => verified), WITHIN).toEqual([true, true]);
      expect(await readiness(running)).toEqual([200, { status: 'ok', faults: [], notes: [], ...VERSION }]);
      expect([await gauge(running, 'key_ring_usable'), await gauge(running, 'key_ring_complete')]).toEqual([1, 1]);
    } finally {
      await worker?.stop();
      await receiver.close();
      await engine.close();
    }
  });
});

describe.concurrent('a worker that runs through a rotation', () => {
  test('reads its ring on SIGHUP, reports the new key, and signs for a store that was made after it', async ({
    expect,
    onTestFinished,
  }) => {
    const [path, own] = [join(folder, 'first.json'), join(folder, 'second.json')];
    await writeKeyRing(path, storeOf(fixture).ring);
    await copyFile(path, own);
    const context = { database: fixture.database, clock: systemClock, keyRingFile: path };
    const running = await startWorker(fixture.url, { ...SETTINGS, COUNTERFOIL_KEY_RING_FILE: own });
    onTestFinished(async () => void (await running.stop()));

    const key = await addRingKey(context, TESTER);
    const copyDigest = await backUpRing(path);
    await expect(resealSecrets(context, TESTER, { copyDigest })).rejects.toMatchObject({
      code: 'RING_HOLDERS_LACK_KEY',
    });
    await copyFile(path, own);
    running.child.kill('SIGHUP');
    await expect.poll(() => running.output(), WITHIN).toContain('key ring was read again');
    expect((await readLivingHolders(fixture.database.queries)).map(({ keyIds }) => keyIds.includes(key))).toEqual([
      true,
    ]);
    expect((await resealSecrets(context, TESTER, { copyDigest })).after).toBe(key);

    const made = await openStore(fixture.database, { wallet: false, ring: await openKeyRing(path) });
    fixture.receiver.secrets.set(String(made.id), made.webhookSecret);
    const url = `${fixture.receiver.url}/${made.id}/after`;
    await endInvoices({ ...fixture, stores: [made] }, url, 'expired');
    await expect.poll(() => receivedAt(url).map(({ verified }) => verified), WITHIN).toEqual([true]);
    await running.stop();
    expect(await readLivingHolders(fixture.database.queries)).toEqual([]);
  });
});

describe.concurrent('a store whose secret cannot be opened', () => {
  test('is skipped for ten seconds after the tries of one delivery, and delays nobody', async ({ expect }) => {
    const two = await openWebhookFixture(inject('template'), 2);
    const [lost, fine] = [storeOf(two, 0), storeOf(two, 1)];
    const secretsOf = createSecretsOf(two.database, two.clock, fine.ring);
    let asked = 0;
    const stop = new AbortController();
    const running = dispatchDeliveries({
      pool: two.database.pool,
      log: pino({ level: 'silent' }),
      signal: stop.signal,
      clock: two.clock,
      outbound: two.outbound,
      secretsOf: async (storeId) => {
        if (storeId !== lost.id) return secretsOf(storeId);
        asked += 1;
        throw new Refusal('RING_LACKS_KEY', { key: 'kLost' });
      },
      endpointSecretsOf: () => Promise.resolve(undefined),
      rest: () => Promise.resolve(),
      failpoint: () => {},
      random: () => 0.5,
    });
    const tell = async (name: string) => {
      const url = urlOf(two, name, fine);
      await endInvoices({ ...two, stores: [fine] }, url, 'expired');
      await expect
        .poll(() => two.receiver.received.filter(({ path }) => path === new URL(url).pathname).length, WITHIN)
        .toBe(1);
    };
    try {
      await endInvoices(two, urlOf(two, 'waiting', lost), 'expired', 'expired', 'expired');
      await tell('beside');
      await expect.poll(() => asked, WITHIN).toBe(SECRET_TRIES);
      await rowsOf(two, `update deliveries set leased_until = now() where leased_until > now()`);
      await tell('afterwards');
      expect(asked).toBe(SECRET_TRIES);
      two.clock.advance(UNSIGNED_MS);
      await expect.poll(() => asked, WITHIN).toBeGreaterThan(SECRET_TRIES);
      expect(await rowsOf(two, `select from deliveries where state = 'pending'`)).toHaveLength(3);
    } finally {
      stop.abort();
      await running;
      await two.close();
    }
  });
});
