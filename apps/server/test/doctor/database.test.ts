import { writeFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { ALICE } from '../../rig/database/key-ring-fixture.ts';
import { roleUrl } from '../../rig/database/role-database.ts';
import type { TestDatabase } from '../../rig/database/test-database.ts';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import { openStore } from '../../rig/stores/open-store.ts';
import { wordRefusal } from '../../src/commands/refusal-words.ts';
import { readConnectionFacts } from '../../src/doctor/doctor-sql.ts';
import type { Finding } from '../../src/doctor/finding.ts';
import { examineDatabase } from '../../src/doctor/examine-database.ts';
import { examineKeyRing } from '../../src/doctor/examine-key-ring.ts';
import { judgeWriting } from '../../src/doctor/judge-writing.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { initKeyRing } from '../../src/secrets/init-key-ring.ts';
import { openKeyRing } from '../../src/secrets/key-ring.ts';
import { withDoctor } from '../../src/with-doctor.ts';

/** What the doctor says of a database, and of a key ring whose database cannot be asked. */

let own: TestDatabase;
let folder: string;
let keyRingFile: string;
beforeAll(async () => {
  own = await openTestDatabase(inject('template'));
  folder = await mkdtemp(join(tmpdir(), 'counterfoil-doctor-'));
  keyRingFile = join(folder, 'ring.json');
  await initKeyRing({ database: own.database, clock: systemClock, keyRingFile }, ALICE);
  await openStore(own.database, { ring: await openKeyRing(keyRingFile), wallet: false });
});
afterAll(async () => {
  await own.drop();
  await rm(folder, { recursive: true });
});

/** Examines the database through connections of the doctor's own, as the command does. */
const examine = (isApiAsked = false, url = roleUrl(own.url, 'admin')): Promise<Finding[]> =>
  withDoctor({ COUNTERFOIL_DATABASE_URL: url }, async ({ database }) => {
    if (!database) throw new Error('There is no database.');
    const networks = { followed: [], chainNetworks: ['BSC'] };
    const asked = { database, clock: systemClock, connections: 1, storePlan: undefined, isApiAsked, ...networks };
    return examineDatabase({ ...asked, role: 'admin' });
  });

const findingOf = async (check: string, findings: Promise<Finding[]>) =>
  (await findings).find((finding) => finding.check === check);

/** Runs something while there are sessions under these names, as running processes have them. */
async function whileConnected<T>(names: readonly string[], use: () => Promise<T>): Promise<T> {
  const url = roleUrl(own.url, 'api');
  const clients = names.map((name) => new pg.Client({ connectionString: url, application_name: name }));
  await Promise.all(clients.map((client) => client.connect()));
  try {
    return await use();
  } finally {
    await Promise.all(clients.map((client) => client.end()));
  }
}

describe('processes', () => {
  const NAMES = ['counterfoil-api', 'counterfoil-worker', 'counterfoil-dashboard'];

  test.each(NAMES)('that lack %s are doubted', async (missing) => {
    const others = NAMES.filter((name) => name !== missing);
    const finding = await whileConnected(others, () => findingOf('processes', examine()));
    expect(finding).toMatchObject({ state: 'doubtful', says: expect.stringContaining(missing) as string });
    for (const other of others) expect(finding?.says).not.toContain(other);
  });

  test('of each kind are fine', async () => {
    const finding = await whileConnected(NAMES, () => findingOf('processes', examine()));
    expect(finding).toMatchObject({ state: 'fine' });
  });

  test('that closed their idle connections are known by their reports, and the API by its address', async () => {
    const report = (age: string) =>
      own.database.pool.query(
        `insert into key_ring_holders (id, kind, host, pid, key_ids, seen_at)
         select kind, kind, 'here', 1, '{}', now() - $1::interval from unnest(array['worker', 'dashboard']) as k (kind)
         on conflict (id) do update set seen_at = excluded.seen_at`,
        [age],
      );
    await report('30 seconds');
    expect(await findingOf('processes', examine(true))).toMatchObject({ state: 'fine' });
    await report('90 seconds');
    expect(await findingOf('processes', examine(true))).toMatchObject({
      state: 'doubtful',
      says: expect.stringMatching(/worker.*dashboard/) as string,
    });
    await own.database.pool.query('delete from key_ring_holders');
  });
});

test('connections of other roles are counted', async () => {
  const names = Array.from({ length: 20 }, (_none, place) => `somebody-${place}`);
  const { used } = await whileConnected(names, () => readConnectionFacts(own.as('admin').pool));
  expect(used).toBeGreaterThanOrEqual(names.length);
});

test('a table that is locked delays the doctor by seconds, and is named', async () => {
  const client = new pg.Client({ connectionString: own.url });
  await client.connect();
  await client.query('begin');
  await client.query('lock table wallets in access exclusive mode');
  const finding = await findingOf('workers', examine());
  expect(finding).toMatchObject({ state: 'wrong', mend: expect.stringContaining('holder of the lock') as string });
  await client.end();
});

describe('a database that takes no writes', () => {
  test('is named when it is only for reading', async () => {
    const setting = (change: string) =>
      own.database.pool.query(`do $$ begin execute format('alter database %I ${change}', current_database()); end $$`);
    await setting('set default_transaction_read_only = on');
    const finding = await findingOf('writing', examine());
    await own.database.pool.query('set default_transaction_read_only = off');
    await setting('reset default_transaction_read_only');
    expect(finding).toMatchObject({ state: 'wrong', says: expect.stringContaining('read-only') as string });
    expect(await findingOf('writing', examine())).toMatchObject({ state: 'fine' });
  });

  test('is named when it is a standby', () => {
    expect(judgeWriting({ isStandby: true, isReadOnly: true })).toMatchObject({
      state: 'wrong',
      says: expect.stringContaining('standby') as string,
    });
  });
});

const ask = (path: string, url: string) =>
  withDoctor({ COUNTERFOIL_DATABASE_URL: url }, ({ database }) =>
    examineKeyRing({ queries: database?.queries, path, word: wordRefusal }),
  );

const elsewhere = (path: string, port?: string) => {
  const url = new URL(roleUrl(own.url, 'admin'));
  if (port !== undefined) url.port = port;
  return Object.assign(url, { pathname: path }).href;
};

describe('the key ring', () => {
  test.each([
    ['does not answer', () => elsewhere('/counterfoil', '9')],
    ['is empty', () => elsewhere('/postgres')],
  ])('is not blamed when the database %s', async (_title, url) => {
    const finding = await ask(keyRingFile, url());
    expect(finding.state).toBe('doubtful');
    expect(finding.mend).not.toMatch(/backup/);
    expect(finding.mend).toMatch(/leave the file/i);
  });

  test('is blamed for its file, whatever the database does', async () => {
    const path = join(folder, 'broken.json');
    await writeFile(path, '{', { mode: 0o600 });
    expect(await ask(path, elsewhere('/counterfoil', '9'))).toMatchObject({
      state: 'wrong',
      mend: expect.stringContaining('backup') as string,
    });
  });

  test('is blamed when it lacks the key of a secret', async () => {
    const path = join(folder, 'other.json');
    const keys = { k9: Buffer.alloc(32, 7).toString('base64') };
    await writeFile(path, JSON.stringify({ keys }), { mode: 0o600 });
    expect(await ask(path, roleUrl(own.url, 'admin'))).toMatchObject({
      state: 'wrong',
      mend: expect.stringContaining('backup') as string,
    });
  });
});
