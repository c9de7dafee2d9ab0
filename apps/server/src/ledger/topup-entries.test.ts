import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import type { TestDatabase } from '../../rig/database/test-database.ts';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { openStore } from '../../rig/stores/open-store.ts';
import { findLedgerFaults } from './ledger-sql.ts';

/** Entries of top-ups: what the database refuses, and what the check of the ledger finds. */

const TOPUP = 5_000_000n;
const CHECK_VIOLATION = '23514';
const UNIQUE_VIOLATION = '23505';
const [THIS_MONTH, NEXT_MONTH] = ['2026-11-01', '2026-12-01'];

let own: TestDatabase;
let store: TestStore;
let topupStore: TestStore;
beforeAll(async () => {
  own = await openTestDatabase(inject('template'));
  store = await openStore(own.database, { creditMicroUsd: 0n });
  topupStore = await openStore(own.database, { creditMicroUsd: 0n });
});
afterAll(() => own.drop());

type Entry = { invoiceId?: bigint | null; holdNumber?: number; period?: string };
let made = 0;
let invoiceId: bigint;

/** An invoice at the store for top-ups that pays the next top-up of the store. */
beforeEach(async () => {
  made += 1;
  const code = `TOP-${String(made).padStart(16, '0')}`;
  const { rows } = await own.database.pool.query<{ id: bigint }>(
    `insert into invoices (store_id, trans_id, request_id, amount_usd, created_at, expires_at, fee_micro_usd)
     values ($1, $2, $3, 5, now(), now() + interval '1 hour', 0) returning id`,
    [topupStore.id, `TID-${String(made).padStart(16, '0')}`, code],
  );
  invoiceId = rows[0]?.id ?? 0n;
  await own.database.pool.query(
    `insert into topups (code, store_id, micro_usd, requested_by, return_url, created_at, at_store_id)
     values ($1, $2, $3, 'test', 'https://dashboard.example', now(), $4)`,
    [code, store.id, TOPUP, topupStore.id],
  );
});

const enter = ({ invoiceId: id = invoiceId, holdNumber, period = THIS_MONTH }: Entry = {}) =>
  own.database.pool.query(
    `with e as (insert into ledger_entries
       (period, store_id, kind, from_account, to_account, micro_usd, invoice_id, hold_number, at)
       values ($1, $2, 'topup', 'funding', 'available', $3, $4, $5, now()))
     update balances set available_micro_usd = available_micro_usd + $3 where store_id = $2`,
    [period, store.id, TOPUP, id, holdNumber ?? null],
  );

const complete = () =>
  own.database.pool.query(
    `update invoices set status = 'completed', transaction_hash = 'h', from_address = 'f' where id = $1`,
    [invoiceId],
  );
const mark = () =>
  own.database.pool.query(
    `update topups t set credited_at = now(), invoice_id = i.id, trans_id = i.trans_id, expires_at = i.expires_at
     from invoices i where i.id = $1 and i.request_id = t.code`,
    [invoiceId],
  );
const faults = async () =>
  (await findLedgerFaults(own.database.queries, 10))
    .map(({ fault }) => fault)
    .filter((fault) => fault.includes(` ${invoiceId} `));
const says = (credited: bigint, due: bigint) =>
  `top-up of invoice ${invoiceId} is credited with ${credited}, its state says ${due}`;

describe('the database refuses', () => {
  test('a second credit of the same top-up', async () => {
    await enter();
    await expect(enter()).rejects.toMatchObject({ code: UNIQUE_VIOLATION });
  });

  test.each<[string, Entry]>([
    ['without an invoice', { invoiceId: null }],
    ['with the number of a hold', { holdNumber: 1 }],
  ])('a credit %s', async (_title, entry) => {
    await expect(enter(entry)).rejects.toMatchObject({ code: CHECK_VIOLATION });
  });
});

describe('the check of the ledger', () => {
  test('finds nothing wrong with a top-up that waits, and with one that was credited', async () => {
    expect(await faults()).toEqual([]);
    await Promise.all([complete(), mark(), enter()]);
    expect(await faults()).toEqual([]);
  });

  test('finds a top-up that was paid and not credited', async () => {
    await complete();
    expect(await faults()).toEqual([says(0n, TOPUP)]);
  });

  test('finds a top-up that was credited and not paid', async () => {
    await Promise.all([mark(), enter()]);
    expect(await faults()).toEqual([says(TOPUP, 0n)]);
  });

  test('finds a top-up that was credited in two months', async () => {
    await Promise.all([complete(), mark(), enter(), enter({ period: NEXT_MONTH })]);
    expect(await faults()).toEqual([says(2n * TOPUP, TOPUP)]);
  });

  test('finds a credit that its top-up does not know of', async () => {
    await Promise.all([complete(), enter()]);
    expect(await faults()).toEqual([says(TOPUP, TOPUP)]);
  });
});
