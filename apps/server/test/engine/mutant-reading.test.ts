import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ReadRequest } from '../../src/sources/chain-source.ts';
import { followHead } from '../../src/chains/follow-chain.ts';
import type { Follower } from '../../src/chains/follower.ts';
import { headerAt, reorg } from '../chain/reorg.ts';
import type { Shop } from './shop.ts';
import {
  chainOf,
  follow,
  followerOf,
  mineNow,
  newInvoice,
  openPayableStore,
  openShop,
  pay,
  select,
  settle,
  standingOf,
  transfersOf,
} from './shop.ts';

/** What the first look at new blocks must make sure of before the cursor moves. */

let shop: Shop;
beforeAll(async () => {
  shop = await openShop(['ETH']);
  await settle(shop, 'ETH');
});
afterAll(() => shop.close());

/** Deeper than the newest blocks, which are left alone. */
const BELOW_HEAD = 10;

type Headers = ReadRequest['headers'];

/** A reader whose node changes its mind just before the first look, when the cursor was already compared. */
function readerOfChangingNode(depth: number): { follower: Follower; asked: Headers[] } {
  const { anvil } = chainOf(shop, 'ETH');
  const follower = followerOf(shop, 'ETH', [anvil.url]);
  const { read } = follower.source;
  const asked: Headers[] = [];
  follower.source = {
    ...follower.source,
    read: async (request) => {
      if (asked.length === 0) await reorg(anvil, depth);
      asked.push(request.headers);
      return read(request);
    },
  };
  return { follower, asked };
}

test.each<[string, number, Headers]>([
  ['above what is final', 8, 'all'],
  ['far below what is final, where only the ends are read', 240, 'ends'],
])('blocks that do not follow from the cursor move nothing: %s', async (_title, blocks, headers) => {
  const before = await standingOf(shop, 'ETH');
  await mineNow(shop, 'ETH', blocks);
  const { follower, asked } = readerOfChangingNode(blocks + BELOW_HEAD);
  expect(await followHead(follower)).toBe('idle');
  expect(asked).toEqual([headers]);
  expect(await standingOf(shop, 'ETH')).toEqual(before);

  await follow(shop, 'ETH', follower);
  expect(follower.counts.rewinds).toBe(1);
  const after = await standingOf(shop, 'ETH');
  expect(after.height).toBe(before.height + blocks);
  expect(after.hash).toBe((await headerAt(chainOf(shop, 'ETH').anvil, after.height)).hash);
});

test('a payment to an address that is newer than the set a range was read with is found at the first look', async () => {
  const { follower } = chainOf(shop, 'ETH');
  await mineNow(shop, 'ETH');
  await follow(shop, 'ETH');
  const { watch } = follower;
  const store = await openPayableStore(shop);
  const transId = await newInvoice(shop, store);
  const hash = await pay(shop, await select(shop, transId, 'ETH'));
  await mineNow(shop, 'ETH', 6);
  expect(follower.watch).toBe(watch);
  await follow(shop, 'ETH');
  expect(await transfersOf(shop, hash)).toMatchObject([{ trans_id: transId, reason: null }]);
});
