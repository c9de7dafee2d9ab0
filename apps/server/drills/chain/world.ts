import { setTimeout as wait } from 'node:timers/promises';
import type { Database } from '../../src/db/database.ts';
import { closeDatabase, openDatabase } from '../../src/db/database.ts';
import type { Clock } from '../../src/lib/clock.ts';
import { createPacedClock, systemClock } from '../../src/lib/clock.ts';
import { readsAccounts } from '../../src/networks/network.ts';
import { addWallet } from '../../src/wallets/add-wallet.ts';
import { seededNumbers } from '../../rig/fakes/seeded-numbers.ts';
import type { TcpProxy } from '../../rig/fakes/tcp-proxy.ts';
import { startTcpProxy } from '../../rig/fakes/tcp-proxy.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { openStore, TESTER } from '../../rig/stores/open-store.ts';
import { holdsInTime } from '../../rig/processes/wait-until.ts';
import type { Faults } from '../../rig/report/faults.ts';
import type { Fleet } from '../../rig/processes/worker-fleet.ts';
import { createFleet } from '../../rig/processes/worker-fleet.ts';
import type { Side } from './side.ts';
import { openSide } from './side.ts';
import type { DrillDatabase } from '../../rig/database/drill-database.ts';
import { withDrillDatabase } from '../../rig/database/drill-database.ts';
import { NETWORKS } from '../../rig/chains/networks.ts';

/** Everything that a part of the chain drill has for itself: a database, simulated networks, workers and stores. */

const CREDIT_MICRO_USD = 1_000_000_000_000n;
const FOLLOWED_TIMEOUT_MS = 180_000;
/** Distance from the head at which a chain counts as followed, in seconds of its clock. */
const NEAR_SECONDS = 30;
const POLL_MS = 100;
const CONNECTIONS = 10;
const CLOSE_TIMEOUT_MS = 5_000;

export type Stores = {
  /** Store whose invoices outlive the drill. */
  lasting: TestStore;
  /** A store whose invoices live as long as they may while coins are still offered for them. */
  hourly: TestStore;
  /** Store whose invoices end during the drill. */
  brief: TestStore;
};

export type World = {
  drill: DrillDatabase;
  symbols: readonly string[];
  sides: Readonly<Record<string, Side>>;
  /** Time of chains and workers, which runs faster than the machine's clock. */
  clock: Clock;
  factor: number;
  /** Longest settling time of a paid sum, in seconds of the chains' clock. */
  mostSettleSeconds: number;
  fleet: Fleet;
  /** Proxy between workers and the database that cuts connections; undefined in parts of the drill that cut none. */
  line: TcpProxy | undefined;
  stores: Stores;
  random: () => number;
  faults: Faults;
  /** Waits; rejects when the drill is told to stop, or when a chain can no longer be driven. */
  pause(ms: number): Promise<void>;
  say(text: string): void;
};

export type WorldOptions = {
  name: string;
  seed: number;
  networks: readonly string[];
  /** Factor by which clocks and chains run faster than in the real world. */
  factor: number;
  mostSettleSeconds: number;
  paymentsPerBlock: number;
  workers: number;
  dyingLine?: boolean;
  /** Number of providers of each network; 1 unless given. */
  providers?: 1 | 2;
  /** Poll interval of workers; by default each network's own. */
  pollMs?: number;
  faults: Faults;
  signal: AbortSignal;
};

/**
 * Lifetimes of invoices in minutes. Brief invoices are created with an earlier time, so that their end is near and
 * every rule still applies.
 */
export const LIFETIMES = { lasting: 1_440, hourly: 60, brief: 10 };

export function sideOf(world: World, symbol: string): Side {
  const side = world.sides[symbol];
  if (!side) throw new Error(`${symbol} takes no part.`);
  return side;
}

export const sidesOf = (world: World): Side[] => world.symbols.map((symbol) => sideOf(world, symbol));

export const nowSeconds = ({ clock }: World): number => Math.floor(clock.nowMs() / 1000);

async function closeSide(side: Side): Promise<void> {
  await side.driver.stop();
  await side.stop();
}

async function openPayableStore(
  { database }: DrillDatabase,
  clock: Clock,
  sides: readonly Side[],
  lifetimeMinutes: number,
): Promise<TestStore> {
  const store = await openStore(database, { wallet: false, lifetimeMinutes, creditMicroUsd: CREDIT_MICRO_USD });
  for (const side of sides) {
    const wallet = { store: store.ref, network: side.symbol, address: side.newAddress() };
    await addWallet({ networks: NETWORKS, database, clock, jobs: undefined }, TESTER, wallet);
  }
  return store;
}

/** Height up to which workers have read each chain. */
export async function readHeights({ drill }: World): Promise<Map<string, number>> {
  const { rows } = await drill.database.pool.query<{ network: string; height: number }>(
    'select network, height::float8 as height from chains',
  );
  return new Map(rows.map(({ network, height }) => [network, height]));
}

/**
 * Waits until workers have caught up. A reader starts at the final block, which on some networks is twenty minutes old,
 * and a network whose reader is behind is not offered to customers.
 */
export async function untilFollowed(world: World): Promise<void> {
  // Networks that are read account by account are not waited for: their addresses are followed only after a quote.
  const chains = sidesOf(world).filter(({ network }) => !readsAccounts(network));
  const isFollowed = async () => {
    const read = await readHeights(world);
    return chains.every(({ symbol, profile, driver }) => {
      const near = Math.ceil(NEAR_SECONDS / profile.blockSeconds);
      return (read.get(symbol) ?? 0) >= driver.head() - near;
    });
  };
  if (!(await waitUntil(world, FOLLOWED_TIMEOUT_MS, isFollowed)))
    throw new Error('The workers do not follow the chains.');
}

function pauseUntil(signal: AbortSignal, sides: readonly Side[]): (ms: number) => Promise<void> {
  // The failure of a driver ends every wait; while all drivers run, this promise never settles.
  const broken = Promise.all(sides.map(({ driver }) => driver.running.then(() => new Promise<never>(() => {}))));
  broken.catch(() => {});
  return async (ms) => {
    await Promise.race([wait(ms, undefined, { signal }), broken]);
  };
}

type Closers = (() => Promise<void>)[];

/**
 * Connects to the drill's database with more connections than the drill opens by default: watchers, code that places
 * invoices and the paused worker's drill query at once, and none may wait for a connection until its timeout.
 */
function openOwnDatabase({ url }: DrillDatabase, closers: Closers): Database {
  const database = openDatabase({ url, connections: CONNECTIONS, name: 'counterfoil-drill' }, () => {});
  // Closing is not awaited for ever: work that was abandoned may keep its connection, and the database is dropped all
  // the same.
  closers.push(() => Promise.race([closeDatabase(database), wait(CLOSE_TIMEOUT_MS)]));
  return database;
}

async function openSides(
  options: WorldOptions,
  clock: Clock,
  random: () => number,
  closers: Closers,
): Promise<Record<string, Side>> {
  const { networks, seed, paymentsPerBlock, providers = 1 } = options;
  const opened = await Promise.all(
    networks.map(async (symbol, place) => {
      const side = await openSide(symbol, { clock, seed: seed + place, paymentsPerBlock, random, providers });
      closers.push(() => closeSide(side));
      return [symbol, side] as const;
    }),
  );
  return Object.fromEntries(opened);
}

const DEFAULT_POSTGRES_PORT = 5_432;

async function openLine({ url }: DrillDatabase, closers: Closers): Promise<{ line: TcpProxy; url: string }> {
  const address = new URL(url);
  const line = await startTcpProxy(Number(address.port) || DEFAULT_POSTGRES_PORT);
  closers.push(() => line.stop());
  address.port = String(line.port);
  return { line, url: address.href };
}

async function buildWorld(options: WorldOptions, own: DrillDatabase, closers: Closers): Promise<World> {
  const { networks, factor, mostSettleSeconds, pollMs, faults, name, workers, signal } = options;
  const random = seededNumbers(options.seed);
  const drill = { ...own, database: openOwnDatabase(own, closers) };
  const fromMs = systemClock.nowMs();
  const clock = createPacedClock(systemClock, { rate: factor, fromMs });
  const sides = await openSides(options, clock, random, closers);
  // The database proxy costs time, so only parts of the drill whose connections die use the proxy.
  const { line, url } = options.dyingLine ? await openLine(own, closers) : { line: undefined, url: own.url };
  const fleet = createFleet(url, {
    ...(pollMs !== undefined && { COUNTERFOIL_POLL_MS: String(pollMs) }),
    ...(factor > 1 && { COUNTERFOIL_CLOCK_PACE: `${factor}@${fromMs}` }),
    ...Object.fromEntries(
      Object.values(sides).map((side) => [
        `COUNTERFOIL_RPC_${side.symbol}`,
        side.providers.map((provider) => provider.url).join(','),
      ]),
    ),
  });
  closers.push(() => fleet.stop());
  const open = (minutes: number) => openPayableStore(drill, clock, Object.values(sides), minutes);
  const stores = {
    lasting: await open(LIFETIMES.lasting),
    hourly: await open(LIFETIMES.hourly),
    brief: await open(LIFETIMES.brief),
  };
  const world: World = {
    drill,
    symbols: networks,
    sides,
    clock,
    factor,
    mostSettleSeconds,
    fleet,
    line,
    stores,
    random,
    faults,
    pause: pauseUntil(signal, Object.values(sides)),
    say: (text) => console.log(`${name.padEnd(8)} ${text}`),
  };
  await Promise.all(Array.from({ length: workers }, () => fleet.start()));
  return world;
}

let turn: Promise<unknown> = Promise.resolve();

/** Starts parts one after another: dozens of processes at once would all start too slowly. */
function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const started = turn.then(work);
  turn = started.catch(() => undefined);
  return started;
}

/** Builds the world, runs `use`, and takes everything down in reverse order, also after an error. */
export async function withWorld<T>(options: WorldOptions, use: (world: World) => Promise<T>): Promise<T> {
  return withDrillDatabase(async (drill) => {
    const closers: Closers = [];
    const over = new AbortController();
    const signal = AbortSignal.any([options.signal, over.signal]);
    try {
      const world = await inTurn(() => buildWorld({ ...options, signal }, drill, closers));
      await untilFollowed(world);
      return await use(world);
    } finally {
      // When one part of the drill fails, the other parts that still run stop at their next pause.
      over.abort();
      // A clean-up that fails is reported as a fault and not thrown: the other clean-ups must still run, and the error
      // that ended the part of the drill must not be hidden.
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
  return holdsInTime(holds, { timeoutMs, pause: () => world.pause(POLL_MS) });
}
