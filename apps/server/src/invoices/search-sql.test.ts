import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { TestDatabase } from '../../rig/database/test-database.ts';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import { quoteInvoice, receiveUnmatched } from '../../rig/invoices/make-unmatched.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { openStore } from '../../rig/stores/open-store.ts';
import { searchByRequestId, searchByTransaction } from './search-sql.ts';

let own: TestDatabase;
let store: TestStore;
let stranger: TestStore;
beforeAll(async () => {
  own = await openTestDatabase(inject('template'));
  store = await openStore(own.database);
  stranger = await openStore(own.database);
});
afterAll(() => own.drop());

async function ofTransfer(id: string): Promise<string> {
  const { rows } = await own.database.pool.query<{ tx_id: string }>('select tx_id from transfers where id = $1', [id]);
  return rows[0]?.tx_id ?? '';
}

test('a search by order id lists the invoice with exactly this id first, then the newest that begin with it', async () => {
  await own.database.pool.query(
    `insert into invoices (store_id, trans_id, amount_usd, created_at, expires_at, fee_micro_usd, request_id)
     select $1, 'TID-AAAAAAAAAAAAAAA' || place, 25, now(), now() + interval '30 minutes', 0, request_id
     from (values (1, 'order-1'), (2, 'order-10'), (3, 'order-11'), (4, 'order-2')) as made (place, request_id) order by place`,
    [store.id],
  );
  const found = await searchByRequestId(own.database.queries, [store.id], { text: 'order-1', limit: 10 });
  expect(found.map(({ requestId, matched }) => [requestId, matched])).toEqual([
    ['order-1', 'request_id'],
    ['order-11', 'request_id_start'],
    ['order-10', 'request_id_start'],
  ]);
});

test('a search by transaction finds only money that the store received, with or without an invoice', async () => {
  const { to, quoteId } = await quoteInvoice(own.database, store, '5');
  const meant = await ofTransfer(await receiveUnmatched(own.database, to, { amount: '4', quoteId }));
  const unknown = await ofTransfer(await receiveUnmatched(own.database, to, { amount: '3' }));
  const search = async (by: TestStore, txId: string) => {
    const ask = { networks: ['BSC'], txIds: [txId], limit: 10 };
    return (await searchByTransaction(own.database.queries, [by.id], ask)).map((found) => found.txId);
  };
  for (const txId of [meant, unknown]) {
    expect(await search(store, txId)).toEqual([txId]);
    expect(await search(stranger, txId)).toEqual([]);
  }
});

test('a search by transaction leads to the transfer while it is unmatched, and to the invoice that it pays', async () => {
  const { to, quoteId } = await quoteInvoice(own.database, store, '6');
  const transfer = await receiveUnmatched(own.database, to, { amount: '5', quoteId });
  const ask = { networks: ['BSC'], txIds: [await ofTransfer(transfer)], limit: 10 };
  const find = () => searchByTransaction(own.database.queries, [store.id], ask);
  expect(await find()).toMatchObject([{ transferId: BigInt(transfer) }]);
  await own.database.pool.query('update transfers set reason = null where id = $1', [transfer]);
  expect(await find()).toMatchObject([{ transferId: null }]);
  await own.database.pool.query(`update transfers set reason = 'short', canonical = false where id = $1`, [transfer]);
  expect(await find()).toMatchObject([{ transferId: null }]);
});
