import { setTimeout as wait } from 'node:timers/promises';
import type { Database } from '../src/db/database.ts';
import { closeDatabase, openDatabase } from '../src/db/database.ts';
import { systemClock } from '../src/lib/clock.ts';
import { addWallet } from '../src/wallets/add-wallet.ts';
import type { Anvil } from '../test/chain/anvil.ts';
import { startAnvil } from '../test/chain/anvil.ts';
import type { Balancer } from '../test/chain/balancer.ts';
import { startBalancer } from '../test/chain/balancer.ts';
import { mine } from '../test/chain/reorg.ts';
import { seededNumbers } from '../test/chain/seeded.ts';
import { installCanonicalTokens } from '../test/chain/token.ts';
import type { TestStore } from '../test/harness.ts';
import { nextAddress, openStore } from '../test/harness.ts';
import type { Faults } from './concurrency-client.ts';
import type { Door } from './chain-door.ts';
import { doorOf, openDoor } from './chain-door.ts';
import type { Driver } from './chain-driver.ts';
import { startDriver } from './chain-driver.ts';
import type { Fleet } from './chain-fleet.ts';
import { createFleet } from './chain-fleet.ts';
import type { DrillDatabase } from './drill-database.ts';
import { withDrillDatabase } from './drill-database.ts';

/** What each part of the chain drill has to itself: a database, two nodes behind balancers, workers and stores. */

export const SYMBOLS = ['BSC', 'ETH'] as const;
export type Symbol = (typeof SYMBOLS)[number];

/** `safe` lies this many blocks behind the head, `finalized` twice as many. */
export const SLOTS: Record<Symbol, number> = { BSC: 8, ETH: 12 };
const CHAIN_IDS: Record<Symbol, number> = { BSC: 56, ETH: 1 };
const FIRST_BLOCKS = 40;
const AGE_SECONDS = 3_600;
const CREDIT_MICRO_USD = 1_000_000_000_000n;
const START_TIMEOUT_MS = 60_000;
const POLL_MS = 100;
const CONNECTIONS = 10;
const CLOSE_TIMEOUT_MS = 5_000;

export type Side = {
  symbol: Symbol;
  anvil: Anvil;
  door: Door;
  /** Where nodes lie, the one behind the door. */
  balancer: Balancer | undefined;
  driver: Driver;
};

export type World = {
  drill: DrillDatabase;
  sides: Record<Symbol, Side>;
  fleet: Fleet;
  /** One whose invoices live long, and one whose invoices end while the drill runs. */
  stores: { lasting: TestStore; brief: TestStore };
  random: () => number;
  faults: Faults;
  /** Rejects when the drill is told to stop, or when a chain can no longer be driven. */
  pause(ms: number): Promise<void>;
  say(text: string): void;
};

export type WorldOptions = {
  name: string;
  seed: number;
  blockMs: number;
  paymentsPerBlock: number;
  workers: number;
  /** The nodes stand behind a balancer. */
  balanced: boolean;
  faults: Faults;
  signal: AbortSignal;
};

async function openSide(symbol: Symbol, options: WorldOptions, random: () => number): Promise<Side> {
  const anvil = await startAnvil({
    chainId: CHAIN_IDS[symbol],
    slotsInAnEpoch: SLOTS[symbol],
    timestamp: Math.floor(systemClock.nowMs() / 1000) - AGE_SECONDS,
  });
  try {
    await installCanonicalTokens(anvil);
    await mine(anvil, FIRST_BLOCKS, { secondsBetween: 1 });
    const { blockMs, paymentsPerBlock, balanced, seed } = options;
    const balancer = balanced ? await startBalancer({ backends: [{ url: anvil.url }], seed }) : undefined;
    const door = balancer ? doorOf(balancer) : await openDoor(anvil.url);
    return { symbol, anvil, door, balancer, driver: startDriver({ anvil, blockMs, paymentsPerBlock, random }) };
  } catch (cause) {
    await anvil.stop();
    throw cause;
  }
}

async function closeSide(side: Side): Promise<void> {
  await side.driver.stop();
  await side.door.stop();
  await side.anvil.stop();
}

async function openPayableStore(drill: DrillDatabase, lifetimeMinutes: number): Promise<TestStore> {
  const store = await openStore(drill.database, {
    wallet: false,
    lifetimeMinutes,
    creditMicroUsd: CREDIT_MICRO_USD,
  });
  for (const network of SYMBOLS) {
    const address = nextAddress();
    await addWallet(drill.database, systemClock, { merchantId: store.merchantId, network, address, actor: 'drill' });
  }
  return store;
}

/** Minutes; the brief ones are created that long ago, so that their end is near and every rule has had its say. */
export const LIFETIMES = { lasting: 30, brief: 10 };

async function untilFollowed(world: World): Promise<void> {
  const deadline = performance.now() + START_TIMEOUT_MS;
  while (performance.now() < deadline) {
    const { rows } = await world.drill.database.pool.query('select from chains where height > $1', [FIRST_BLOCKS]);
    if (rows.length === SYMBOLS.length) return;
    await world.pause(POLL_MS);
  }
  throw new Error('The workers do not follow the chains.');
}

function pauseUntil(signal: AbortSignal, sides: readonly Side[]): (ms: number) => Promise<void> {
  // A driver that fails ends every wait; one that goes on never settles this.
  const broken = Promise.all(sides.map(({ driver }) => driver.running.then(() => new Promise<never>(() => {}))));
  broken.catch(() => {});
  return async (ms) => {
    await Promise.race([wait(ms, undefined, { signal }), broken]);
  };
}

type Closers = (() => Promise<void>)[];

/** Watchers, placers and the sleeper ask at once: none may wait for a connection until its time is over. */
function openOwnDatabase({ url }: DrillDatabase, closers: Closers): Database {
  const database = openDatabase({ url, connections: CONNECTIONS, name: 'counterfoil-drill' }, () => {});
  // Work that was given up may keep its connection; the database is dropped in spite of it.
  closers.push(() => Promise.race([closeDatabase(database), wait(CLOSE_TIMEOUT_MS)]));
  return database;
}

async function buildWorld(options: WorldOptions, own: DrillDatabase, closers: Closers): Promise<World> {
  const random = seededNumbers(options.seed);
  const drill = { ...own, database: openOwnDatabase(own, closers) };
  const opened = await Promise.all(
    SYMBOLS.map(async (symbol) => {
      const side = await openSide(symbol, options, random);
      closers.push(() => closeSide(side));
      return [symbol, side] as const;
    }),
  );
  const sides = Object.fromEntries(opened) as Record<Symbol, Side>;
  const fleet = createFleet(drill.url, {
    COUNTERFOIL_POLL_MS: String(POLL_MS),
    COUNTERFOIL_RPC_BSC: sides.BSC.door.url,
    COUNTERFOIL_RPC_ETH: sides.ETH.door.url,
  });
  closers.push(() => fleet.stop());
  const stores = {
    lasting: await openPayableStore(drill, LIFETIMES.lasting),
    brief: await openPayableStore(drill, LIFETIMES.brief),
  };
  const world: World = {
    drill,
    sides,
    fleet,
    stores,
    random,
    faults: options.faults,
    pause: pauseUntil(options.signal, Object.values(sides)),
    say: (text) => console.log(`${options.name.padEnd(8)} ${text}`),
  };
  await Promise.all(Array.from({ length: options.workers }, () => fleet.start()));
  await untilFollowed(world);
  return world;
}

/** Everything is taken down again in the opposite order, whatever happened. */
export async function withWorld<T>(options: WorldOptions, use: (world: World) => Promise<T>): Promise<T> {
  return withDrillDatabase(async (drill) => {
    const closers: Closers = [];
    const over = new AbortController();
    const signal = AbortSignal.any([options.signal, over.signal]);
    try {
      return await use(await buildWorld({ ...options, signal }, drill, closers));
    } finally {
      // What still runs beside a failure stops at its next pause.
      over.abort();
      // One that fails must neither keep the others open nor hide why the part ended.
      for (const close of closers.toReversed()) {
        await close().catch((cause: unknown) => options.faults.add(`clean-up of ${options.name}: ${String(cause)}`));
      }
    }
  });
}

export async function waitUntil(
  world: World,
  timeoutMs: number,
  holds: () => Promise<boolean> | boolean,
): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  while (!(await holds())) {
    if (performance.now() > deadline) return false;
    await world.pause(POLL_MS);
  }
  return true;
}
