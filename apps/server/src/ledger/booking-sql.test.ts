import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { TestDatabase } from '../../rig/database/test-database.ts';
import { openStore } from '../../rig/stores/open-store.ts';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import { periodOf } from '../db/partition-sql.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Bookings } from './booking-sql.ts';
import { bookEntries } from './booking-sql.ts';

let own: TestDatabase;
beforeAll(async () => {
  own = await openTestDatabase(inject('template'));
});
afterAll(() => own.drop());

const at = new Date('2026-11-15T12:00:00Z');

type Amounts = { late?: bigint; release?: bigint; topup?: bigint };

const NOTHING: Bookings = { lateHolds: [], captures: [], releases: [], topups: [] };

async function openHeld(): Promise<{
  /** Books all of these in one transaction. */
  book: (amounts: Amounts) => Promise<void>;
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
    book: ({ late, release, topup }) =>
      inTransaction(own.as('worker'), (tx) => {
        const bookings = {
          ...NOTHING,
          ...(late !== undefined && { lateHolds: hold(2, late) }),
          ...(release !== undefined && { releases: hold(1, release) }),
          ...(topup !== undefined && { topups: hold(0, topup).map(({ holdNumber: _none, ...credit }) => credit) }),
        };
        return bookEntries(tx, bookings, at);
      }),
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
  await held.book({ late: 70n });
  expect(await held.balance()).toEqual({ available: -70n, overdraft: 70n });
});

test.each(['release', 'topup'] as const)(
  'a %s pays an overdraft off: calls of the API may not use it again',
  async (kind) => {
    const held = await openHeld();
    await held.book({ late: 70n });
    await held.book({ [kind]: 40n });
    expect(await held.balance()).toEqual({ available: -30n, overdraft: 30n });
    await held.book({ [kind]: 60n });
    expect(await held.balance()).toEqual({ available: 30n, overdraft: 0n });
  },
);

/** Booking together has the same result as booking one by one, in either order. */
test.each([
  { before: 0n, together: { late: 70n, topup: 40n }, available: -30n, overdraft: 30n },
  { before: 0n, together: { late: 40n, release: 70n }, available: 30n, overdraft: 0n },
  { before: 20n, together: { late: 5n, release: 1n, topup: 4n }, available: -20n, overdraft: 20n },
  { before: 20n, together: { late: 30n }, available: -50n, overdraft: 50n },
  { before: 20n, together: { late: 30n, release: 10n, topup: 60n }, available: 20n, overdraft: 0n },
])('a balance of -$before takes $together in one statement', async ({ before, together, available, overdraft }) => {
  const [once, apart] = [await openHeld(), await openHeld()];
  for (const held of [once, apart]) if (before > 0n) await held.book({ late: before });
  await once.book(together);
  for (const [kind, microUsd] of Object.entries(together)) await apart.book({ [kind]: microUsd });
  expect(await once.balance()).toEqual({ available, overdraft });
  expect(await apart.balance()).toEqual({ available, overdraft });
});
