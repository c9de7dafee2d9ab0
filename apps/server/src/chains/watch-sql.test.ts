import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { TestDatabase } from '../../rig/database/test-database.ts';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { openStore } from '../../rig/stores/open-store.ts';
import { readWatched } from './watch-sql.ts';

const READ_UP_TO = '2026-01-01T12:00:00Z';

let own: TestDatabase;
let store: TestStore;
let address: string;
beforeAll(async () => {
  own = await openTestDatabase(inject('template'));
  store = await openStore(own.database);
  const statement = 'select address from wallets where store_id = $1';
  address = (await own.database.pool.query<{ address: string }>(statement, [store.id])).rows[0]?.address ?? '';
  await own.database.pool.query(
    `insert into chains (network, height, hash, block_time, head_height, head_time) values ('BSC', 1, 'h', $1, 1, $1)`,
    [READ_UP_TO],
  );
});
afterAll(() => own.drop());

const watched = () => readWatched(own.database.queries, 'BSC');

test('a removed wallet is watched until the block that was read last has reached the end of its last quarantine', async () => {
  expect(await watched()).toEqual([address]);
  await own.database.pool.query('update wallets set removed_at = now()');
  expect(await watched()).toEqual([]);
  await own.database.pool.query(
    `insert into amount_slots (network, token, address, display_units, quote_id) values ('BSC', 'USDT', $1, 5, 1)`,
    [address],
  );
  for (const [heldUntil, expected] of [
    ['infinity', [address]],
    ['2026-01-01T12:00:01Z', [address]],
    [READ_UP_TO, []],
  ] as const) {
    await own.database.pool.query('update amount_slots set held_until = $1', [heldUntil]);
    expect(await watched()).toEqual(expected);
  }
});
