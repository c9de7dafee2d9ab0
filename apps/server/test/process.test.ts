import { connect } from 'node:net';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest';
import { cutOffDatabase } from '../rig/database/cut-off-database.ts';
import { countWaits } from '../rig/database/count-waits.ts';
import type { ServerProcess } from '../rig/processes/server-process.ts';
import type { TestDatabase } from '../rig/database/test-database.ts';
import type { TestStore } from '../rig/stores/open-store.ts';
import { openStore } from '../rig/stores/open-store.ts';
import { openTestDatabase } from '../rig/database/test-database.ts';
import { VERSION } from '../src/lib/version.ts';
import { startApi } from '../rig/processes/server-process.ts';
import { NODE_FLAGS } from '../rig/processes/node-flags.ts';
import { roleUrl } from '../rig/database/role-database.ts';
import { runProgram } from '../rig/processes/run-program.ts';

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

function create(server: ServerProcess, requestId: string): Promise<Response> {
  return fetch(`${server.url}/payment/crypto`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': store.apiKey },
    body: JSON.stringify({ merchant_id: store.merchantId, amount: '50.00', request_id: requestId }),
  });
}

function accepts(server: ServerProcess): Promise<boolean> {
  const { hostname, port } = new URL(server.url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

/** Locks the store's balance, so that creates wait inside their statement until `work` is done. */
async function whileCreatesWait<T>(work: () => Promise<T>): Promise<T> {
  const client = await own.database.pool.connect();
  await client.query('begin');
  await client.query('select from balances where store_id = $1 for update', [store.id]);
  try {
    return await work();
  } finally {
    await client.query('rollback');
    client.release();
  }
}

const countWaiting = () => countWaits(own.database);

describe('ending', () => {
  test('SIGTERM lets a request under way be answered, takes no new connections and ends with 0', async () => {
    // Statements of the role end after three seconds: on a slow machine the one that waits would end too early.
    const patient = `${own.url}?options=-c%20statement_timeout%3D60s`;
    const server = await start(patient, { COUNTERFOIL_ANY_DATABASE_ROLE: 'allow' });
    const ended = once(server.child, 'exit');
    const underWay = await whileCreatesWait(async () => {
      const answer = create(server, 'under-way');
      await expect.poll(countWaiting, WITHIN).toBe(1);
      server.child.kill('SIGTERM');
      await expect.poll(() => accepts(server), WITHIN).toBe(false);
      return { answer, acceptedAfterwards: await accepts(server) };
    });
    const response = await underWay.answer;
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ status: 'success', data: { request_id: 'under-way' } });
    expect(underWay.acceptedAfterwards).toBe(false);
    expect(await ended).toEqual([0, null]);
    await expect.poll(() => server.output(), WITHIN).toContain('"msg":"stopped"');
  });

  test('SIGINT ends a process with open keep-alive connections at once, and a second signal changes nothing', async () => {
    const server = await start();
    await (await fetch(`${server.url}/livez`)).json();
    const ended = once(server.child, 'exit');
    server.child.kill('SIGINT');
    server.child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  });
});

const ask = async (base: string, path: string) => (await fetch(`${base}/${path}`)).text();

describe('health', () => {
  test('a process that can serve is alive and ready on both ports', async () => {
    const server = await start();
    for (const base of [server.url, server.operationsUrl]) {
      for (const path of ['livez', 'readyz']) {
        const response = await fetch(`${base}/${path}`);
        expect([response.status, await response.json()]).toEqual([200, expect.objectContaining({ status: 'ok' })]);
      }
    }
  });

  test('a process says which version it is in its first line and to operators, and not to the public', async () => {
    const server = await start();
    expect(VERSION).toEqual({
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      commit: expect.stringMatching(/^([0-9a-f]{40}|unknown)$/),
    });
    await expect.poll(() => server.output(), WITHIN).toContain('\n');
    const [first = ''] = server.output().split('\n');
    expect(JSON.parse(first)).toMatchObject({ msg: 'starting', process: 'api', ...VERSION });
    expect(JSON.parse(await ask(server.operationsUrl, 'readyz'))).toEqual({
      status: 'ok',
      faults: [],
      notes: [],
      ...VERSION,
    });
    expect(await ask(server.operationsUrl, 'metrics')).toContain(
      `counterfoil_build_info{version="${VERSION.version}",commit="${VERSION.commit}"} 1`,
    );
    for (const path of ['readyz', 'livez', ''])
      expect(await ask(server.url, path)).not.toMatch(new RegExp(`${VERSION.version}|${VERSION.commit}`));
  });

  test('a process whose database goes away stays alive and in rotation, is not ready, refuses without a stack, and recovers', async () => {
    const away = await openTestDatabase(inject('template'), 1);
    const server = await start(away.url);
    const readiness = async () => (await fetch(`${server.operationsUrl}/readyz`)).status;
    expect(await readiness()).toBe(200);

    const letIn = await cutOffDatabase(inject('adminUrl'), away.url);
    await expect.poll(readiness, WITHIN).toBe(503);
    expect((await fetch(`${server.operationsUrl}/livez`)).status).toBe(200);
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
    const refused = await create(server, 'nowhere');
    expect([refused.status, await refused.json()]).toEqual([
      500,
      {
        status: 'error',
        error_code: 'AUTHENTICATION_FAILED',
        message: 'Authentication failed. Please try again later.',
        request_id: 'nowhere',
      },
    ]);

    await letIn();
    await expect.poll(readiness, WITHIN).toBe(200);
    expect(server.child.exitCode).toBeNull();
    await server.stop();
    await away.drop();
  });
});

describe('what an operator sees', () => {
  test('metrics count requests by route and status and show the connections, never a tenant', async () => {
    const server = await start();
    const response = await create(server, 'measured');
    const { data } = (await response.json()) as { data: { trans_id: string } };
    await fetch(`${server.url}/invoice/${data.trans_id}`, { headers: { 'x-api-key': store.apiKey } });
    const metrics = await (await fetch(`${server.operationsUrl}/metrics`)).text();
    expect(metrics).toMatch(
      /counterfoil_http_request_duration_seconds_count\{method="POST",route="\/payment\/crypto",status="200"\} 1/,
    );
    expect(metrics).toMatch(
      /counterfoil_http_request_duration_seconds_count\{method="GET",route="\/invoice\/:trans_id",status="200"\} 1/,
    );
    expect(metrics).toMatch(/counterfoil_database_connections\{state="open"\} [1-9]/);
    expect(metrics).toContain('process_cpu_seconds_total');
    expect(metrics).not.toContain(data.trans_id);
    expect(metrics).not.toContain(store.merchantId);
  });

  test('metrics are not on the public port', async () => {
    const server = await start();
    expect((await fetch(`${server.url}/metrics`)).status).toBe(404);
  });

  test('logs are JSON lines that carry the request id of the answer and no secret, and health checks are not logged', async () => {
    const server = await start();
    for (const path of ['livez', 'readyz']) await (await fetch(`${server.url}/${path}`)).json();
    const response = await create(server, 'logged');
    await response.json();
    await server.stop();
    const lines = server
      .output()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.find((line) => line['requestId'] === response.headers.get('x-request-id'))).toMatchObject({
      msg: 'answered',
      method: 'POST',
      route: '/payment/crypto',
      status: 200,
    });
    expect(server.output()).not.toContain(store.apiKey);
    expect(server.output()).not.toMatch(/livez|readyz/);
  });
});

/** Starts a process that must refuse to run, and returns how it ended. */
async function startRefused(settings: Record<string, string>): Promise<{ code: number; text: string }> {
  const ports = { COUNTERFOIL_PORT: '0', COUNTERFOIL_OPERATIONS_PORT: '0' };
  const { code, out, error } = await runProgram('main-api', [], { ...ports, ...settings });
  return { code, text: out + error };
}

const onDatabase = (url: string) => ({
  COUNTERFOIL_DATABASE_URL: roleUrl(url, 'api'),
  COUNTERFOIL_CHECKOUT_URL: 'https://checkout.example',
});

test('the API has no key ring: it starts and serves though the ring that is named cannot be read', async () => {
  const server = await startApi(own.url, { COUNTERFOIL_KEY_RING_FILE: '/nowhere/ring.json' });
  try {
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
    expect(server.output()).not.toContain('/nowhere/ring.json');
  } finally {
    await server.stop();
  }
});

test('a process starts, and is ready, on a newer schema that says it may run there', async () => {
  const other = await openTestDatabase(inject('template'));
  await other.database.pool.query(
    `insert into schema_migrations (version, name, checksum, compatible_from)
     select max(version) + 1, 'later', 'x', max(version) from schema_migrations`,
  );
  const server = await start(other.url);
  expect((await fetch(`${server.operationsUrl}/readyz`)).status).toBe(200);
  await server.stop();
  await other.drop();
});

describe('a process refuses to start', () => {
  test.each([
    ['newer', `insert into schema_migrations (version, name, checksum) values (9999, 'later', 'x')`],
    ['behind', 'delete from schema_migrations where version > 1'],
  ])('on a schema that is %s', async (state, statement) => {
    const other = await openTestDatabase(inject('template'));
    await other.database.pool.query(statement);
    const { code, text } = await startRefused(onDatabase(other.url));
    expect(code).not.toBe(0);
    expect(text).toMatch(new RegExp(`The database schema is ${state}`));
    expect(text).not.toContain('"msg":"listening"');
    await other.drop();
  });

  test('in another role than its own, unless development allows any', async () => {
    const asAdministrator = { ...onDatabase(own.url), COUNTERFOIL_DATABASE_URL: own.url };
    const { code, text } = await startRefused(asAdministrator);
    expect(code).not.toBe(0);
    expect(text).toMatch(/it is a superuser\n[^]*Run main-migrate with --roles and connect as counterfoil_api/);
    const allowed = { COUNTERFOIL_DATABASE_URL: own.url, COUNTERFOIL_ANY_DATABASE_ROLE: 'allow' };
    const server = await start(own.url, allowed);
    expect((await create(server, 'as-anybody')).status).toBe(200);
  });

  test('with a faulty configuration, and names every fault of it', async () => {
    const { code, text } = await startRefused({ COUNTERFOIL_PORT: 'abc', COUNTERFOIL_LOG_LEVEL: 'loud' });
    expect(code).not.toBe(0);
    for (const name of ['DATABASE_URL', 'CHECKOUT_URL', 'PORT', 'LOG_LEVEL']) {
      expect(text).toContain(`COUNTERFOIL_${name}: `);
    }
  });

  test('on a port that is taken', async () => {
    const server = await start();
    const { port } = new URL(server.url);
    const { code, text } = await startRefused({ ...onDatabase(own.url), COUNTERFOIL_PORT: port });
    expect(code).not.toBe(0);
    expect(text).toContain('EADDRINUSE');
  });
});

test('operators are told to start processes with the flags that suites and drills start them with', () => {
  const text = readFileSync(new URL('../../../docs/operations/install.md', import.meta.url), 'utf8');
  expect(text).toContain(`node ${NODE_FLAGS.join(' ')} apps/server/dist/main-api.js`);
});
