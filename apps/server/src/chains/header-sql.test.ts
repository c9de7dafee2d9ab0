import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { TestDatabase } from '../../rig/database/test-database.ts';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import { inTransaction } from '../db/transaction.ts';
import { deleteOldHeaders } from './header-sql.ts';

const FINAL = 1_767_268_800;
const HOUR = 3_600;
/** Headers that are kept at any age. */
const LEAST_HELD = 512;

let own: TestDatabase;
beforeAll(async () => {
  own = await openTestDatabase(inject('template'));
});
afterAll(() => own.drop());

const write = (heights: [from: number, to: number], time: number, kept: boolean) =>
  own.database.pool.query(
    `insert into chain_blocks (network, height, hash, parent_hash, block_time, kept)
     select 'BSC', height, 'h', 'p', to_timestamp($3), $4 from generate_series($1::integer, $2::integer) height`,
    [...heights, time, kept],
  );

test('headers are deleted once they are more than an hour below the final block, kept ones after three days', async () => {
  await write([1, 3], FINAL - HOUR - 1, false);
  await write([4, 4], FINAL - HOUR, false);
  await write([5, 5 + LEAST_HELD], FINAL, false);
  await write([1_001, 1_003], FINAL - 72 * HOUR - 1, true);
  await write([1_004, 1_004], FINAL - 72 * HOUR, true);
  await inTransaction(own.database, (tx) => deleteOldHeaders(tx, 'BSC', FINAL));
  const { rows } = await own.database.pool.query(
    'select kept, min(height)::integer as lowest from chain_blocks group by kept order by kept',
  );
  expect(rows).toEqual([
    { kept: false, lowest: 4 },
    { kept: true, lowest: 1_004 },
  ]);
});
