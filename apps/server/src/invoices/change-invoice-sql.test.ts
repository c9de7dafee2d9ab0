import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { TestDatabase } from '../../rig/database/test-database.ts';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import { openStore } from '../../rig/stores/open-store.ts';
import { inTransaction } from '../db/transaction.ts';
import { completeInvoices, restAmounts } from './change-invoice-sql.ts';

const UNTIL = new Date('2026-02-01T00:00:00Z');

let own: TestDatabase;
let storeId: bigint;
beforeAll(async () => {
  own = await openTestDatabase(inject('template'));
  storeId = (await openStore(own.database, { wallet: false })).id;
});
afterAll(() => own.drop());

/** Makes an invoice whose quote holds an amount at an address. */
async function makeQuoted(address: string, units: number): Promise<bigint> {
  const { rows } = await own.database.pool.query<{ invoice_id: bigint }>(
    `with invoice as (
       insert into invoices (store_id, trans_id, amount_usd, created_at, expires_at, fee_micro_usd)
       values ($1, 'TID-' || lpad($3::bigint::text, 16, '0'), 50, now(), now() + interval '30 minutes', 0) returning id
     ), quote as (
       insert into quotes (invoice_id, network, token, to_address, token_amount, token_price_usd, created_at, display_units, finality,
         price_sources, held_from)
       select id, 'BSC', 'USDT', $2::text, 50, 1, now(), $3::bigint, 'finalized', '[]', now() from invoice returning id, invoice_id
     ), slot as (
       insert into amount_slots (network, token, address, display_units, quote_id) select 'BSC', 'USDT', $2::text, $3::bigint, id from quote
     )
     select invoice_id from quote`,
    [storeId, address, units],
  );
  return rows[0]?.invoice_id ?? 0n;
}

test('the amounts of an ended invoice rest, and those of other invoices do not', async () => {
  const ended = await makeQuoted('0xa', 1);
  await makeQuoted('0xa', 2);
  await makeQuoted('0xb', 3);
  const taken = await makeQuoted('0xa', 4);
  await own.database.pool.query(
    `update amount_slots set quote_id = (select id from quotes where display_units = 2) where display_units = 4`,
  );
  await inTransaction(own.database, (tx) => restAmounts(tx, [ended, taken], UNTIL));
  const { rows } = await own.database.pool.query(
    `select display_units::integer as units, held_until = $1 as rests from amount_slots order by 1`,
    [UNTIL],
  );
  expect(rows).toEqual([
    { units: 1, rests: true },
    { units: 2, rests: false },
    { units: 3, rests: false },
    // The slot was taken over by another quote.
    { units: 4, rests: false },
  ]);
});

test('an invoice that is paid after it expired keeps the time of its expiry, and one that is paid in time has none', async () => {
  const [expired, waiting] = [await makeQuoted('0xc', 5), await makeQuoted('0xc', 6)];
  const endedAt = new Date('2026-01-31T00:00:00Z');
  await own.database.pool.query(`update invoices set status = 'expired', ended_at = $2 where id = $1`, [
    expired,
    endedAt,
  ]);
  const { rows } = await own.database.pool.query<{ id: bigint; invoice_id: bigint }>(
    `insert into transfers (network, tx_id, index, token, from_address, to_address, units, height, block_hash, block_time, seen_at, invoice_id)
     select 'BSC', '0x' || id, '0', 'USDT', 'f', '0xc', 1, 1, 'h', now(), now(), id from unnest($1::bigint[]) id returning id, invoice_id`,
    [[expired, waiting]],
  );
  const completions = rows.map((row) => ({ id: row.invoice_id, transferId: row.id, late: false, position: row.id }));
  await inTransaction(own.database, (tx) => completeInvoices(tx, completions, UNTIL));
  const { rows: after } = await own.database.pool.query(
    'select status, expired_at, ended_at from invoices where id = any($1::bigint[]) order by id',
    [[expired, waiting]],
  );
  expect(after).toEqual([
    { status: 'completed', expired_at: endedAt, ended_at: UNTIL },
    { status: 'completed', expired_at: null, ended_at: UNTIL },
  ]);
});
