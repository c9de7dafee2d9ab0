import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { TestDatabase } from '../../rig/database/test-database.ts';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import { inTransaction } from '../db/transaction.ts';
import { insertBlocks, insertChain } from './chain-sql.ts';
import { insertReadEnd } from './read-end-sql.ts';

let own: TestDatabase;
const block = { height: 5, hash: '0x5', parentHash: '0x4', time: 50 };
beforeAll(async () => {
  own = await openTestDatabase(inject('template'));
  await insertChain(own.database.queries, 'ETH', block, ['finalized']);
});
afterAll(() => own.drop());

test('a header that is kept stays kept when it is read again', async () => {
  await insertBlocks(own.database.queries, 'ETH', [block], new Set([block.height]));
  await insertBlocks(own.database.queries, 'ETH', [{ ...block, hash: '0x5b' }]);
  const { rows } = await own.database.pool.query('select hash, kept from chain_blocks');
  expect(rows).toEqual([{ hash: '0x5b', kept: true }]);
});

test('a read that ends where an earlier one did is as old as itself, not as the earlier one', async () => {
  const end = (hash: string) => inTransaction(own.database, (tx) => insertReadEnd(tx, 'ETH', { ...block, hash }, 'a'));
  await end('0x5');
  await own.database.pool.query(`update chain_reads set read_at = '2020-01-01'`);
  await end('0x5b');
  const { rows } = await own.database.pool.query(`select hash, read_at = '2020-01-01' as kept from chain_reads`);
  expect(rows).toEqual([{ hash: '0x5b', kept: false }]);
});
