import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { TestDatabase } from '../../rig/database/test-database.ts';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import { openBeside } from '../../rig/stores/open-beside.ts';
import { nextAddress, openStore } from '../../rig/stores/open-store.ts';
import { inTransaction } from '../db/transaction.ts';
import { listStoresOfInvoices, readTopupQuotes } from './attachment-sql.ts';

const CODE = 'TOP-AAAAAAAAAAAAAAAA';

let own: TestDatabase;
beforeAll(async () => {
  own = await openTestDatabase(inject('template'));
});
afterAll(() => own.drop());

async function makeInvoice(storeId: bigint, transId: string): Promise<bigint> {
  const { rows } = await own.database.pool.query<{ id: bigint }>(
    `insert into invoices (store_id, trans_id, amount_usd, created_at, expires_at, fee_micro_usd, request_id)
     values ($1, $2, 25, now(), now() + interval '30 minutes', 0, $3) returning id`,
    [storeId, transId, CODE],
  );
  return rows[0]?.id ?? 0n;
}

test('only the invoice at the store for top-ups pays for a top-up, whatever request_id a merchant chooses', async () => {
  const { id: topupStore } = await openStore(own.database, { wallet: false });
  const { id: merchantStore } = await openStore(own.database, { wallet: false });
  await own.database.pool.query(
    `insert into topups (code, store_id, micro_usd, requested_by, return_url, created_at, at_store_id)
     values ($1, $2, 25000000, 'test', 'https://shop.example', now(), $3)`,
    [CODE, merchantStore, topupStore],
  );
  const real = await makeInvoice(topupStore, 'TID-AAAAAAAAAAAAAAAA');
  const chosen = await makeInvoice(merchantStore, 'TID-BBBBBBBBBBBBBBBB');
  const quotesOf = (id: bigint) => inTransaction(own.database, (tx) => readTopupQuotes(tx, id));
  expect([await quotesOf(real), await quotesOf(chosen)]).toEqual([[], undefined]);
});

test('the stores of invoices are those that have them, at this merchant alone', async () => {
  const store = await openStore(own.database, { wallet: false });
  const beside = await openBeside(own.database, store, nextAddress());
  const stranger = await openStore(own.database, { wallet: false });
  await makeInvoice(store.id, 'TID-CCCCCCCCCCCCCCCC');
  await makeInvoice(beside.id, 'TID-DDDDDDDDDDDDDDDD');
  await makeInvoice(stranger.id, 'TID-EEEEEEEEEEEEEEEE');
  const storesOf = (...transIds: string[]) =>
    listStoresOfInvoices(own.database.queries, store.merchantAccountId, transIds);
  expect(await storesOf('TID-CCCCCCCCCCCCCCCC')).toEqual([store.merchantId]);
  expect(await storesOf('TID-EEEEEEEEEEEEEEEE')).toEqual([]);
});
