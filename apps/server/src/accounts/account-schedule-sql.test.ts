import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { TestDatabase } from '../../rig/database/test-database.ts';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import { findDueNetworks, takeDemands } from './account-schedule-sql.ts';

let own: TestDatabase;
beforeAll(async () => {
  own = await openTestDatabase(inject('template'));
});
afterAll(() => own.drop());

test('demands are taken in the order in which they came', async () => {
  await own.database.pool.query(
    `insert into account_demands (network, account, start_at, open_until)
     select 'SOL', 'a' || n, now(), now() from generate_series(1, 3) n`,
  );
  expect(await takeDemands(own.database.queries, 'SOL', 2)).toBe(2);
  const { rows } = await own.database.pool.query('select account from account_demands');
  expect(rows).toEqual([{ account: 'a3' }]);
});

test('a network is due while a demand waits for it, and no other is', async () => {
  const due = () => findDueNetworks(own.database.queries, ['TRON', 'TON']);
  expect(await due()).toEqual([]);
  await own.database.pool.query(
    `insert into account_demands (network, account, start_at, open_until) values ('TRON', 'a', now(), now())`,
  );
  expect(await due()).toEqual(['TRON']);
});
