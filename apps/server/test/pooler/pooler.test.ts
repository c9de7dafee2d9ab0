import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { PgBouncer, Pooling } from '../../rig/database/pgbouncer.ts';
import { startPgBouncer } from '../../rig/database/pgbouncer.ts';
import { PATIENCE_MS, prepareAsMigrator, roleUrl } from '../../rig/database/role-database.ts';
import type { TestDatabase } from '../../rig/database/test-database.ts';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import { startApi, startDashboard, startWorker } from '../../rig/processes/server-process.ts';
import { waitUntil } from '../../rig/processes/wait-until.ts';
import type { Explanation } from '../../rig/sandbox/test-site.ts';
import { act, chooseMethod, createTestInvoice, startTestSite, untilExplained } from '../../rig/sandbox/test-site.ts';
import { closeDatabase, openDatabase } from '../../src/db/database.ts';
import { readSessionFacts } from '../../src/db/require-own-session.ts';
import { ROLE_SETTINGS } from '../../src/db/role.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { examineDatabase } from '../../src/doctor/examine-database.ts';
import type { Finding } from '../../src/doctor/finding.ts';

/** Our processes behind real PgBouncer. */

let own: TestDatabase;
let poolers: PgBouncer[] = [];
beforeAll(async () => {
  own = await openTestDatabase(inject('template'));
});
afterAll(async () => {
  for (const pooler of poolers) await pooler.stop();
  poolers = [];
  await own.drop();
});

async function pooled(mode: Pooling['mode'], port?: number, further?: string): Promise<PgBouncer> {
  const pooler = await startPgBouncer(own.url, { mode, ...(further !== undefined && { further }) }, port);
  poolers.push(pooler);
  return pooler;
}

/** What the doctor says of the pooler through an address. */
async function examinePooler(url: string): Promise<Finding | undefined> {
  const options = { url: roleUrl(url, 'admin'), connections: 3, name: 'test', reports: true, settingsOnRole: true };
  const database = openDatabase({ ...options, waitMs: PATIENCE_MS }, () => {});
  try {
    const examination = {
      role: 'admin',
      connections: 10,
      followed: [],
      chainNetworks: [],
      storePlan: undefined,
      isApiAsked: true,
    } as const;
    const findings = await examineDatabase({ ...examination, database, clock: systemClock });
    return findings.find(({ check }) => check === 'pooler');
  } finally {
    await closeDatabase(database);
  }
}

async function sessionFacts(url: string, connections: number) {
  const options = { url: roleUrl(url, 'api'), connections, name: 'test', settingsOnRole: true };
  const database = openDatabase({ ...options, waitMs: PATIENCE_MS }, () => {});
  try {
    return await readSessionFacts(database.pool);
  } finally {
    await closeDatabase(database);
  }
}

const is = (status: string) => (one: Explanation) => one.status === status;

describe('behind PgBouncer in session mode', () => {
  test('sessions have the settings of their roles, and the doctor is content', async () => {
    const { url } = await pooled('session');
    const client = new pg.Client({ connectionString: roleUrl(url, 'worker') });
    await client.connect();
    const { rows } = await client.query<{ settings: Record<string, string> }>(
      'select json_object_agg(name, current_setting(name)) as settings from unnest($1::text[]) as s (name)',
      [Object.keys(ROLE_SETTINGS.worker)],
    );
    await client.end();
    expect(rows[0]?.settings).toEqual(ROLE_SETTINGS.worker);
    expect(await examinePooler(url)).toMatchObject({ state: 'fine', says: expect.stringContaining('session mode') });
  });

  test('an invoice is created, paid and told, another one expires, and a pooler that was away is found again', async () => {
    const pooler = await pooled('session');
    const site = await startTestSite({ database: own.database, url: pooler.url });
    try {
      const paid = await createTestInvoice(site, '25');
      await chooseMethod(site, paid);
      await act(site, paid, 'pay');
      const told = await untilExplained(site, paid, ({ events }) =>
        events.some(({ delivery }) => delivery === 'delivered'),
      );
      expect(told).toMatchObject({ status: 'completed', events: [{ type: 'invoice.completed' }] });

      await pooler.stop();
      const isReady = async () => (await fetch(`${site.server.operationsUrl}/readyz`)).status === 200;
      await waitUntil(async () => !(await isReady()), { what: 'Nothing is missed.', pollMs: 50 });
      await pooled('session', pooler.port);
      await waitUntil(isReady, { what: 'The pooler is not found again.', pollMs: 50 });

      const expired = await createTestInvoice(site, '30');
      await chooseMethod(site, expired);
      await act(site, expired, 'advance');
      await untilExplained(site, expired, is('expired'));
    } finally {
      await site.close();
    }
  });
});

describe.each(['transaction', 'statement'] as const)('behind PgBouncer in %s mode', (mode) => {
  let url: string;
  beforeAll(async () => {
    ({ url } = await pooled(mode));
  });

  test.each([
    ['the API', () => startApi(url)],
    ['a worker', () => startWorker(url)],
    ['the dashboard', () => startDashboard(url, { COUNTERFOIL_KEY_RING_FILE: '/nowhere' })],
  ])('%s does not start and says why', async (_name, start) => {
    await expect(start()).rejects.toThrow(/pooler.*session mode/s);
  });

  test('a migration does not begin', async () => {
    const asked = { roles: false, now: new Date(systemClock.nowMs()), log: () => {} };
    await expect(prepareAsMigrator(url, asked)).rejects.toMatchObject({ code: 'DATABASE_SESSIONS_SHARED' });
  });

  test('the doctor names it', async () => {
    expect(await examinePooler(url)).toMatchObject({ state: 'wrong', says: expect.stringContaining('share') });
  });
});

test('a process that may have one connection only finds out as well', async () => {
  const { url } = await pooled('transaction');
  expect(await sessionFacts(url, 1)).toEqual({ pooled: true, shared: true });
  expect(await sessionFacts((await pooled('session')).url, 1)).toEqual({ pooled: true, shared: false });
  expect(await sessionFacts(own.url, 1)).toEqual({ pooled: false, shared: false });
});

test.each([1, 2, 3, 4, 5])(
  'shared sessions are found where a pooler has %i and takes them in turns',
  async (sessions) => {
    const { url } = await pooled('transaction', undefined, 'server_round_robin = 1');
    const clients = Array.from({ length: sessions }, () => new pg.Client({ connectionString: roleUrl(url, 'api') }));
    for (const client of clients) await client.connect();
    for (const client of clients) await client.query('begin');
    for (const client of clients) await client.query('rollback');
    for (const client of clients) await client.end();
    expect(await sessionFacts(url, 2)).toEqual({ pooled: true, shared: true });
  },
);

test('shared sessions are found while others use the pooler', async () => {
  const { url } = await pooled('transaction');
  const others = new pg.Pool({ connectionString: roleUrl(url, 'api'), max: 8 });
  const over = new AbortController();
  const busy = Array.from({ length: 8 }, async () => {
    while (!over.signal.aborted) await others.query('select pg_sleep(0.001)');
  });
  try {
    for (let looks = 0; looks < 10; looks += 1)
      expect(await sessionFacts(url, 2)).toEqual({ pooled: true, shared: true });
  } finally {
    over.abort();
    await Promise.all(busy);
    await others.end();
  }
});
