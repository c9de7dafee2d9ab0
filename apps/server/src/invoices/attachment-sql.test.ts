import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { TestDatabase } from '../../rig/database/test-database.ts';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import { quoteInvoice, receiveUnmatched } from '../../rig/invoices/make-unmatched.ts';
import { openBeside } from '../../rig/stores/open-beside.ts';
import { nextAddress, openStore } from '../../rig/stores/open-store.ts';
import { inTransaction } from '../db/transaction.ts';
import {
  decideAttachment,
  findAttachment,
  insertAttachment,
  listDueAttachments,
  listStoresOfInvoices,
  postponeAttachment,
  readTopupQuotes,
} from './attachment-sql.ts';

const CODE = 'TOP-AAAAAAAAAAAAAAAA';

const at = (minutes: number) => new Date(Date.UTC(2026, 0, 1, 12, minutes));

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

test('a request is due again when it was postponed until then, is not due once it is decided, and others stay as they are', async () => {
  const store = await openStore(own.database);
  const { to } = await quoteInvoice(own.database, store, '5');
  const invoiceId = await makeInvoice(store.id, 'TID-FFFFFFFFFFFFFFFF');
  const codes = ['ATT-A', 'ATT-B', 'ATT-C'];
  for (const code of codes) {
    const transferId = BigInt(await receiveUnmatched(own.database, to, { amount: '4' }));
    const asked = {
      merchantAccountId: store.merchantAccountId,
      storeId: store.id,
      invoiceId,
      askedBy: 'test',
      at: at(0),
    };
    expect(await inTransaction(own.database, (tx) => insertAttachment(tx, { ...asked, code, transferId }))).toBe(true);
  }
  const due = (minutes: number) => listDueAttachments(own.database.queries, at(minutes), 10);
  const [first, second] = await due(1);
  await inTransaction(own.database, (tx) => postponeAttachment(tx, first?.id ?? 0n, 1, at(30)));
  await inTransaction(own.database, (tx) => decideAttachment(tx, second?.id ?? 0n, { state: 'done', at: at(2) }));
  expect((await due(3)).map(({ code, tries }) => [code, tries])).toEqual([['ATT-C', 0]]);
  expect((await due(30)).map(({ code, tries }) => [code, tries])).toEqual([
    ['ATT-C', 0],
    ['ATT-A', 1],
  ]);
  expect(await findAttachment(own.database.queries, store.merchantAccountId, 'ATT-B')).toMatchObject({
    transId: 'TID-FFFFFFFFFFFFFFFF',
    state: 'done',
    decidedAt: at(2),
  });
});
