import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { TestDatabase } from '../../rig/database/test-database.ts';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import type { Tx } from '../db/transaction.ts';
import { inTransaction } from '../db/transaction.ts';
import { lockTransferFacts } from './doubted-transfer-sql.ts';
import { readAttachFacts } from './inbox-sql.ts';

let own: TestDatabase;
beforeAll(async () => {
  own = await openTestDatabase(inject('template'));
  await own.database.pool.query(
    `insert into transfers (network, tx_id, index, token, from_address, to_address, units, height, block_hash, block_time, seen_at)
     select network, tx_id, index, 'USDT', '0x1', '0x2', 1, 1, '0x', now(), now()
     from (values ('BSC', '0xa', 'USDT:0'), ('BSC', '0xa', 'USDT:1'), ('BSC', '0xb', 'USDT:0'), ('ETH', '0xa', 'USDT:0')) v (network, tx_id, index)`,
  );
});
afterAll(() => own.drop());

test.each<[string, (tx: Tx) => Promise<unknown>]>([
  ['attached', (tx) => readAttachFacts(tx, 'TID-AAAAAAAAAAAAAAAA', 'BSC', '0xa', 'USDT:0')],
  ['accepted or discarded', (tx) => lockTransferFacts(tx, { network: 'BSC', txId: '0xa', index: 'USDT:0' })],
])('a transfer that is to be %s is locked, and no other one', async (_what, lock) => {
  const free = await inTransaction(own.database, async (tx) => {
    await lock(tx);
    const { rows } = await own.database.pool.query<{ name: string }>(
      `select network || ' ' || tx_id || ' ' || index as name from transfers order by 1 for update skip locked`,
    );
    return rows.map(({ name }) => name);
  });
  expect(free.toSorted()).toEqual(['BSC 0xa USDT:1', 'BSC 0xb USDT:0', 'ETH 0xa USDT:0']);
});
