import { afterAll, beforeAll, expect, test } from 'vitest';
import { expireDueInvoices } from '../../src/invoices/expire-due-invoices.ts';
import type { TestStore } from '../harness.ts';
import type { Shop } from './shop.ts';
import {
  duringChange,
  endOf,
  expire,
  factsOf,
  follow,
  newInvoice,
  openPayableStore,
  openShop,
  pay,
  secondsNow,
  select,
  settle,
  statusOf,
} from './shop.ts';

/** What the end of an invoice believes, and what it leaves behind. */

let shop: Shop;
let store: TestStore;
beforeAll(async () => {
  shop = await openShop(['BSC', 'ETH']);
  store = await openPayableStore(shop);
  await follow(shop, 'BSC');
  await follow(shop, 'ETH');
});
afterAll(() => shop.close());

const DAY_MS = 86_400_000;

async function goPast(transId: string): Promise<void> {
  shop.clock.advance(((await endOf(shop, transId)) + 60 - secondsNow(shop)) * 1000);
}

type Rest = { held_to: Date; held_until: Date };

async function restOf(transId: string): Promise<Rest | undefined> {
  const { rows } = await shop.database.pool.query<Rest>(
    `select q.held_to, s.held_until from quotes q join amount_slots s on s.quote_id = q.id where q.invoice_id = $1`,
    [(await factsOf(shop, transId)).id],
  );
  return rows[0];
}

test('a network that is read to the very second of the end is not past it, also when it is the second to be waited for', async () => {
  const transId = await newInvoice(shop, store);
  await select(shop, transId, 'BSC');
  await select(shop, transId, 'ETH');
  await goPast(transId);
  await settle(shop, 'BSC');
  const coverTo = async (seconds: number) =>
    shop.database.pool.query(`update chain_coverage set block_time = to_timestamp($1) where network = 'ETH'`, [
      seconds,
    ]);
  const end = await endOf(shop, transId);
  await coverTo(end);
  await expire(shop);
  expect(await statusOf(shop, store, transId)).toBe('waiting');
  await coverTo(end + 1);
  await expire(shop);
  expect(await statusOf(shop, store, transId)).toBe('expired');
});

test('the amount of an ended invoice rests for a day, whether it was paid or not', async () => {
  const paid = await newInvoice(shop, store);
  await pay(shop, await select(shop, paid));
  const unpaid = await newInvoice(shop, store);
  await select(shop, unpaid);
  await settle(shop, 'BSC');
  const paidRest = new Date(shop.clock.nowMs() + DAY_MS);
  expect(await statusOf(shop, store, paid)).toBe('completed');
  expect(await restOf(paid)).toEqual({ held_to: paidRest, held_until: paidRest });

  await goPast(unpaid);
  await settle(shop, 'BSC');
  await expire(shop);
  const unpaidRest = new Date(shop.clock.nowMs() + DAY_MS);
  expect(await statusOf(shop, store, unpaid)).toBe('expired');
  expect(await restOf(unpaid)).toEqual({ held_to: unpaidRest, held_until: unpaidRest });
});

test('expiry reads coverage before it locks: what was covered since is believed in the next round', async () => {
  const transId = await newInvoice(shop, store);
  await select(shop, transId, 'BSC');
  await select(shop, transId, 'ETH');
  await goPast(transId);
  await settle(shop, 'BSC');
  const cover = `update chain_coverage set block_time = block_time + interval '1 day' where network = 'ETH'`;
  await duringChange(shop, ['lock table invoices in exclusive mode', cover], () =>
    expireDueInvoices(shop.as('worker'), shop.clock),
  );
  expect(await statusOf(shop, store, transId)).toBe('waiting');
  expect(await factsOf(shop, transId)).toMatchObject({ gate_network: 'ETH' });
  await expire(shop);
  expect(await statusOf(shop, store, transId)).toBe('expired');
});
