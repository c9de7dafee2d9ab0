import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { TestDatabase } from '../../rig/database/test-database.ts';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import { claimRequests } from './named-transaction-sql.ts';

const COVERED = 100;

let own: TestDatabase;
beforeAll(async () => {
  own = await openTestDatabase(inject('template'));
});
afterAll(() => own.drop());

const name = (network: string, txId: string, dueSecondsAgo: number, height: number | null) =>
  own.database.pool.query(
    `insert into named_transactions (invoice_id, network, tx_id, store_id, named_by, next_try_at, height)
     values (1, $1, $2, 1, 'payer', clock_timestamp() - make_interval(secs => $3), $4)`,
    [network, txId, dueSecondsAgo, height],
  );
const claim = (network: string, limit: number) => claimRequests(own.database.queries, network, COVERED, limit);

test('of more requests than a round takes, those that have been due the longest are claimed', async () => {
  for (const [txId, seconds] of [['second', 20] as const, ['third', 10] as const, ['first', 30] as const])
    await name('BSC', txId, seconds, null);
  expect((await claim('BSC', 2)).map(({ txId }) => txId).toSorted()).toEqual(['first', 'second']);
});

test('a request waits only while its block is above coverage', async () => {
  await name('ETH', 'covered', 10, COVERED);
  await name('ETH', 'above', 10, COVERED + 1);
  const claimed = await claim('ETH', 10);
  const found = claimed.map(({ txId, waits, tries }) => ({ txId, waits, tries }));
  expect(found.toSorted((one, other) => (one.txId < other.txId ? -1 : 1))).toEqual([
    { txId: 'above', waits: true, tries: 0 },
    { txId: 'covered', waits: false, tries: 1 },
  ]);
});
