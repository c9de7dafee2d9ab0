import { VISITOR } from '../harness.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { selectPaymentMethod } from '../../src/invoices/select-payment-method.ts';
import { checkClock } from '../../src/chains/check-clock.ts';
import type { TestStore } from '../harness.ts';
import type { Shop } from './shop.ts';
import {
  alarmsOf,
  chainOf,
  follow,
  newInvoice,
  openPayableStore,
  openShop,
  secondsNow,
  select,
  setPrices,
  settle,
} from './shop.ts';
import { mine } from '../chain/reorg.ts';

/** A clock that the networks contradict: nothing is quoted, an operator is told once, and it ends by itself. */

let shop: Shop;
let store: TestStore;
beforeAll(async () => {
  shop = await openShop(['BSC', 'ETH']);
  store = await openPayableStore(shop);
});
afterAll(() => shop.close());
beforeEach(async () => {
  await shop.database.pool.query(`delete from alarms; delete from chains where network = 'TRC20'`);
  for (const network of ['BSC', 'ETH']) await settle(shop, network);
  await setPrices(shop);
});

const check = () => checkClock(shop.as('worker'), shop.clock);
const ask = async () =>
  selectPaymentMethod({ database: shop.as('api'), clock: shop.clock }, VISITOR, {
    transId: await newInvoice(shop, store),
    network: 'BSC',
    token: 'USDT',
  });

/** A third network, read just now, whose head is so many seconds late. */
async function followThird(lateSeconds: number): Promise<void> {
  const now = shop.clock.nowMs();
  await shop.database.pool.query(
    `insert into chains (network, height, hash, block_time, head_height, head_time, head_read_at) values ('TRC20', 1, 'h', $1, 1, $1, $2)
     on conflict (network) do update set head_time = excluded.head_time, head_read_at = excluded.head_read_at`,
    [new Date(now - lateSeconds * 1_000), new Date(now)],
  );
}

/** Our clock jumps, as a database host's does after a failover; the networks go on as before. */
async function jump(seconds: number): Promise<void> {
  const trueSeconds = secondsNow(shop);
  shop.clock.advance(seconds * 1_000);
  for (const network of ['BSC', 'ETH']) {
    await mine(chainOf(shop, network).anvil, 1, { atTime: trueSeconds + 1 });
    await follow(shop, network);
  }
  await followThird(seconds);
  await setPrices(shop);
}

describe('ten minutes ahead of three networks', () => {
  test('nothing is quoted, an operator is told once, and it goes on by itself when it is right again', async () => {
    const before = await newInvoice(shop, store);
    const quote = await select(shop, before);
    await jump(600);
    expect(await ask()).toEqual({ selected: false, refusal: 'clock-wrong' });
    // What was quoted while it was right is shown still.
    expect((await select(shop, before)).id).toBe(quote.id);
    for (let times = 0; times < 3; times += 1) expect(await check()).toMatchObject({ right: false });
    expect(await alarmsOf(shop, 'clock')).toEqual(['clock-wrong']);

    for (const network of ['BSC', 'ETH']) await settle(shop, network);
    await followThird(2);
    await setPrices(shop);
    expect(await ask()).toMatchObject({ selected: true });
    for (let times = 0; times < 3; times += 1) expect(await check()).toMatchObject({ right: true });
    expect(await alarmsOf(shop, 'clock')).toEqual(['clock-wrong', 'clock-right']);
  });

  test('several workers tell it once', async () => {
    await jump(600);
    await Promise.all(Array.from({ length: 4 }, check));
    expect(await alarmsOf(shop, 'clock')).toEqual(['clock-wrong']);
  });
});

test('a head from the future is enough by itself', async () => {
  const head = await mine(chainOf(shop, 'BSC').anvil, 1, { atTime: secondsNow(shop) + 120 });
  await follow(shop, 'BSC');
  await setPrices(shop);
  expect(await ask()).toEqual({ selected: false, refusal: 'clock-wrong' });
  expect(await check()).toMatchObject({ right: false, networks: ['BSC'] });
  shop.clock.advance((head.timestamp - secondsNow(shop)) * 1_000);
});

test('networks that nobody could read for ten minutes say nothing about the clock', async () => {
  await followThird(0);
  shop.clock.advance(600_000);
  await setPrices(shop);
  expect(await ask()).toEqual({ selected: false, refusal: 'network-unavailable' });
  expect(await check()).toEqual({ right: true, heard: 0 });
  expect(await alarmsOf(shop, 'clock')).toEqual([]);
});
