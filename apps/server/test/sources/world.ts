import type { QuoteRow } from '../../src/quotes/quote.ts';
import { addWallet } from '../../src/wallets/add-wallet.ts';
import type { Shop } from '../engine/shop.ts';
import { newInvoice, openShop, secondsNow, select, setPrices, unitsOf } from '../engine/shop.ts';
import type { TestStore } from '../harness.ts';
import { openStore, TESTER } from '../harness.ts';
import type { Again, RigHead, RigReader, RigStart, SourceRig } from './rig.ts';

/** A store, a rig and the engine in one process, on a clock that only a test moves. */

export type World<Rig extends SourceRig = SourceRig> = {
  shop: Shop;
  rig: Rig;
  store: TestStore;
  reader: RigReader;
  /** Where its stores receive. */
  addresses: string[];
};

const MAX_STEPS = 400;
const SPARE_BLOCKS = 10;

export async function openWorld<Rig extends SourceRig>(start: RigStart<Rig>): Promise<World<Rig>> {
  const shop = await openShop([]);
  const rig = await start(secondsNow(shop), shop.clock);
  const store = await openStore(shop.database, { clock: shop.clock, wallet: false });
  const world = { shop, rig, store, reader: rig.createReader(shop), addresses: [] };
  await addAddress(world);
  await world.reader.toEnd();
  return world;
}

/** The same world as another store sees it. */
export async function openAnother(world: World): Promise<World> {
  const store = await openStore(world.shop.database, { clock: world.shop.clock, wallet: false });
  await addAddress({ ...world, store });
  return { ...world, store };
}

export async function addAddress({ shop, rig, store, addresses }: World): Promise<string> {
  const wallet = { store: store.ref, network: rig.network, address: rig.newAddress() };
  const { address } = await addWallet(shop, TESTER, wallet);
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
  await setPrices(shop, { TRX: '0.1', SOL: '150', POL: '0.2', AVAX: '20' });
  const quote = await select(shop, transId, rig.network, token);
  return { transId, quote, units: unitsOf(quote) };
}

export function pay({ rig }: World, { quote, units }: Open, differing = 0n): Promise<string> {
  const payment = { to: quote.toAddress, units: units + differing };
  return quote.token === rig.coin ? rig.payCoin(payment) : rig.payToken(payment);
}

/** The clock never stands before the chain. Answers the height of the head. */
export function keepUp({ shop }: World, { height, time }: RigHead): number {
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

export async function followToEnd({ reader }: World): Promise<void> {
  await reader.toEnd();
}

/** Follows until what a reorg dropped is believed to be gone. */
export async function followReorg(world: World): Promise<void> {
  const { blocks, seconds } = world.rig.reorgIsBelieved;
  await mineNow(world, blocks);
  await followToEnd(world);
  world.shop.clock.advance(seconds * 1000);
  await followToEnd(world);
}

/** Mines until everything that is in the chain is final, and follows to there. */
export async function settle(world: World): Promise<void> {
  await mineNow(world, world.rig.finalDepth + SPARE_BLOCKS);
  await followToEnd(world);
}

export const coveredOf = ({ reader }: World) => reader.covered();

/** Through a door that often has nothing new to say, until what is covered has reached a height. */
export async function followTo(world: World, height: number): Promise<void> {
  for (let steps = 0; steps < MAX_STEPS; steps += 1) {
    await world.reader.step();
    if ((await coveredOf(world)) >= height) return;
  }
  throw new Error(`${world.rig.network} could not be followed to ${height}.`);
}

export function goTo({ shop }: World, seconds: number): void {
  shop.clock.advance(Math.max(0, seconds * 1000 - shop.clock.nowMs()));
}
