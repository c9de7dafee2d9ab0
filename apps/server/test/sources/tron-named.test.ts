import { pino } from 'pino';
import type { Address } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApplyTransfers } from '../../src/invoices/apply-transfers.ts';
import { findNetwork } from '../../src/networks/network.ts';
import { tronToHex } from '../../src/networks/address.ts';
import { createFollower } from '../../src/chains/follower.ts';
import { createTronSource } from '../../src/sources/tron/tron-source.ts';
import { genesisOf } from '../chain/genesis.ts';
import { payInternally } from '../chain/payment.ts';
import type { TronNode } from '../chain/tron-node.ts';
import { namedRowsOf, readNamed, requestsOf } from '../engine/named-desk.ts';
import { command, statusOf } from '../engine/shop.ts';
import { rigOf, startTronChain } from './tron-rig.ts';
import type { World } from './world.ts';
import { closeWorld, mineNow, openQuote, openWorld, settle } from './world.ts';

/** Named transactions of Tron: coins of its own contract are found, those that another contract passed on are not. */

let world: World;
let node: TronNode;
beforeAll(async () => {
  world = await openWorld(async (startSeconds) => {
    node = await startTronChain(startSeconds);
    return rigOf(node);
  });
});
afterAll(() => closeWorld(world));

async function readAgain(): Promise<void> {
  const tron = findNetwork('TRC20');
  if (!tron) throw new Error('TRC20 is unknown.');
  const { clock } = world.shop;
  const database = world.shop.as('worker');
  const source = createTronSource(tron, [node.url], { genesisHash: await genesisOf(node.url) });
  const parts = { database, clock, log: pino({ level: 'silent' }), owner: 'test', apply: createApplyTransfers(clock) };
  await readNamed(world.shop, createFollower({ ...parts, source }));
}

const name = (transId: string, tx: string) =>
  command(world.shop, 'transfer name', { invoice: transId, network: 'TRC20', tx, reason: 'test' });

test('coins sent for a token invoice are found when they are named', async () => {
  const { transId, quote } = await openQuote(world);
  const units = 25_000_000n;
  const hash = await world.rig.payCoin({ to: quote.toAddress, units });
  await mineNow(world);
  await settle(world);
  expect(await namedRowsOf(world.shop, hash)).toEqual([]);
  await name(transId, hash);
  await readAgain();
  expect(await requestsOf(world.shop, transId)).toMatchObject([{ outcome: 'found' }]);
  const row = { index: 'native', token: 'TRX', units, reason: 'wrong_token', named_by: 'operator' };
  expect(await namedRowsOf(world.shop, hash)).toMatchObject([row]);
  expect(await statusOf(world.shop, world.store, transId)).toBe('waiting');
});

test('of coins that a contract passed on nothing is recorded, and the outcome says why', async () => {
  const { transId, quote } = await openQuote(world);
  const to = tronToHex(quote.toAddress) as Address;
  const hash = await payInternally(node.anvil, { to, units: 25_000_000n });
  await mineNow(world);
  await settle(world);
  await name(transId, hash);
  await readAgain();
  expect(await requestsOf(world.shop, transId)).toMatchObject([{ outcome: 'untraceable' }]);
  expect(await namedRowsOf(world.shop, hash.slice(2))).toEqual([]);
});
