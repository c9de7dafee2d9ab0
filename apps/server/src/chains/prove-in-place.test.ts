import { sql } from 'kysely';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { TestDatabase } from '../../rig/database/test-database.ts';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import type { Tx } from '../db/transaction.ts';
import { inTransaction } from '../db/transaction.ts';
import { recordTransfers } from '../transfers/transfer-sql.ts';
import { markProven } from './proof-sql.ts';

let own: TestDatabase;
beforeAll(async () => {
  own = await openTestDatabase(inject('template'));
});
afterAll(() => own.drop());

const PAYMENTS = 200;
const AT = new Date('2026-01-01T00:00:00Z');
const hexOf = (number: number, digits: number) => `0x${number.toString(16).padStart(digits, '0')}`;

async function countUpdates(tx: Tx): Promise<{ all: number; inPlace: number }> {
  const { rows } = await sql<{ all: number; inPlace: number }>`
    select n_tup_upd::integer as all, n_tup_hot_upd::integer as "inPlace" from pg_stat_xact_user_tables
    where relname = 'transfers'`.execute(tx);
  return rows[0] ?? { all: 0, inPlace: 0 };
}

test('payments of a block that are proven together take no new index entries', async () => {
  const { database } = own;
  const block = { height: 1, blockHash: hexOf(1, 64), blockTime: AT.getTime() / 1000 };
  const transfers = Array.from({ length: PAYMENTS }, (_unused, number) => ({
    ...block,
    token: 'USDT',
    txId: hexOf(number, 64),
    index: 'USDT:0',
    from: hexOf(number, 40),
    to: hexOf(number, 40),
    units: 10n ** 20n,
  }));
  const evidence = { by: 'bsc-mainnet.first.example', how: 'logs' } as const;
  const { changed } = await inTransaction(database, (tx) => recordTransfers(tx, 'BSC', transfers, AT, evidence));
  await database.pool.query('update transfers set quote_id = id, invoice_id = id');
  await database.pool.query('vacuum full transfers');
  const updated = await inTransaction(database, async (tx) => {
    const before = await countUpdates(tx);
    const proofs = changed.map((id) => ({ id, blockHash: block.blockHash, tier: 'finalized' }));
    await markProven(tx, proofs, { by: 'bsc-mainnet.other.example', how: 'receipt' }, AT);
    const after = await countUpdates(tx);
    return { all: after.all - before.all, inPlace: after.inPlace - before.inPlace };
  });
  expect(updated).toEqual({ all: PAYMENTS, inPlace: PAYMENTS });
});
