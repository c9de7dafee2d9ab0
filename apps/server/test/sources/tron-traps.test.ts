import type { Address } from 'viem';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { tronToHex } from '../../src/networks/address.ts';
import { payInternally, payRevertingNative } from '../chain/payment.ts';
import type { LookAlike } from '../chain/tron-block.ts';
import type { TronFault, TronNode } from '../chain/tron-node.ts';
import { TRON_DEFAULTS } from '../chain/tron-node.ts';
import { poseAsCoin } from '../chain/tron-payment.ts';
import {
  command,
  endOf,
  eventsOf,
  expire,
  lookUp,
  secondsNow,
  standingOf,
  statusOf,
  transfersOf,
} from '../engine/shop.ts';
import { auditWorld } from './audit-world.ts';
import { rigOf, startTronChain } from './tron-rig.ts';
import type { Open, World } from './world.ts';
import {
  addAddress,
  closeWorld,
  coveredOf,
  followToEnd,
  goTo,
  mineNow,
  openQuote,
  openWorld,
  pay,
  settle,
} from './world.ts';

/** What Tron alone does to an invoice, through the whole engine. */

let world: World;
let node: TronNode;
beforeAll(async () => {
  world = await openWorld(async (startSeconds) => {
    node = await startTronChain(startSeconds);
    return rigOf(node);
  });
});
afterAll(() => closeWorld(world));
beforeEach(() => {
  node.behave(TRON_DEFAULTS);
  world.reader.counts.disagreements = 0;
});

const evmAddress = ({ quote }: Open) => tronToHex(quote.toAddress) as Address;
const status = (transId: string) => statusOf(world.shop, world.store, transId);

/** Past the end of an invoice, with all of it covered. */
async function end(transId: string): Promise<void> {
  goTo(world, (await endOf(world.shop, transId)) + 1);
  await settle(world);
  await expire(world.shop);
}

describe('what is no coin never pays', () => {
  test.each<LookAlike>(['TransferAssetContract', 'VoteWitnessContract', 'FreezeBalanceContract'])(
    '%s of the exact amount',
    async (kind) => {
      const open = await openQuote(world, 'TRX');
      const hash = await poseAsCoin(node.anvil, kind, { to: evmAddress(open), units: open.units });
      await settle(world);
      expect(await status(open.transId)).toBe('waiting');
      expect(await transfersOf(world.shop, hash.slice(2))).toEqual([]);
      await end(open.transId);
      expect(await eventsOf(world.shop, open.transId)).toMatchObject([{ event: 'invoice.expired' }]);
    },
  );

  test('a transfer of coins that failed', async () => {
    const open = await openQuote(world, 'TRX');
    await mineNow(world);
    const atTime = secondsNow(world.shop);
    const hash = await payRevertingNative(node.anvil, { to: evmAddress(open), units: open.units }, { atTime });
    goTo(world, atTime + 1);
    await settle(world);
    expect(await transfersOf(world.shop, hash.slice(2))).toEqual([]);
    await end(open.transId);
    expect(await status(open.transId)).toBe('expired');
  });

  test('coins that a contract passes on: they are not seen, and the checkout must say so', async () => {
    const open = await openQuote(world, 'TRX');
    const hash = await payInternally(node.anvil, { to: evmAddress(open), units: open.units });
    await settle(world);
    expect(await transfersOf(world.shop, hash.slice(2))).toEqual([]);
    expect(await status(open.transId)).toBe('waiting');
    await end(open.transId);
  });
});

describe('the two looks', () => {
  test('a coin is found by the second look alone: that is no disagreement, and raises no alarm', async () => {
    const open = await openQuote(world, 'TRX');
    const txId = await pay(world, open);
    await mineNow(world, 10);
    await followToEnd(world);
    expect(await transfersOf(world.shop, txId)).toEqual([]);
    await settle(world);
    expect(await lookUp(world.shop, world.store, open.transId)).toMatchObject({
      status: 'completed',
      transaction_hash: txId,
      from_address: expect.stringMatching(/^T/),
    });
    expect(open.quote.toAddress).toMatch(/^T[1-9A-HJ-NP-Za-km-z]{33}$/);
    expect(world.reader.counts.disagreements).toBe(0);
  });

  test('a token that the node has no index for is found by the second look: that is a disagreement', async () => {
    const open = await openQuote(world);
    const txId = await pay(world, open);
    const height = await mineNow(world);
    node.behave({ unindexed: { from: height, to: height } });
    await mineNow(world, 5);
    await followToEnd(world);
    expect(await status(open.transId)).toBe('waiting');
    await settle(world);
    expect(await lookUp(world.shop, world.store, open.transId)).toMatchObject({
      status: 'completed',
      transaction_hash: txId,
    });
    expect(world.reader.counts.disagreements).toBe(1);
  });

  test('what a solidified view lacks and JSON-RPC saw is decided by its receipt', async () => {
    const open = await openQuote(world);
    await pay(world, open);
    await mineNow(world, 5);
    await followToEnd(world);
    const before = await coveredOf(world);
    node.behave({
      wallet: (path, answer) =>
        path.endsWith('infobyblocknum')
          ? (answer as { log?: unknown }[]).map(({ log: _gone, ...info }) => info)
          : answer,
    });
    await mineNow(world, 30);
    await followToEnd(world);
    expect(await status(open.transId)).toBe('completed');
    expect(await coveredOf(world)).toBeGreaterThan(before);
    node.behave({ wallet: null });
  });

  test('a solidified view that is behind JSON-RPC holds expiry up, and only that', async () => {
    const open = await openQuote(world, 'TRX');
    goTo(world, (await endOf(world.shop, open.transId)) + 1);
    const behind = (await coveredOf(world)) + 1;
    type Blocks = { block?: { block_header: { raw_data: { number: number } } }[] };
    node.behave({
      wallet: (path, answer) => {
        if (!path.endsWith('limitnext')) return answer;
        return { block: (answer as Blocks).block?.filter((one) => one.block_header.raw_data.number <= behind) };
      },
    });
    const before = await standingOf(world.shop, 'TRC20');
    await settle(world);
    await expire(world.shop);
    expect((await standingOf(world.shop, 'TRC20')).height).toBeGreaterThan(before.height);
    expect(await status(open.transId)).toBe('waiting');
    node.behave({ wallet: null });
    await followToEnd(world);
    await expire(world.shop);
    expect(await status(open.transId)).toBe('expired');
  });
});

test.each<TronFault>(['limiter', 429, 'html', 'reset'])(
  '%s moves nothing, and reading goes on afterwards',
  async (fault) => {
    await settle(world);
    const before = await standingOf(world.shop, 'TRC20');
    await mineNow(world, 5);
    node.behave({ fault });
    expect(await world.reader.step()).toBe('idle');
    expect(await standingOf(world.shop, 'TRC20')).toEqual(before);
    node.behave({ fault: null });
    // One that says that it was asked too often is left alone for a while.
    world.shop.clock.advance(2_000);
    await followToEnd(world);
    expect((await standingOf(world.shop, 'TRC20')).height).toBe(before.height + 5);
  },
);

test('a refused range is read in smaller pieces', async () => {
  node.behave({ maxBlockRange: 2 });
  await settle(world);
  expect(await coveredOf(world)).toBeGreaterThan(0);
  const { height } = await standingOf(world.shop, 'TRC20');
  node.behave({ maxBlockRange: 5_000 });
  await settle(world);
  expect((await standingOf(world.shop, 'TRC20')).height).toBeGreaterThan(height);
});

test('an address that is added while blocks wait for their second look is watched in it', async () => {
  await settle(world);
  await addAddress(world);
  const open = await openQuote(world, 'TRX');
  const txId = await pay(world, open);
  await settle(world);
  expect(await lookUp(world.shop, world.store, open.transId)).toMatchObject({
    status: 'completed',
    transaction_hash: txId,
  });
});

test('coins paid while their amount still rested are found, though the cursor is past its rest by the second look', async () => {
  const open = await openQuote(world, 'TRX');
  await end(open.transId);
  const paidAt = secondsNow(world.shop);
  const txId = await pay(world, open);
  await mineNow(world);
  await world.shop.database.pool.query(`update amount_slots set held_until = $1 where token = 'TRX'`, [
    new Date((paidAt + 10) * 1000),
  ]);
  await settle(world);
  expect(await transfersOf(world.shop, txId)).toMatchObject([{ index: 'native', canonical: true, reason: 'late' }]);
});

test('chain status shows the network like any other', async () => {
  const rows = (await command(world.shop, 'chain status', {})) as Record<string, unknown>[];
  expect(rows).toMatchObject([
    { network: 'TRC20', frozen: false, covered: expect.stringMatching(/^finalized \d+ s old$/) },
  ]);
});

test('the chain itself agrees with the rows', async () => {
  await settle(world);
  await expire(world.shop);
  expect((await auditWorld(world)).faults).toEqual([]);
});

test('coins worth less than ten cents are counted and not kept', async () => {
  const open = await openQuote(world, world.rig.coin);
  const before = world.reader.counts.dust;
  const dust = await pay(world, open, 1_000n - open.units);
  const paid = await pay(world, open);
  await settle(world);
  expect(await transfersOf(world.shop, dust)).toEqual([]);
  expect(await transfersOf(world.shop, paid)).toHaveLength(1);
  expect(await status(open.transId)).toBe('completed');
  expect(world.reader.counts).toMatchObject({ dust: before + 1, disagreements: 0 });
});
