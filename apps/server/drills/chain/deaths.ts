import type { WorkerProcess } from '../../rig/processes/server-process.ts';
import { figuresOf, settle } from './check.ts';
import { watchDepths } from './depth.ts';
import { findChainFailpoints } from './failpoints.ts';
import type { PartFigures } from '../../rig/report/chain-figures.ts';
import { dropLeases, endLeases, giveLeases, isAlive, untilDead } from '../../rig/processes/worker-fleet.ts';
import type { DrillInvoice, Order } from './invoices.ts';
import { drawOrder, payInvoices, placeOrders } from './invoices.ts';
import { drillPausedWorker } from './paused-worker.ts';
import { maxReorgDepth } from './rules.ts';
import type { World } from './world.ts';
import { nowSeconds, sideOf, sidesOf, waitUntil } from './world.ts';

/**
 * Deaths part of the chain drill: workers die at every commit boundary and at random moments, one worker is paused, and
 * chains have reorgs.
 */

export type DeathSizes = {
  invoices: number;
  deaths: number;
  /** How long the paused reader is stopped. */
  sleepMs: number;
  /** Longest wait before a worker's death, at each of three paces from fast to slow. */
  restsMs: readonly [number, number, number];
  /** Average time between reorgs. */
  reorgEveryMs: number;
  /**
   * Whether the leases of dead workers run out by themselves while workers die at the slowest pace; otherwise the drill
   * ends these leases.
   */
  leasesRunOut: boolean;
};

/** Share of deaths at failpoints; all other deaths are `kill -9` at a random moment. */
const FAILPOINT_SHARE = 0.7;
const MAX_PASSINGS = 4;
const DEATH_TIMEOUT_MS = 120_000;
/**
 * Interval at which the worker that is to die at a failpoint gets the leases again, together with what its failpoint
 * needs: reorgs, due invoices or payments.
 */
const GRANT_MS = 2_000;
/**
 * Number of due invoices placed each time that the worker which is to die while it expires an invoice gets the leases:
 * other workers expire most of these invoices.
 */
const DUE_AT_ONCE = 10;
const TOLD_EVERY = 10;
const FEED_MS = 300;
const UNPAID_SHARE = 0.1;
/** Seconds until unpaid invoices end, by the machine's clock. */
const UNPAID_END_SECONDS = 8;
const SETTLE_MS = 150_000;
const SLEEPING = 'BSC';

type Death = { failpoint: string | undefined; restMs: number; pace: number };
const HEAVY = 0;
const GENTLE = 2;
const RACE_MS = 150;

/**
 * Factor for the random position of a death in the plan: deaths at failpoints of proofs come early, because later there
 * is no payment left to prove.
 */
const share = (failpoint: string | undefined) => (failpoint?.startsWith('proof:') === true ? 0.1 : 1);

function planDeaths(world: World, sizes: DeathSizes): Death[] {
  const names = findChainFailpoints();
  const atFailpoints = Math.round(sizes.deaths * FAILPOINT_SHARE);
  const start = Math.floor(world.random() * names.length);
  const kinds = Array.from({ length: sizes.deaths }, (_unused, position) =>
    position < atFailpoints ? names[(start + position) % names.length] : undefined,
  );
  const order = kinds.map((failpoint) => ({ failpoint, place: world.random() * share(failpoint) }));
  return order
    .toSorted((left, right) => left.place - right.place)
    .map(({ failpoint }, position) => {
      const pace = Math.min(GENTLE, Math.floor((position * sizes.restsMs.length) / sizes.deaths));
      return { failpoint, restMs: world.random() * (sizes.restsMs[pace] ?? 0), pace };
    });
}

type Stage = {
  world: World;
  /**
   * Networks whose leases the drill may give to a worker or drop: all networks, except a network whose reader is
   * paused.
   */
  grantable: Set<string>;
  sleeper: WorkerProcess;
  deaths: number;
  pace: number;
  replacements: Promise<WorkerProcess>[];
  /** Workers that may not be killed: the paused worker, and workers that wait for their failpoint. */
  spared: Set<WorkerProcess>;
};

/**
 * Requests a reorg of a random depth, never so deep that a settled payment is undone. A network without room for such a
 * reorg gets none.
 */
function requestReorg(world: World, symbol: string): void {
  const side = sideOf(world, symbol);
  const most = maxReorgDepth(side);
  if (most > 0) side.driver.requestReorg(1 + Math.floor(world.random() * most));
}

/**
 * Starts the worker that dies at a failpoint before its turn comes: until this worker gets the leases, it is a reader
 * like the others.
 */
function prepare(stage: Stage, death: Death | undefined): Promise<WorkerProcess | undefined> | undefined {
  if (death?.failpoint === undefined) return undefined;
  const { fleet, random } = stage.world;
  const passing = 1 + Math.floor(random() * MAX_PASSINGS);
  // One worker seldom handles a reorg or a due invoice, so at failpoints of rewinds and expiry a worker dies the first
  // time, and not only after a random number of times.
  const once = /^(?:rewind|expire):/.test(death.failpoint);
  const doomed = fleet.startKilledAt(once ? death.failpoint : `${death.failpoint}*${passing}`);
  // A worker that cannot be started is reported where `prepare`'s promise is awaited; without this handler the failure
  // would end the process before that.
  doomed.then(
    (worker) => worker && stage.spared.add(worker),
    () => {},
  );
  return doomed;
}

/**
 * Places invoices whose ends are spread over the time until the next such call, so that the worker that is to die while
 * it expires an invoice finds an invoice to expire.
 */
async function placeDue(world: World): Promise<void> {
  const now = nowSeconds(world);
  const orders = Array.from({ length: DUE_AT_ONCE }, (_unused, place): Order => {
    const laterSeconds = Math.floor((place / DUE_AT_ONCE) * (GRANT_MS / 1_000) * world.factor);
    return Object.assign(drawOrder(world, place), { endsAt: now + laterSeconds, unselected: true });
  });
  await placeOrders(world, orders);
}

/**
 * Pays a new invoice on each network, so that there is something to prove even when all other payments have settled.
 */
async function payFresh(world: World): Promise<void> {
  const orders = world.symbols.map((_symbol, position) => drawOrder(world, position));
  payInvoices(world, await placeOrders(world, orders));
}

async function dieAtFailpoint(stage: Stage, name: string, doomed: WorkerProcess | undefined): Promise<boolean> {
  const { world, grantable } = stage;
  if (!doomed) return true;
  const deadline = performance.now() + DEATH_TIMEOUT_MS;
  while (isAlive(doomed) && performance.now() < deadline) {
    const networks = [...grantable];
    await giveLeases(world.drill.database, doomed, networks);
    if (name.startsWith('rewind')) for (const symbol of networks) requestReorg(world, symbol);
    if (name.startsWith('expire')) await placeDue(world);
    if (name.startsWith('proof')) await payFresh(world);
    await untilDead(doomed, GRANT_MS);
    await world.pause(0);
  }
  if (!isAlive(doomed)) return true;
  await world.fleet.kill(doomed);
  return false;
}

/** Kills a random worker and starts a replacement, without waiting until the replacement is ready. */
async function dieAnywhere(stage: Stage): Promise<boolean> {
  const { world } = stage;
  const candidates = () => world.fleet.alive().filter((worker) => !stage.spared.has(worker));
  // Waits for a worker that may be killed: when deaths come fast, all replacements may still be starting.
  if (!(await waitUntil(world, DEATH_TIMEOUT_MS, () => candidates().length > 0))) return false;
  const victim = candidates()[Math.floor(world.random() * candidates().length)];
  if (!victim) return false;
  await world.fleet.kill(victim);
  const replacement = world.fleet.start();
  replacement.catch(() => {});
  stage.replacements.push(replacement);
  return true;
}

async function dieInTurn(stage: Stage, plan: readonly Death[], leasesRunOut: boolean): Promise<void> {
  const { world, sleeper } = stage;
  let next = prepare(stage, plan[0]);
  for (const [position, { failpoint, restMs, pace }] of plan.entries()) {
    stage.pace = pace;
    await world.pause(restMs);
    const doomed = await next;
    next = prepare(stage, plan[position + 1]);
    const died = failpoint === undefined ? await dieAnywhere(stage) : await dieAtFailpoint(stage, failpoint, doomed);
    if (died) stage.deaths += 1;
    else world.faults.add(`no worker came to ${failpoint ?? 'its end'}`);
    if (pace < GENTLE || !leasesRunOut) await endLeases(world.drill.database, [...world.fleet.alive(), sleeper]);
    if ((position + 1) % TOLD_EVERY === 0) world.say(`${stage.deaths} of ${plan.length} deaths`);
  }
  await Promise.all(stage.replacements);
}

/** Pays invoices little by little for as long as workers die, and then all other invoices at once. */
async function feed(world: World, invoices: readonly DrillInvoice[], isOver: () => boolean): Promise<void> {
  let paid = 0;
  const atOnce = Math.max(1, Math.ceil(invoices.length / 150));
  while (paid < invoices.length && !isOver()) {
    payInvoices(world, invoices.slice(paid, paid + atOnce));
    paid += atOnce;
    await world.pause(FEED_MS);
  }
  payInvoices(world, invoices.slice(paid));
}

async function reorganise(world: World, everyMs: number, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    await world.pause(world.random() * 2 * everyMs);
    const symbol = world.symbols[Math.floor(world.random() * world.symbols.length)];
    if (symbol && !isOver()) requestReorg(world, symbol);
  }
}

/** Drops all leases while workers die fast, so that readers read the same blocks at once. */
async function raceReaders(stage: Stage, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    if (stage.pace === HEAVY) await dropLeases(stage.world.drill.database, [...stage.grantable]);
    await stage.world.pause(RACE_MS);
  }
}

async function placeAll(world: World, count: number): Promise<{ paid: DrillInvoice[]; unpaid: DrillInvoice[] }> {
  const end = (later: number) => nowSeconds(world) + (UNPAID_END_SECONDS + later) * world.factor;
  const orders = Array.from({ length: count }, (_unused, position) => drawOrder(world, position));
  const ending = Array.from({ length: Math.ceil(count * UNPAID_SHARE) }, (_unused, position): Order => ({
    ...drawOrder(world, position),
    endsAt: end(position % UNPAID_END_SECONDS),
  }));
  return { unpaid: await placeOrders(world, ending), paid: await placeOrders(world, orders) };
}

async function sleep(stage: Stage, sleepMs: number): Promise<void> {
  stage.grantable.delete(SLEEPING);
  try {
    await drillPausedWorker(stage.world, stage.sleeper, { network: SLEEPING, where: 'before its commit', ms: sleepMs });
  } finally {
    stage.grantable.add(SLEEPING);
  }
}

export async function drillDeaths(world: World, sizes: DeathSizes): Promise<PartFigures> {
  const { paid, unpaid } = await placeAll(world, sizes.invoices);
  world.say(`${paid.length} invoices will be paid, ${unpaid.length} will end unpaid`);
  const [sleeper] = world.fleet.alive();
  if (!sleeper) throw new Error('There is no worker to stop.');
  const stage: Stage = {
    world,
    grantable: new Set(world.symbols),
    sleeper,
    deaths: 0,
    pace: HEAVY,
    replacements: [],
    spared: new Set([sleeper]),
  };
  const depths = watchDepths(world);
  let over = false;
  const dying = dieInTurn(stage, planDeaths(world, sizes), sizes.leasesRunOut).finally(() => {
    over = true;
  });
  await Promise.all([
    dying,
    feed(world, paid, () => over),
    reorganise(world, sizes.reorgEveryMs, () => over),
    raceReaders(stage, () => over),
    sleep(stage, sizes.sleepMs),
  ]);
  const counts = sidesOf(world).map(({ driver }) => driver.counts());
  const sum = (pick: (one: (typeof counts)[number]) => number) => counts.reduce((all, one) => all + pick(one), 0);
  world.say(
    `${stage.deaths} deaths and ${sum((one) => one.reorgs)} reorganisations are over, which moved ` +
      `${sum((one) => one.moved)} payments and dropped ${sum((one) => one.dropped)}`,
  );
  const verdict = await settle(world, SETTLE_MS);
  for (const [symbol, shallow] of Object.entries(await depths.stop())) {
    const own = verdict.networks[symbol];
    if (own) own.double += shallow;
  }
  const figures = figuresOf(world, verdict, { deaths: stage.deaths });
  const payments = Object.values(figures.networks).reduce((all, own) => all + (own.payments ?? 0), 0);
  if (payments < paid.length) world.faults.add(`the chains show only ${payments} payments of ${paid.length}`);
  return figures;
}
