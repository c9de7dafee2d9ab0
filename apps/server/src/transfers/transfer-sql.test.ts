import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { buffersOf, openRecordingDatabase } from '../../rig/growth/recorded-plans.ts';
import type { RecordingDatabase } from '../../rig/growth/recorded-plans.ts';
import { createDatabase, dropDatabase, temporaryName } from '../../rig/database/temporary-database.ts';
import { closeDatabase } from '../db/database.ts';
import { inTransaction } from '../db/transaction.ts';
import { readKnown } from './transfer-sql.ts';

const MANY = 20_000;
const MOST_PAGES = 12;
const name = temporaryName('test');
let recording: RecordingDatabase;
let admin: pg.Client;
beforeAll(async () => {
  const url = await createDatabase(inject('adminUrl'), name, inject('template').name);
  recording = openRecordingDatabase(url, 1);
  admin = new pg.Client({ connectionString: url });
  await admin.connect();
});
afterAll(async () => {
  await admin.end();
  await closeDatabase(recording.database);
  await dropDatabase(inject('adminUrl'), name);
});

test('a transaction is found by its id, also by a plan that was made while there was none', async () => {
  const { database, take } = recording;
  const read = (txIds: string[]) => inTransaction(database, (tx) => readKnown(tx, 'BSC', txIds));
  expect(await read(['tx1'])).toEqual([]);
  await admin.query('alter table transfers set (autovacuum_enabled = false)');
  await read(['tx1', 'tx2']);
  await admin.query(
    `insert into transfers (network, tx_id, index, token, from_address, to_address, units, height, block_hash, block_time, seen_at)
     select 'BSC', 'tx' || n, 'USDT:0', 'USDT', 'payer', 'shop', n, n, 'h', now(), now() from generate_series(1, ${MANY}) n`,
  );
  take();
  expect(await read(['tx77', 'tx78', 'none'])).toHaveLength(2);
  // The plan of a statement inside a transaction arrives with the next statement.
  const plan = take().find(({ label }) => label.endsWith('readKnown'));
  if (!plan) throw new Error('The statement was not recorded.');
  expect(buffersOf(plan.plan)).toBeLessThan(MOST_PAGES);
});
