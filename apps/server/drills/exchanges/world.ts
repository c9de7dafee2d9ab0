import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Database } from '../../src/db/database.ts';
import { closeDatabase, openDatabase } from '../../src/db/database.ts';
import type { Clock, ClockPace } from '../../src/lib/clock.ts';
import { createPacedClock, systemClock } from '../../src/lib/clock.ts';
import { writeKeyRing } from '../../src/secrets/key-ring.ts';
import type { DrillDatabase } from '../../rig/database/drill-database.ts';
import { withDrillDatabase } from '../../rig/database/drill-database.ts';
import { FAKES, startFake } from '../../rig/exchanges/exchange-fixture.ts';
import type { FakeExchange, FakePlatform } from '../../rig/exchanges/fake-exchange.ts';
import { deadUrl } from '../../rig/fakes/listen.ts';
import { seededNumbers } from '../../rig/fakes/seeded-numbers.ts';
import type { Fleet } from '../../rig/processes/worker-fleet.ts';
import { createFleet } from '../../rig/processes/worker-fleet.ts';
import { holdsInTime } from '../../rig/processes/wait-until.ts';
import type { Faults } from '../../rig/report/faults.ts';
import type { Place } from './places.ts';
import { openPlaces } from './places.ts';

/**
 * Everything that a part of the exchange drill has for itself: a database, fake platforms, exchange accounts and
 * workers.
 */

export type World = {
  drill: DrillDatabase;
  fakes: readonly FakeExchange[];
  places: readonly Place[];
  /** The time of platforms and workers, which may run faster than the machine's clock. */
  clock: Clock;
  rate: number;
  fleet: Fleet;
  /** Where events are sent to: nothing answers there. */
  callbackUrl: string;
  random: () => number;
  faults: Faults;
  /** Waits for seconds of the world's own time. Rejects when the drill is told to stop. */
  pass: (seconds: number) => Promise<void>;
  /** Waits for milliseconds of real time. */
  pause: (ms: number) => Promise<void>;
  say: (text: string) => void;
};

export type WorldOptions = {
  name: string;
  seed: number;
  /** How many times faster than real time the world's clock runs. */
  rate: number;
  accounts: number;
  workers: number;
  /** Time between two polls of an exchange account, in real milliseconds; by default the platform's own. */
  pollMs?: number;
  faults: Faults;
  signal: AbortSignal;
};

/** Platforms that have a fake, in the order in which exchange accounts are opened. */
export const PLATFORMS = Object.keys(FAKES) as FakePlatform[];

const CONNECTIONS = 10;
const CLOSE_TIMEOUT_MS = 5_000;
const POLL_MS = 50;
const READ_TIMEOUT_MS = 60_000;

type Closers = (() => Promise<void>)[];

/**
 * Connects to the drill's database with more connections than the drill opens by default: the judge, code that places
 * invoices and code that ends claims make queries at once.
 */
function openOwnDatabase(url: string, closers: Closers): Database {
  const database = openDatabase({ url, connections: CONNECTIONS, name: 'counterfoil-drill' }, () => {});
  closers.push(() => Promise.race([closeDatabase(database), wait(CLOSE_TIMEOUT_MS)]));
  return database;
}

async function openFleet(url: string, { pollMs }: WorldOptions, pace: ClockPace | undefined, closers: Closers) {
  const folder = await mkdtemp(join(tmpdir(), 'counterfoil-exchanges-'));
  closers.push(() => rm(folder, { recursive: true }));
  const keyRingFile = join(folder, 'key-ring.json');
  const fleet = createFleet(url, {
    COUNTERFOIL_KEY_RING_FILE: keyRingFile,
    COUNTERFOIL_PRIVATE_CALLBACKS: 'allow',
    ...(pollMs !== undefined && { COUNTERFOIL_POLL_MS: String(pollMs) }),
    ...(pace && { COUNTERFOIL_CLOCK_PACE: `${pace.rate}@${pace.fromMs}` }),
  });
  closers.push(() => fleet.stop());
  return { fleet, keyRingFile };
}

async function openFakes(clock: Clock, closers: Closers): Promise<FakeExchange[]> {
  return Promise.all(
    PLATFORMS.map(async (platform) => {
      const fake = await startFake(platform, { clock });
      closers.push(() => fake.stop());
      return fake;
    }),
  );
}

async function buildWorld(options: WorldOptions, own: DrillDatabase, closers: Closers): Promise<World> {
  const { name, rate, workers, faults, signal } = options;
  const startedMs = performance.now();
  const pace = rate === 1 ? undefined : { rate, fromMs: systemClock.nowMs() };
  const clock = createPacedClock(systemClock, pace);
  const drill = { ...own, database: openOwnDatabase(own.url, closers) };
  const fakes = await openFakes(clock, closers);
  const { fleet, keyRingFile } = await openFleet(own.url, options, pace, closers);
  const { places, ring } = await openPlaces({ database: drill.database, clock }, fakes, options.accounts);
  await writeKeyRing(keyRingFile, ring);
  await Promise.all(Array.from({ length: workers }, () => fleet.start()));
  const pause = (ms: number): Promise<void> => wait(ms, undefined, { signal });
  return {
    drill,
    fakes,
    places,
    clock,
    rate,
    fleet,
    callbackUrl: `${await deadUrl()}/callback`,
    random: seededNumbers(options.seed),
    faults,
    pass: (seconds) => pause((seconds * 1_000) / rate),
    pause,
    say: (text) => {
      const seconds = Math.round((performance.now() - startedMs) / 1_000);
      console.log(`${name.padEnd(7)} ${String(seconds).padStart(3)} s  ${text}`);
    },
  };
}

/** Builds the world, runs `use`, and takes everything down in reverse order, also after an error. */
export async function withWorld<T>(options: WorldOptions, use: (world: World) => Promise<T>): Promise<T> {
  return withDrillDatabase(async (drill) => {
    const closers: Closers = [];
    const over = new AbortController();
    const signal = AbortSignal.any([options.signal, over.signal]);
    try {
      const world = await buildWorld({ ...options, signal }, drill, closers);
      await untilRead(world);
      return await use(world);
    } finally {
      // When one part of the drill fails, the other parts that still run stop at their next pause.
      over.abort();
      for (const close of closers.toReversed())
        await close().catch((cause: unknown) => options.faults.add(`clean-up of ${options.name}: ${String(cause)}`));
    }
  });
}

/** Waits until workers read every platform: before that, no platform is offered. */
async function untilRead(world: World): Promise<void> {
  const isRead = async () => {
    const { rows } = await world.drill.database.pool.query(
      `select from chains where head_read_at is not null and not starts_with(network, 'sandbox:')`,
    );
    return rows.length === world.fakes.length;
  };
  if (!(await waitUntil(world, READ_TIMEOUT_MS, isRead))) throw new Error('The workers do not read the platforms.');
}

/** Whether the condition came to hold within a time limit in real time. */
export async function waitUntil(
  world: World,
  timeoutMs: number,
  holds: () => Promise<boolean> | boolean,
): Promise<boolean> {
  return holdsInTime(holds, { timeoutMs, pause: () => world.pause(POLL_MS) });
}
