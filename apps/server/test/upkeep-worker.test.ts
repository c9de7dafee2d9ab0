import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { TestDatabase } from '../rig/database/test-database.ts';
import { openTestDatabase } from '../rig/database/test-database.ts';
import { NO_PRICES } from '../rig/fakes/price-servers.ts';
import { startWorker } from '../rig/processes/server-process.ts';

/** A worker process keeps the tables of months in order. */

let own: TestDatabase;
beforeAll(async () => {
  own = await openTestDatabase(inject('template'));
});
afterAll(() => own.drop());

async function monthsOf(table: string): Promise<string[]> {
  const { rows } = await own.database.pool.query<{ name: string }>(
    'select inhrelid::regclass::text as name from pg_inherits where inhparent = $1::regclass order by 1',
    [table],
  );
  return rows.map(({ name }) => name).filter((name) => /_\d{4}_\d{2}$/.test(name));
}

test('a worker makes the months that are missing, and drops those of security events that are no longer kept', async () => {
  const { pool } = own.database;
  const [expected, coming] = [await monthsOf('security_events'), await monthsOf('attempts')];
  expect(coming.length).toBeGreaterThan(1);
  await pool.query(`drop table ${coming.at(-1)}`);
  await pool.query(`select make_partitions('2021-03-10')`);
  expect(await monthsOf('security_events')).toContain('security_events_2021_03');
  const worker = await startWorker(own.url, NO_PRICES);
  await expect.poll(async () => (await monthsOf('attempts')).at(-1)).toBe(coming.at(-1));
  await expect.poll(() => monthsOf('security_events')).toEqual(expected);
  await worker.stop();
});
