import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { TestDatabase } from '../../rig/database/test-database.ts';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import { inTransaction } from '../db/transaction.ts';
import { takeDemands } from './account-schedule-sql.ts';
import { startFollowing } from './account-sql.ts';

let own: TestDatabase;
beforeAll(async () => {
  own = await openTestDatabase(inject('template'));
});
afterAll(() => own.drop());

const rowsOf = async (text: string) => (await own.database.pool.query(text)).rows;

test('demands are taken in the order in which they came', async () => {
  await own.database.pool.query(
    `insert into account_demands (network, account, start_at, open_until)
     select 'SOL', 'a' || n, now(), now() from generate_series(1, 3) n`,
  );
  expect(await takeDemands(own.database.queries, 'SOL', 2)).toBe(2);
  expect(await rowsOf('select account from account_demands')).toEqual([{ account: 'a3' }]);
});

test('an account that starts again keeps the coverage and the cursor that reach further', async () => {
  await own.database.pool.query(
    `insert into followed_accounts (network, account, start_at, open_until) values ('SOL', 'again', now(), now())`,
  );
  const start = (height: number) =>
    inTransaction(own.database, (tx) => startFollowing(tx, 'SOL', 'again', { height, time: height * 10 }));
  await start(500);
  await start(300);
  const reach = 'height::integer, extract(epoch from block_time)::integer as time';
  const reached = [{ height: 500, time: 5_000 }];
  expect(await rowsOf(`select ${reach} from chain_coverage where scope = 'again'`)).toEqual(reached);
  expect(await rowsOf(`select ${reach} from followed_accounts where account = 'again'`)).toEqual(reached);
});
