import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { openPatiently, roleUrl } from '../../rig/database/role-database.ts';
import type { TestDatabase } from '../../rig/database/test-database.ts';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import { closeDatabase } from './database.ts';
import { reachOneDatabase, requireOneDatabase } from './require-one-database.ts';

let own: TestDatabase;
let other: TestDatabase;
beforeAll(async () => {
  [own, other] = await Promise.all([openTestDatabase(inject('template')), openTestDatabase(inject('template'))]);
});
afterAll(() => Promise.all([own.drop(), other.drop()]));

async function compare<T>(
  urls: [string, string],
  use: (...pools: [Parameters<typeof reachOneDatabase>[0], Parameters<typeof reachOneDatabase>[1]]) => Promise<T>,
): Promise<T> {
  const options = { connections: 1, name: 'test', settingsOnRole: true };
  const first = openPatiently({ url: roleUrl(urls[0], 'dashboard'), ...options });
  const second = openPatiently({ url: roleUrl(urls[1], 'views'), reports: true, ...options });
  try {
    return await use(first.pool, second.pool);
  } finally {
    await Promise.all([first, second].map(closeDatabase));
  }
}

test('the two roles of the dashboard can tell that they reach one database, also side by side', async () => {
  await compare([own.url, own.url], async (first, second) => {
    expect(await reachOneDatabase(first, second)).toBe(true);
    expect(await Promise.all([1, 2, 3].map(() => reachOneDatabase(first, second)))).toEqual([true, true, true]);
    await requireOneDatabase(first, second);
  });
});

test('two databases with the same schema on one server are two', async () => {
  await compare([own.url, other.url], async (first, second) => {
    expect(await reachOneDatabase(first, second)).toBe(false);
    await expect(requireOneDatabase(first, second)).rejects.toMatchObject({ code: 'DATABASES_DIFFER' });
  });
});

test('nothing is left in the sessions that were asked', async () => {
  await compare([own.url, own.url], async (first, second) => {
    await reachOneDatabase(first, second);
    for (const pool of [first, second]) {
      const { rows } = await pool.query(`select from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()`);
      expect(rows).toEqual([]);
    }
  });
});
