import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findLedgerFaults } from '../../src/ledger/ledger-sql.ts';
import type { TestStore } from '../harness.ts';
import type { Shop } from './shop.ts';
import {
  eventsOf,
  expire,
  follow,
  lookUp,
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
  shop = await openShop(['BSC', 'ETH']);
  store = await openPayableStore(shop);
  await follow(shop, 'BSC');
  await follow(shop, 'ETH');
});
afterAll(() => shop.close());

describe('an invoice is paid', () => {
  test.each([
    ['BSC', 'USDT'],
    ['ETH', 'USDT'],
    ['BSC', 'BNB'],
    ['ETH', 'ETH'],
  ])('on %s with %s: waiting, seen, completed, with one event and its fee taken', async (network, token) => {
    const transId = await newInvoice(shop, store, '50', { request_id: `${network}-${token}` });
    const quote = await select(shop, transId, network, token);
    expect(await statusOf(shop, store, transId)).toBe('waiting');
    const hash = await pay(shop, quote);
    await mineNow(shop, network, 6);
    await follow(shop, network);
    // On BSC what is read is final already.
    expect(await statusOf(shop, store, transId)).toBe(network === 'BSC' ? 'completed' : 'processing');
    await mineNow(shop, network, 12);
    await follow(shop, network);
    expect(await lookUp(shop, store, transId)).toMatchObject({
      status: 'completed',
      transaction_hash: hash,
      token_symbol: token,
      network_symbol: network,
      fee_amount: '0.25',
      callback_status: null,
    });
    const events = await eventsOf(shop, transId);
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({
      event: 'invoice.completed',
      sequence: 1,
      trans_id: transId,
      request_id: `${network}-${token}`,
    });
    expect(events[0]?.['data']).toEqual(await lookUp(shop, store, transId));
  });
});

test('an invoice that nobody pays expires once its network is read past its end, and gives its fee back', async () => {
  const transId = await newInvoice(shop, store);
  await select(shop, transId, 'BSC', 'USDT');
  shop.clock.advance(31 * 60_000);
  await expire(shop);
  expect(await statusOf(shop, store, transId)).toBe('waiting');
  await mineNow(shop, 'BSC', 30);
  await follow(shop, 'BSC');
  await expire(shop);
  expect(await statusOf(shop, store, transId)).toBe('expired');
  expect(await eventsOf(shop, transId)).toMatchObject([{ event: 'invoice.expired', status: 'expired' }]);
});

test('an invoice without a selection expires by the clock', async () => {
  const transId = await newInvoice(shop, store);
  shop.clock.advance(31 * 60_000);
  await expire(shop);
  expect(await statusOf(shop, store, transId)).toBe('expired');
});

test('balances recomputed from the entries alone agree', async () => {
  expect(await findLedgerFaults(shop.database.queries, 10)).toEqual([]);
});
