import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { TestDatabase } from '../../rig/database/test-database.ts';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import { quoteInvoice } from '../../rig/invoices/make-unmatched.ts';
import { openStore } from '../../rig/stores/open-store.ts';
import { inTransaction } from '../db/transaction.ts';
import { insertNamedTransfer } from './named-transfer-sql.ts';

let own: TestDatabase;
let quoteId: bigint;
beforeAll(async () => {
  own = await openTestDatabase(inject('template'));
  ({ quoteId } = await quoteInvoice(own.database, await openStore(own.database), '5'));
});
afterAll(() => own.drop());

const TRANSFER = {
  txId: '0xab',
  index: 'BNB:0',
  token: 'BNB',
  from: '0x1',
  to: '0x2',
  units: 7n,
  height: 10,
  blockHash: '0xa',
  blockTime: 1_700_000_000,
};

const insert = (change: Partial<typeof TRANSFER> = {}) =>
  inTransaction(own.database, (tx) => {
    const transfer = { ...TRANSFER, ...change };
    const evidence = { by: 'one', how: 'receipt' } as const;
    return insertNamedTransfer(
      tx,
      'BSC',
      { transfer, quoteId, reason: 'named', namedBy: 'payer', evidence },
      new Date(),
    );
  });

const leaveChain = (namedBy: string | null) =>
  own.database.pool.query('update transfers set canonical = false, named_by = $1', [namedBy]);

test('a named transfer is recorded once, and again only after it left the chain and is back unchanged', async () => {
  const id = await insert();
  expect(id).toBeDefined();
  expect(await insert()).toBeUndefined();
  await leaveChain('payer');
  expect(await insert({ units: 8n })).toBeUndefined();
  expect(await insert({ to: '0x3' })).toBeUndefined();
  expect(await insert({ height: 12, blockHash: '0xb' })).toBe(id);
  const { rows } = await own.database.pool.query('select canonical, height, block_hash from transfers');
  expect(rows).toEqual([{ canonical: true, height: 12n, block_hash: '0xb' }]);
});

test('a transfer that a reader recorded is never taken back by its name', async () => {
  await leaveChain(null);
  expect(await insert()).toBeUndefined();
});
