import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { ReadRequest } from '../../src/sources/chain-source.ts';
import { followHead } from '../../src/chains/follow-chain.ts';
import type { Follower } from '../../src/chains/follower.ts';
import { headerAt, reorg } from '../../rig/chains/evm/reorg.ts';
import type { EngineFixture } from '../../rig/invoices/engine-fixture.ts';
import { chainOf, followerOf, openPayableStore, openEngineFixture } from '../../rig/invoices/engine-fixture.ts';
import { follow, mineNow, settle } from '../../rig/invoices/follow-network.ts';
import { newInvoice, pay, select } from '../../rig/invoices/pay-invoice.ts';
import { standingOf, transfersOf } from '../../rig/invoices/look-up.ts';

/** Checks that a first read must make before the cursor moves. */

let engine: EngineFixture;
beforeAll(async () => {
  engine = await openEngineFixture(inject('template'), ['ETH']);
  await settle(engine, 'ETH');
});
afterAll(() => engine.close());

/** Depth below the newest blocks, which first reads leave out. */
const BELOW_HEAD = 10;

type Headers = ReadRequest['headers'];

/** A reader whose node reorganises just before the first read, after the cursor was compared. */
function readerOfChangingNode(depth: number): { follower: Follower; asked: Headers[] } {
  const { anvil } = chainOf(engine, 'ETH');
  const follower = followerOf(engine, 'ETH', [anvil.url]);
  const { source } = follower;
  const asked: Headers[] = [];
  const read: typeof source.read = async (request) => {
    if (asked.length === 0) await reorg(anvil, depth);
    asked.push(request.headers);
    return source.read(request);
  };
  return { follower: { ...follower, source: { ...source, read } }, asked };
}

test.each<[string, number, Headers]>([
  ['above what is final', 8, 'all'],
  ['far below what is final, where only the ends are read', 240, 'ends'],
])('blocks that do not follow from the cursor move nothing: %s', async (_title, blocks, headers) => {
  const before = await standingOf(engine, 'ETH');
  await mineNow(engine, 'ETH', blocks);
  const { follower, asked } = readerOfChangingNode(blocks + BELOW_HEAD);
  expect(await followHead(follower)).toBe('idle');
  expect(asked).toEqual([headers]);
  expect(await standingOf(engine, 'ETH')).toEqual(before);

  await follow(engine, 'ETH', follower);
  expect(follower.counts.rewinds).toBe(1);
  const after = await standingOf(engine, 'ETH');
  expect(after.height).toBe(before.height + blocks);
  expect(after.hash).toBe((await headerAt(chainOf(engine, 'ETH').anvil, after.height)).hash);
});

test('a payment to an address that is newer than the set a range was read with is found by the first read', async () => {
  const { follower } = chainOf(engine, 'ETH');
  await mineNow(engine, 'ETH');
  await follow(engine, 'ETH');
  const { watch } = follower.memory;
  const store = await openPayableStore(engine);
  const transId = await newInvoice(engine, store);
  const hash = await pay(engine, await select(engine, transId, 'ETH'));
  await mineNow(engine, 'ETH', 6);
  expect(follower.memory.watch).toBe(watch);
  await follow(engine, 'ETH');
  expect(await transfersOf(engine, hash)).toMatchObject([{ trans_id: transId, reason: null }]);
});
