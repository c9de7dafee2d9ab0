import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { TestDatabase } from '../../rig/database/test-database.ts';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import { COUNTED_UP_TO, countAmounts, countInbox } from './chain-health-sql.ts';

let own: TestDatabase;
beforeAll(async () => {
  own = await openTestDatabase(inject('template'));
});
afterAll(() => own.drop());

async function hold(network: string, token: string, count: number, until: string): Promise<void> {
  await own.database.pool.query(
    `insert into amount_slots (network, token, address, display_units, quote_id, held_until)
     select $1, $2, $4::text, 4 * n, n, $4::timestamptz from generate_series(1, $3::integer) n`,
    [network, token, count, until],
  );
}

async function arrive(network: string, reason: string | null, count: number): Promise<void> {
  await own.database.pool.query(
    `insert into transfers (network, tx_id, index, token, from_address, to_address, units, height, block_hash, block_time, seen_at, reason)
     select $1, coalesce($2, 'paid') || n, '0', 'USDT', 'f', 't', 1, n, 'h', now(), now(), $2 from generate_series(1, $3::integer) n`,
    [network, reason, count],
  );
}

test('with nothing held and nothing unmatched there is nothing to count', async () => {
  expect(await countAmounts(own.database.queries)).toEqual([]);
  expect(await countInbox(own.database.queries)).toEqual([]);
});

test('amounts kept for a restore do not count as used', async () => {
  await own.database.pool.query(
    `insert into amount_slots (network, token, address, display_units, quote_id)
     select 'AVAX', 'USDC', 'a', n, n from generate_series(1, 8) n`,
  );
  expect(await countAmounts(own.database.queries)).toEqual([{ network: 'AVAX', token: 'USDC', amounts: 6 }]);
  await own.database.pool.query('delete from amount_slots');
});

test('amounts that are open or in quarantine are counted by network and token; those whose quarantine is over are not', async () => {
  await hold('BSC', 'USDT', 3, 'infinity');
  await hold('BSC', 'USDT', 2, '2999-01-01');
  await hold('BSC', 'USDT', 50, '2001-01-01');
  await hold('BSC', 'BNB', 1, 'infinity');
  await hold('SOL', 'USDT', 4, '2001-01-01');
  expect(await countAmounts(own.database.queries)).toEqual([
    { network: 'BSC', token: 'BNB', amounts: 1 },
    { network: 'BSC', token: 'USDT', amounts: 5 },
    { network: 'SOL', token: 'USDT', amounts: 0 },
  ]);
});

test('transfers that pay nothing are counted by network and reason', async () => {
  await arrive('BSC', null, 9);
  await arrive('BSC', 'short', 3);
  await arrive('BSC', 'late', 1);
  await arrive('ETH', 'short', 2);
  expect(await countInbox(own.database.queries)).toEqual([
    { network: 'BSC', reason: 'late', transfers: 1 },
    { network: 'BSC', reason: 'short', transfers: 3 },
    { network: 'ETH', reason: 'short', transfers: 2 },
  ]);
});

test('counting stops at a bound, which then means that many or more', async () => {
  await hold('TRC20', 'USDT', COUNTED_UP_TO + 1, 'infinity');
  await arrive('TRC20', 'over', COUNTED_UP_TO + 1);
  expect(await countAmounts(own.database.queries)).toContainEqual({
    network: 'TRC20',
    token: 'USDT',
    amounts: COUNTED_UP_TO,
  });
  expect(await countInbox(own.database.queries)).toContainEqual({
    network: 'TRC20',
    reason: 'over',
    transfers: COUNTED_UP_TO,
  });
});
