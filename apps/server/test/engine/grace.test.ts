import { afterAll, beforeAll, expect, test } from 'vitest';
import { reorg } from '../chain/reorg.ts';
import type { TestStore } from '../harness.ts';
import type { Shop } from './shop.ts';
import {
  chainOf,
  expire,
  follow,
  mineNow,
  newInvoice,
  openPayableStore,
  openShop,
  pay,
  select,
  statusOf,
} from './shop.ts';

let shop: Shop;
let store: TestStore;
beforeAll(async () => {
  shop = await openShop(['ETH']);
  store = await openPayableStore(shop);
  await shop.database.pool.query('update stores set grace_minutes = 30 where id = $1', [store.id]);
  await follow(shop, 'ETH');
});
afterAll(() => shop.close());

test('a grace payment that a reorg takes away sends the invoice back behind its gate, not past it', async () => {
  const transId = await newInvoice(shop, store);
  const quote = await select(shop, transId, 'ETH');
  shop.clock.advance(31 * 60_000);
  await mineNow(shop, 'ETH', 30);
  await pay(shop, quote);
  await mineNow(shop, 'ETH', 6);
  await follow(shop, 'ETH');
  await expire(shop);
  expect(await statusOf(shop, store, transId)).toBe('processing');
  // The new blocks are stamped right after the ancestor, inside the window: it is no longer read past.
  await reorg(chainOf(shop, 'ETH').anvil, 36);
  await follow(shop, 'ETH');
  await expire(shop);
  const { rows } = await shop.database.pool.query('select status, gate_network from invoices where trans_id = $1', [
    transId,
  ]);
  expect(rows).toEqual([{ status: 'waiting', gate_network: 'ETH' }]);
  await mineNow(shop, 'ETH', 40);
  await follow(shop, 'ETH');
  await expire(shop);
  expect(await statusOf(shop, store, transId)).toBe('expired');
});
