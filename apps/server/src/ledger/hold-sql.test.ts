import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { TestDatabase } from '../../rig/database/test-database.ts';
import { openStore } from '../../rig/stores/open-store.ts';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import { periodOf } from '../db/partition-sql.ts';
import { inTransaction } from '../db/transaction.ts';
import { openLateHolds, releaseHolds } from './hold-sql.ts';

let own: TestDatabase;
beforeAll(async () => {
  own = await openTestDatabase(inject('template'));
});
afterAll(() => own.drop());

const at = new Date('2026-11-15T12:00:00Z');

async function openHeld(): Promise<{
  late: (microUsd: bigint) => Promise<void>;
  release: (microUsd: bigint) => Promise<void>;
  balance: () => Promise<unknown>;
}> {
  const { pool } = own.database;
  const { id: storeId } = await openStore(own.database, { creditMicroUsd: 100n });
  await pool.query('update balances set available_micro_usd = 0 where store_id = $1', [storeId]);
  let invoices = storeId * 1_000n;
  const hold = (holdNumber: number, microUsd: bigint) => {
    invoices += 1n;
    return [{ storeId, invoiceId: invoices, holdNumber, period: periodOf(at), microUsd }];
  };
  return {
    late: (microUsd) => inTransaction(own.database, (tx) => openLateHolds(tx, hold(2, microUsd), at)),
    release: (microUsd) => inTransaction(own.database, (tx) => releaseHolds(tx, hold(1, microUsd), at)),
    balance: async () => {
      const { rows } = await pool.query(
        'select available_micro_usd as available, overdraft_micro_usd as overdraft from balances where store_id = $1',
        [storeId],
      );
      return rows[0];
    },
  };
}

test('a late settlement takes a balance below zero, by as much as the overdraft says', async () => {
  const held = await openHeld();
  await held.late(70n);
  expect(await held.balance()).toEqual({ available: -70n, overdraft: 70n });
});

test('a release pays an overdraft off: calls of the API may not use it again', async () => {
  const held = await openHeld();
  await held.late(70n);
  await held.release(40n);
  expect(await held.balance()).toEqual({ available: -30n, overdraft: 30n });
  await held.release(60n);
  expect(await held.balance()).toEqual({ available: 30n, overdraft: 0n });
});
