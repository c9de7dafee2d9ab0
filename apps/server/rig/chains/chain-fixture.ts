import type { QuoteRow } from '../../src/quotes/quote.ts';
import { addWallet } from '../../src/wallets/add-wallet.ts';
import type { EngineFixture } from '../invoices/engine-fixture.ts';
import { newInvoice, setPrices, unitsOf } from '../invoices/pay-invoice.ts';
import { selectCurrent } from '../invoices/select-current.ts';
import { openEngineFixture, secondsNow } from '../invoices/engine-fixture.ts';
import type { TestStore } from '../stores/open-store.ts';
import { openStore, TESTER } from '../stores/open-store.ts';
import type { Again, RigHead, RigReader, RigStart, SourceRig } from './chain-rig.ts';
import type { Template } from '../database/template-database.ts';

/** A store, the rig of a chain and the engine in one process, on a clock that only the test moves. */

export type ChainFixture<Rig extends SourceRig = SourceRig> = {
  engine: EngineFixture;
  rig: Rig;
  store: TestStore;
  reader: RigReader;
  /** Receiving addresses of all stores on this chain. */
  addresses: string[];
};

const MAX_STEPS = 400;
const SPARE_BLOCKS = 10;
/** More blocks than first reads stay behind the head on any network. */
const CURRENT_BLOCKS = 50;

export async function openChainFixture<Rig extends SourceRig>(
  template: Template,
  start: RigStart<Rig>,
): Promise<ChainFixture<Rig>> {
  const engine = await openEngineFixture(template, []);
  const rig = await start(secondsNow(engine), engine.clock);
  const store = await openStore(engine.database, { clock: engine.clock, wallet: false });
  const fixture = { engine, rig, store, reader: rig.createReader(engine), addresses: [] };
  await addAddress(fixture);
  await fixture.reader.toEnd();
  return fixture;
}

/** Opens another store on the same chain and database. */
export async function openAnother(fixture: ChainFixture): Promise<ChainFixture> {
  const store = await openStore(fixture.engine.database, { clock: fixture.engine.clock, wallet: false });
  await addAddress({ ...fixture, store });
  return { ...fixture, store };
}

export async function addAddress({ engine, rig, store, addresses }: ChainFixture): Promise<string> {
  const wallet = { store: store.ref, network: rig.network, address: rig.newAddress() };
  const { address } = await addWallet(engine, TESTER, wallet);
  addresses.push(address);
  return address;
}

export async function closeChainFixture({ engine, rig }: ChainFixture): Promise<void> {
  await rig.stop();
  await engine.close();
}

export type Open = { transId: string; quote: QuoteRow; units: bigint };

export async function openQuote(fixture: ChainFixture, token = fixture.rig.token): Promise<Open> {
  const { engine, rig, store } = fixture;
  const transId = await newInvoice(engine, store);
  const prices = { TRX: '0.1', SOL: '150', POL: '0.2', AVAX: '20' };
  await setPrices(engine, prices);
  const quote = await selectCurrent(engine, { transId, network: rig.network, token }, async () => {
    keepUp(fixture, await rig.mine(CURRENT_BLOCKS, { atTime: secondsNow(engine) }));
    await followToEnd(fixture);
    await setPrices(engine, prices);
  });
  return { transId, quote, units: unitsOf(quote) };
}

export function pay({ rig }: ChainFixture, { quote, units }: Open, differing = 0n): Promise<string> {
  const payment = { to: quote.toAddress, units: units + differing };
  return quote.token === rig.coin ? rig.payCoin(payment) : rig.payToken(payment);
}

/**
 * Moves the clock to the head's time if the clock is behind: the clock is never earlier than the chain. Returns the
 * head's height.
 */
export function keepUp({ engine }: ChainFixture, { height, time }: RigHead): number {
  engine.clock.advance(Math.max(0, (time + 1) * 1000 - engine.clock.nowMs()));
  return height;
}

/** Mines blocks, the first at the clock's time. */
export async function mineNow(fixture: ChainFixture, blocks = 1): Promise<number> {
  const { engine, rig } = fixture;
  return keepUp(fixture, await rig.mine(blocks, { atTime: secondsNow(engine), secondsBetween: rig.blockSeconds }));
}

/** Mines pending transactions into a block of exactly this time. */
export async function mineAt(fixture: ChainFixture, seconds: number): Promise<number> {
  return keepUp(fixture, await fixture.rig.mine(1, { atTime: seconds }));
}

export async function reorg(fixture: ChainFixture, depth: number, again: readonly Again[] = []): Promise<number> {
  return keepUp(fixture, await fixture.rig.reorg(depth, again));
}

export async function followToEnd({ reader }: ChainFixture): Promise<void> {
  await reader.toEnd();
}

/** Follows the chain until the reader undoes the transfers that a reorg dropped. */
export async function followReorg(fixture: ChainFixture): Promise<void> {
  const { blocks, seconds } = fixture.rig.reorgIsBelieved;
  await mineNow(fixture, blocks);
  await followToEnd(fixture);
  fixture.engine.clock.advance(seconds * 1000);
  await followToEnd(fixture);
}

/** Mines until every block so far is final, and follows the chain up to there. */
export async function settle(fixture: ChainFixture): Promise<void> {
  await mineNow(fixture, fixture.rig.finalDepth + SPARE_BLOCKS);
  await followToEnd(fixture);
}

export const coveredOf = ({ reader }: ChainFixture) => reader.covered();

/** Follows the chain step by step until coverage reaches a height: a single step may read nothing new. */
export async function followTo(fixture: ChainFixture, height: number): Promise<void> {
  for (let steps = 0; steps < MAX_STEPS; steps += 1) {
    await fixture.reader.step();
    if ((await coveredOf(fixture)) >= height) return;
  }
  throw new Error(`${fixture.rig.network} could not be followed to ${height}.`);
}

export function goTo({ engine }: ChainFixture, seconds: number): void {
  engine.clock.advance(Math.max(0, seconds * 1000 - engine.clock.nowMs()));
}
