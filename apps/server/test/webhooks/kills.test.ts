import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { writeKeyRing } from '../../src/secrets/key-ring.ts';
import { NO_PRICES } from '../../rig/fakes/price-servers.ts';
import { startWorker } from '../../rig/processes/server-process.ts';
import type { WebhookFixture } from '../../rig/webhooks/webhook-fixture.ts';
import { endInvoices, openWebhookFixture, rowsOf, storeOf, urlOf } from '../../rig/webhooks/webhook-fixture.ts';

/** A real worker is killed at each commit boundary of a delivery: the event is delivered at least once, with one id. */

const WITHIN = { timeout: 60_000, interval: 20 };

let fixture: WebhookFixture;
let folder: string;
let settings: Record<string, string>;
beforeAll(async () => {
  fixture = await openWebhookFixture(inject('template'));
  folder = await mkdtemp(join(tmpdir(), 'counterfoil-kills-'));
  const keyRingFile = join(folder, 'key-ring.json');
  await writeKeyRing(keyRingFile, storeOf(fixture).ring);
  settings = {
    COUNTERFOIL_KEY_RING_FILE: keyRingFile,
    COUNTERFOIL_PRIVATE_CALLBACKS: 'allow',
    ...NO_PRICES,
  };
});
afterAll(async () => {
  await fixture.close();
  await rm(folder, { recursive: true });
});

type Standing = { state: string; attempts: number; logged: number; leased: boolean };

async function standing(url: string): Promise<Standing | undefined> {
  const [row] = await rowsOf<Standing>(
    fixture,
    `select d.state, d.attempts, d.leased_until > now() as leased,
       (select count(*)::integer from attempts a where a.delivery_id = d.id) as logged
     from deliveries d join endpoints p on p.id = d.endpoint_id where p.url = $1`,
    [url],
  );
  return row;
}

const receivedAt = (url: string) => fixture.receiver.received.filter(({ path }) => path === new URL(url).pathname);

test.each<[string, string, { received: number; row: Standing }, number]>([
  [
    'claimed and not sent',
    'delivery:claimed',
    { received: 0, row: { state: 'pending', attempts: 1, logged: 0, leased: true } },
    1,
  ],
  [
    'answered and not saved',
    'delivery:sent',
    { received: 1, row: { state: 'pending', attempts: 1, logged: 0, leased: true } },
    2,
  ],
  [
    'about to be saved',
    'delivery:before-save',
    { received: 1, row: { state: 'pending', attempts: 1, logged: 0, leased: true } },
    2,
  ],
  [
    'saved',
    'delivery:after-save',
    { received: 1, row: { state: 'delivered', attempts: 1, logged: 1, leased: false } },
    1,
  ],
])(
  'a worker killed when a delivery was %s: the event is delivered under one id',
  async (_when, failpoint, killed, receivedInAll) => {
    const url = urlOf(fixture, failpoint.replace(':', '-'));
    const doomed = await startWorker(fixture.url, { ...settings, COUNTERFOIL_FAILPOINT: failpoint });
    const ended = once(doomed.child, 'exit');
    await endInvoices(fixture, url, 'completed');
    expect(await ended).toEqual([null, 'SIGKILL']);
    expect({ received: receivedAt(url).length, row: await standing(url) }).toEqual(killed);

    // The dead worker's lease runs out.
    await fixture.database.pool.query(`update deliveries set leased_until = now() where leased_until > now()`);
    const successor = await startWorker(fixture.url, settings);
    await expect.poll(async () => (await standing(url))?.state, WITHIN).toBe('delivered');
    // Another event is sent afterwards: by its delivery every repetition of the first has come.
    const fence = `${url}-fence`;
    await endInvoices(fixture, fence, 'expired');
    await expect.poll(async () => (await standing(fence))?.state, WITHIN).toBe('delivered');
    expect(await successor.stop()).toBe(0);

    const received = receivedAt(url);
    expect(received).toHaveLength(receivedInAll);
    expect(new Set(received.map(({ eventId }) => eventId)).size).toBe(1);
    expect(new Set(received.map(({ body }) => body)).size).toBe(1);
    expect(received.every(({ verified }) => verified)).toBe(true);
  },
);
