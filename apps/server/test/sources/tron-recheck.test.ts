import { afterAll, beforeAll, expect, test } from 'vitest';
import { findNetwork } from '../../src/networks/network.ts';
import { createTronSource } from '../../src/sources/tron/tron-source.ts';
import type { TronNode } from '../chain/tron-node.ts';
import { command, lookUp } from '../engine/shop.ts';
import { rigOf, startTronChain } from './tron-rig.ts';
import type { World } from './world.ts';
import { closeWorld, mineNow, openQuote, openWorld, pay } from './world.ts';
import { genesisOf } from '../chain/genesis.ts';

/** What both reads of Tron passed over is found by a recheck: tokens, and coins, which only the solidified view shows. */

let world: World;
let node: TronNode;
beforeAll(async () => {
  world = await openWorld(async (startSeconds) => {
    node = await startTronChain(startSeconds);
    return rigOf(node);
  });
});
afterAll(() => closeWorld(world));

/** The cursor and coverage go to the final block as if everything up to it had been read. */
async function passOver(): Promise<void> {
  const tron = findNetwork('TRC20');
  if (!tron) throw new Error('TRC20 is unknown.');
  const { finalized } = await createTronSource(tron, [node.url], { genesisHash: await genesisOf(node.url) }).heads(
    'first',
  );
  const { pool } = world.shop.database;
  const values = [finalized.height, new Date(finalized.time * 1000)];
  await pool.query('update chains set height = $1, block_time = $2, hash = $3', [...values, finalized.hash]);
  await pool.query('update chain_coverage set height = $1, block_time = $2', values);
}

test.each([
  ['USDT', 'one provider that is asked twice', 1],
  ['USDT', 'two providers', 2],
  ['TRX', 'one provider that is asked twice', 1],
  ['TRX', 'two providers', 2],
])('%s, from %s', async (token, _who, providers) => {
  const open = await openQuote(world, token);
  const hash = await pay(world, open);
  await mineNow(world, 40);
  await passOver();
  const urls = Array.from({ length: providers }, () => node.url);
  const rechecked = await command(world.shop, 'invoice recheck', { 'trans-id': open.transId }, urls);
  expect(rechecked).toMatchObject([{ network: 'TRC20', found: 1, doubted: [] }]);
  expect(await lookUp(world.shop, world.store, open.transId)).toMatchObject({
    status: 'completed',
    transaction_hash: hash,
  });
});
