import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest';
import type { TestDatabase } from '../rig/database/test-database.ts';
import { openTestDatabase } from '../rig/database/test-database.ts';
import { VERSION } from '../src/lib/version.ts';
import type { ServerProcess } from '../rig/processes/server-process.ts';
import { startApi, startDashboard } from '../rig/processes/server-process.ts';
import type { TestStore } from '../rig/stores/open-store.ts';
import { openStore } from '../rig/stores/open-store.ts';

/** Readiness for load balancers and operators, and the drain of a stopped server. */

const WITHIN = { interval: 20 };

let own: TestDatabase;
let store: TestStore;
beforeAll(async () => {
  own = await openTestDatabase(inject('template'));
  store = await openStore(own.database);
});
afterAll(() => own.drop());

let servers: ServerProcess[] = [];
async function start(url = own.url, settings: Record<string, string> = {}): Promise<ServerProcess> {
  const server = await startApi(url, settings);
  servers.push(server);
  return server;
}
afterEach(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  servers = [];
});

const statuses = ({ url, operationsUrl }: ServerProcess) =>
  Promise.all([url, operationsUrl].map(async (base) => (await fetch(`${base}/readyz`)).status));

describe('draining', () => {
  test('a stopped process keeps serving while it reports that it is not ready, until a second signal', async () => {
    const server = await start(own.url, { COUNTERFOIL_DRAIN_SECONDS: '60' });
    expect(await statuses(server)).toEqual([200, 200]);
    const ended = once(server.child, 'exit');
    server.child.kill('SIGTERM');
    await expect.poll(() => statuses(server), WITHIN).toEqual([503, 503]);
    expect(await (await fetch(`${server.operationsUrl}/readyz`)).json()).toMatchObject({
      faults: ['shutting down'],
    });
    expect((await fetch(`${server.url}/livez`)).status).toBe(200);
    const response = await fetch(`${server.url}/payment/crypto`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': store.apiKey },
      body: JSON.stringify({ merchant_id: store.merchantId, amount: '50.00' }),
    });
    expect([response.status, response.headers.get('connection')]).toEqual([200, 'close']);
    server.child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    await expect.poll(() => server.output(), WITHIN).toContain('"msg":"stopped"');
  });

  test('a stopped dashboard server keeps serving while it reports that it is not ready, until a second signal', async () => {
    const server = await startDashboard(own.url, {
      COUNTERFOIL_DRAIN_SECONDS: '60',
      COUNTERFOIL_KEY_RING_FILE: '/there-is-none/ring.json',
    });
    servers.push(server);
    expect(await statuses(server)).toEqual([200, 200]);
    const ended = once(server.child, 'exit');
    server.child.kill('SIGTERM');
    await expect.poll(() => statuses(server), WITHIN).toEqual([503, 503]);
    expect((await fetch(`${server.url}/livez`)).status).toBe(200);
    const response = await fetch(`${server.url}/api/dashboard/me`);
    expect([response.status, response.headers.get('connection')]).toEqual([401, 'close']);
    server.child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  });

  test('a process exits after its drain', async () => {
    const server = await start(own.url, { COUNTERFOIL_DRAIN_SECONDS: '1' });
    const ended = once(server.child, 'exit');
    server.child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  });
});

test('a newer schema is a note while a running process supports it, and a fault otherwise', async () => {
  const moving = await openTestDatabase(inject('template'));
  const server = await start(moving.url);
  const apply = (compatibleFrom: string) =>
    moving.database.pool.query(
      `insert into schema_migrations (version, name, checksum, compatible_from)
       select max(version) + 1, 'later', 'x', ${compatibleFrom} from schema_migrations`,
    );
  const health = async () => (await fetch(`${server.operationsUrl}/readyz`)).json();
  await apply('max(version)');
  const note = { status: 'ok', faults: [], notes: ['schema is newer, and this version supports it'], ...VERSION };
  await expect.poll(health, WITHIN).toEqual(note);
  await apply('max(version) + 1');
  const fault = {
    status: 'unavailable',
    faults: ['schema is newer than this version supports'],
    notes: [],
    ...VERSION,
  };
  await expect.poll(health, WITHIN).toEqual(fault);
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  await server.stop();
  await moving.drop();
});

test('a process whose migrations were changed in the database is not ready', async () => {
  const changed = await openTestDatabase(inject('template'));
  const server = await start(changed.url);
  await changed.database.pool.query(`update schema_migrations set checksum = 'another' where version = 1`);
  const faults = async () => {
    const response = await fetch(`${server.operationsUrl}/readyz`);
    return [response.status, ((await response.json()) as { faults: string[] }).faults];
  };
  await expect.poll(faults, WITHIN).toEqual([503, ['schema has a migration that was changed']]);
  await server.stop();
  await changed.drop();
});

test('a process on a schema that fell behind is not ready and names the reason on the operations port only', async () => {
  const behind = await openTestDatabase(inject('template'));
  const server = await start(behind.url);
  await behind.database.pool.query('delete from schema_migrations where version > 1');
  const readiness = () => fetch(`${server.operationsUrl}/readyz`);
  // Readiness is cached for a second.
  await expect.poll(async () => (await readiness()).status, WITHIN).toBe(503);
  expect(await (await readiness()).json()).toEqual({
    status: 'unavailable',
    faults: ['schema is behind'],
    notes: [],
    ...VERSION,
  });
  const response = await fetch(`${server.url}/readyz`);
  expect([response.status, await response.json()]).toEqual([200, { status: 'ok' }]);
  await server.stop();
  await behind.drop();
});
