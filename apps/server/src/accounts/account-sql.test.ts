import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { TestDatabase } from '../../rig/database/test-database.ts';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import { inTransaction } from '../db/transaction.ts';
import { coverUnchanged, startFollowing } from './account-sql.ts';

let own: TestDatabase;
beforeAll(async () => {
  own = await openTestDatabase(inject('template'));
  await own.database.pool.query(
    `insert into chains (network, height, hash, block_time, head_height, head_time) values ('SOL', 1, '', now(), 1, now())`,
  );
});
afterAll(() => own.drop());

const rowsOf = async (text: string) => (await own.database.pool.query(text)).rows;

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

test.each([
  ['nothing else happened', 'version = version', 'frozen_at = null', 200],
  ['another worker committed', 'version = version + 1', 'frozen_at = null', 100],
  ['the account was stopped', 'stopped_at = now()', 'frozen_at = null', 100],
  ['the network was frozen', 'version = version', 'frozen_at = now()', 100],
])(
  'a read without transfers covers an account only if nothing happened since: %s',
  async (what, account, chain, end) => {
    const { queries, pool } = own.database;
    await pool.query(
      `insert into followed_accounts (network, account, start_at, open_until) values ('SOL', $1, now(), now())`,
      [what],
    );
    await inTransaction(own.database, (tx) => startFollowing(tx, 'SOL', what, { height: 100, time: 1_000 }));
    await pool.query(`update followed_accounts set ${account} where account = $1`, [what]);
    await pool.query(`update chains set ${chain}`);
    await coverUnchanged(queries, 'SOL', what, { version: 1n, to: { height: 200, time: 2_000 } });
    expect(await rowsOf(`select height::integer from chain_coverage where scope = '${what}'`)).toEqual([
      { height: end },
    ]);
  },
);
