import { createManualClock } from '../../src/lib/clock.ts';
import { createMakeInvoice } from '../../rig/invoices/make-invoice.ts';
import { findFailpoints } from '../../rig/processes/find-failpoints.ts';
import type { WorkerProcess } from '../../rig/processes/server-process.ts';
import { endClaims, untilDead } from '../../rig/processes/worker-fleet.ts';
import { admitStore } from '../../rig/stores/admit-store.ts';
import type { Book } from './book.ts';
import { LIFETIME_MINUTES } from './places.ts';
import type { World } from './world.ts';

/** Workers die at every failpoint of a poll of a statement and of expiry, and at random moments. */

export type DeathSizes = {
  /** Number of deaths at failpoints; the failpoints take turns. */
  atFailpoints: number;
  anywhere: number;
  /** Longest real time between two deaths. */
  restMs: number;
  /** Whether claims of some dead workers run out by themselves. */
  claimsRunOut: boolean;
};

const DEATH_TIMEOUT_MS = 30_000;
const KINDS = ['statement', 'expire'];
const MAX_PASSINGS = 4;
const DUE_EVERY_MS = 500;
const DUE_AT_ONCE = 3;
const MINUTE_MS = 60_000;

/** Creates a few invoices that were never selected and have ended, so that every worker has something to expire. */
async function createDue(world: World): Promise<void> {
  const [place] = world.places;
  if (!place) return;
  const { database } = world.drill;
  const store = await admitStore(database, place.store);
  const created = createManualClock(world.clock.nowMs() - (LIFETIME_MINUTES + 1) * MINUTE_MS);
  const body = { merchant_id: place.store.merchantId, amount: '20' };
  for (let count = 0; count < DUE_AT_ONCE; count += 1) await createMakeInvoice(database)(store, created, body);
}

type Stage = { world: World; book: Book; sizes: DeathSizes; doomed: Set<WorkerProcess> };

async function dieAtFailpoint({ world, doomed }: Stage, name: string): Promise<boolean> {
  const isExpiry = name.startsWith('expire:');
  const passing = isExpiry ? 1 : 1 + Math.floor(world.random() * MAX_PASSINGS);
  const worker = await world.fleet.startKilledAt(`${name}*${passing}`);
  if (!worker) return true;
  doomed.add(worker);
  const deadline = performance.now() + DEATH_TIMEOUT_MS;
  while (performance.now() < deadline) {
    if (isExpiry) await createDue(world);
    if (await untilDead(worker, DUE_EVERY_MS)) return true;
  }
  await world.fleet.kill(worker);
  return false;
}

/** Kills a random worker that does not wait for its failpoint, and starts another in its place. */
async function dieAnywhere({ world, doomed }: Stage): Promise<boolean> {
  const alive = world.fleet.alive().filter((worker) => !doomed.has(worker));
  const victim = alive[Math.floor(world.random() * alive.length)];
  if (!victim) return false;
  await world.fleet.kill(victim);
  await world.fleet.start();
  return true;
}

async function dieInTurn(stage: Stage, deaths: number, die: (turn: number) => Promise<boolean>): Promise<void> {
  const { world, book, sizes } = stage;
  for (let turn = 0; turn < deaths; turn += 1) {
    await world.pause(world.random() * sizes.restMs);
    if (await die(turn)) book.deaths += 1;
    else world.faults.add('a worker that was to die did not');
    if (!sizes.claimsRunOut || turn % 2 === 0) await endClaims(world.drill.database);
  }
}

export async function killWorkers(world: World, book: Book, sizes: DeathSizes): Promise<void> {
  const stage: Stage = { world, book, sizes, doomed: new Set() };
  const names = findFailpoints(KINDS);
  const first = Math.floor(world.random() * names.length);
  await Promise.all([
    dieInTurn(stage, sizes.atFailpoints, (turn) => dieAtFailpoint(stage, names[(first + turn) % names.length] ?? '')),
    dieInTurn(stage, sizes.anywhere, () => dieAnywhere(stage)),
  ]);
  world.say(`${book.deaths} deaths are over`);
}
