import { pino } from 'pino';
import { createApplyTransfers } from '../../src/invoices/apply-transfers.ts';
import type { QuoteRow } from '../../src/invoices/selection-store.ts';
import { followChain } from '../../src/transfers/follow-chain.ts';
import type { Follower } from '../../src/transfers/follower.ts';
import { createFollower } from '../../src/transfers/follower.ts';
import { addWallet } from '../../src/wallets/add-wallet.ts';
import type { Shop } from '../engine/shop.ts';
import { follow, newInvoice, openShop, secondsNow, select, setPrices, standingOf, unitsOf } from '../engine/shop.ts';
import type { TestStore } from '../harness.ts';
import { openStore } from '../harness.ts';
import type { Again, RigHead, RigStart, SourceRig } from './rig.ts';

/** A store, a rig and the engine in one process, on a clock that only a test moves. */

export type World = { shop: Shop; rig: SourceRig; store: TestStore; follower: Follower; addresses: string[] };

const log = pino({ level: 'silent' });
const MAX_STEPS = 400;
const SPARE_BLOCKS = 10;

export function createReader({ shop, rig }: Pick<World, 'shop' | 'rig'>): Follower {
  const { database, clock } = shop;
  const apply = createApplyTransfers(clock);
  return createFollower({ database, clock, log, source: rig.createSource(), owner: 'test', apply });
}

export async function openWorld(start: RigStart): Promise<World> {
  const shop = await openShop([]);
  const rig = await start(secondsNow(shop));
  const store = await openStore(shop.database, { clock: shop.clock, wallet: false });
  const world = { shop, rig, store, follower: createReader({ shop, rig }), addresses: [] };
  await addAddress(world);
  await follow(shop, rig.network, world.follower);
  return world;
}

export async function addAddress({ shop, rig, store, addresses }: World): Promise<string> {
  const wallet = { merchantId: store.merchantId, network: rig.network, address: rig.newAddress(), actor: 'test' };
  const { address } = await addWallet(shop.database, shop.clock, wallet);
  addresses.push(address);
  return address;
}

export async function closeWorld({ shop, rig }: World): Promise<void> {
  await rig.stop();
  await shop.close();
}

export type Open = { transId: string; quote: QuoteRow; units: bigint };

export async function openQuote({ shop, rig, store }: World, token = rig.token): Promise<Open> {
  const transId = await newInvoice(shop, store);
  await setPrices(shop, { TRX: '0.1', SOL: '150' });
  const quote = await select(shop, transId, rig.network, token);
  return { transId, quote, units: unitsOf(quote) };
}

export function pay({ rig }: World, { quote, units }: Open, differing = 0n): Promise<string> {
  const payment = { to: quote.toAddress, units: units + differing };
  return quote.token === rig.coin ? rig.payCoin(payment) : rig.payToken(payment);
}

/** The clock never stands before the chain. Answers the height of the head. */
function keepUp({ shop }: World, { height, time }: RigHead): number {
  shop.clock.advance(Math.max(0, (time + 1) * 1000 - shop.clock.nowMs()));
  return height;
}

/** Mines blocks at the shop's time, the first now. */
export async function mineNow(world: World, blocks = 1): Promise<number> {
  const { shop, rig } = world;
  return keepUp(world, await rig.mine(blocks, { atTime: secondsNow(shop), secondsBetween: rig.blockSeconds }));
}

/** Mines what is pending into a block of exactly this time. */
export async function mineAt(world: World, seconds: number): Promise<number> {
  return keepUp(world, await world.rig.mine(1, { atTime: seconds }));
}

export async function reorg(world: World, depth: number, again: readonly Again[] = []): Promise<number> {
  return keepUp(world, await world.rig.reorg(depth, again));
}

export async function followToEnd({ shop, rig, follower }: World): Promise<void> {
  await follow(shop, rig.network, follower);
}

/** Mines until everything that is in the chain is final, and follows to there. */
export async function settle(world: World): Promise<void> {
  await mineNow(world, world.rig.finalDepth + SPARE_BLOCKS);
  await followToEnd(world);
}

export const coveredOf = async ({ shop, rig }: World) =>
  (await standingOf(shop, rig.network)).covered['finalized'] ?? 0;

/** Through a door that often has nothing new to say, until what is covered has reached a height. */
export async function followTo(world: World, height: number): Promise<void> {
  for (let steps = 0; steps < MAX_STEPS; steps += 1) {
    await followChain(world.follower);
    if ((await coveredOf(world)) >= height) return;
  }
  throw new Error(`${world.rig.network} could not be followed to ${height}.`);
}

export function goTo({ shop }: World, seconds: number): void {
  shop.clock.advance(Math.max(0, seconds * 1000 - shop.clock.nowMs()));
}
