import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AccountFollower } from '../../src/transfers/account-follower.ts';
import type { Shop } from '../engine/shop.ts';
import { openShop, secondsNow, statusOf, transfersOf, unitsOf } from '../engine/shop.ts';
import type { SolanaShop } from '../engine/solana-shop.ts';
import { createReader, follow, openQuote, openSolanaStore } from '../engine/solana-shop.ts';
import type { TestStore } from '../harness.ts';
import type { SolanaRig } from './solana-rig.ts';
import { startSolanaRig } from './solana-rig.ts';

/** The rig does what scenarios ask of one, and tells the truth about it. */

let shop: SolanaShop;
let rig: SolanaRig;
let store: TestStore & { wallet: string };
beforeAll(async () => {
  const open: Shop = await openShop([]);
  rig = await startSolanaRig(secondsNow(open));
  const beside = { ...open, node: rig.node };
  const follower: AccountFollower = createReader(beside, { source: rig.createSource() });
  shop = { ...beside, follower };
  await follow(shop);
  store = await openSolanaStore(shop);
});
afterAll(async () => {
  await rig.stop();
  await shop.close();
});

async function mineNow(blocks: number): Promise<number> {
  const head = await rig.mine(blocks, { atTime: secondsNow(shop), secondsBetween: rig.blockSeconds });
  shop.clock.advance(Math.max(0, (head.time + 1) * 1000 - shop.clock.nowMs()));
  return head.height;
}

async function settle(): Promise<void> {
  await mineNow(rig.finalDepth + 10);
  await follow(shop);
}

const paying = async (token: string) => {
  const { transId, quote } = await openQuote(shop, store, token);
  const payment = { to: quote.toAddress, units: unitsOf(quote) };
  return { transId, txId: await (token === rig.coin ? rig.payCoin(payment) : rig.payToken(payment)) };
};

test.each(['token', 'coin'] as const)('a %s that is paid is seen and completes', async (kind) => {
  const { transId } = await paying(rig[kind]);
  await mineNow(6);
  await follow(shop);
  expect(await statusOf(shop, store, transId)).toBe('processing');
  await settle();
  expect(await statusOf(shop, store, transId)).toBe('completed');
});

test('a transaction that a reorg puts elsewhere moves there', async () => {
  const { transId, txId } = await paying(rig.token);
  await mineNow(6);
  await follow(shop);
  const [before] = await transfersOf(shop, txId);
  await rig.reorg(6, [{ txId, offset: 3 }]);
  await settle();
  expect((await transfersOf(shop, txId))[0]?.height).toBeGreaterThan(before?.height ?? 0);
  expect(await statusOf(shop, store, transId)).toBe('completed');
});

test('one that a reorg leaves out is gone', async () => {
  const { transId, txId } = await paying(rig.token);
  await mineNow(6);
  await follow(shop);
  await rig.reorg(6);
  await settle();
  shop.clock.advance(11_000);
  await settle();
  expect(await transfersOf(shop, txId)).toMatchObject([{ canonical: false }]);
  expect(await statusOf(shop, store, transId)).toBe('waiting');
});

test('a node that is down, and backends that lag, only delay', async () => {
  await rig.down();
  const { transId } = await paying(rig.token);
  await settle();
  expect(await statusOf(shop, store, transId)).toBe('waiting');
  await rig.up();
  rig.lag(0.4, 3);
  for (let round = 0; round < 10; round += 1) await settle();
  rig.lag(0, 0);
  await settle();
  expect(await statusOf(shop, store, transId)).toBe('completed');
});

test('what the chain itself says arrived is what is stored as standing', async () => {
  const arrivals = await rig.arrivals([store.wallet]);
  const { rows } = await shop.database.pool.query<{ tx_id: string; token: string; units: string }>(
    'select tx_id, token, units::text from transfers where to_address = $1 and canonical',
    [store.wallet],
  );
  const stored = rows.map((row) => `${row.tx_id} ${row.token} ${row.units}`).sort();
  expect(arrivals.map((one) => `${one.txId} ${one.token} ${one.units}`).sort()).toEqual(stored);
  expect(stored.length).toBeGreaterThan(3);
});
