import { CHAIN_NETWORKS } from '../../src/networks/chain-networks.ts';
import type { Faults } from '../../rig/report/faults.ts';
import { describeFaults, gatherFaults } from '../../rig/report/faults.ts';
import { readDrillArguments } from '../../rig/report/drill-arguments.ts';
import type { CalmSizes } from './calm.ts';
import { drillCalm } from './calm.ts';
import type { DeathSizes } from './deaths.ts';
import { drillDeaths } from './deaths.ts';
import type { Key, PartFigures, Promised } from '../../rig/report/chain-figures.ts';
import { addUp, judgeTotals, describeTotals } from '../../rig/report/chain-figures.ts';
import type { FrozenSizes } from './frozen.ts';
import { drillFrozen } from './frozen.ts';
import type { HardestSizes } from './hardest.ts';
import { drillHardest } from './hardest.ts';
import type { OutageSizes } from './outage.ts';
import { drillOutage } from './outage.ts';
import type { PairsSizes } from './pairs.ts';
import { drillPairs } from './pairs.ts';
import type { StaleSizes } from './stale.ts';
import { drillStale } from './stale.ts';
import type { World, WorldOptions } from './world.ts';
import { withWorld } from './world.ts';

/**
 * Drills payments on nine simulated networks while providers give wrong answers or none, chains have reorgs, database
 * connections die and workers are killed; then compares the database's rows with the chains.
 */

const STOPPED_EXIT_CODE = 130;

type Common = Pick<
  WorldOptions,
  'networks' | 'factor' | 'mostSettleSeconds' | 'paymentsPerBlock' | 'workers' | 'pollMs' | 'dyingLine' | 'providers'
>;
type Sized<Own> = { world: Common; sizes: Own };
type Sizes = {
  stale: Sized<StaleSizes>;
  pairs: Sized<PairsSizes>;
  outage: Sized<OutageSizes>;
  deaths: Sized<DeathSizes>;
  calm: Sized<CalmSizes>;
  frozen: Sized<FrozenSizes>;
  hardest: Sized<HardestSizes>;
};
type PartName = keyof Sizes;

const NINE = CHAIN_NETWORKS.map(({ id }) => id);
/** A network of each of three kinds: final within seconds, settled by confirmations, and with reorgs of minutes. */
const THREE = ['BSC', 'ETH', 'OPTIMISM'];
const QUICK_FINAL = ['BSC', 'POLYGON'];
/** Options for parts of the drill in which chains and workers run at the real pace. */
const REAL = { factor: 1, mostSettleSeconds: 200, workers: 2 };

const QUICK_WORLD = { factor: 20, mostSettleSeconds: 240, workers: 2, pollMs: 200 };
/** Pace of all nine networks together: as fast as two cores can read. */
const NINE_WORLD = { factor: 5, networks: NINE, pollMs: 400 };
const QUICK: Sizes = {
  stale: {
    world: { ...QUICK_WORLD, ...NINE_WORLD, paymentsPerBlock: 4 },
    sizes: { payments: 4, briefSeconds: 10, sleepMs: 16_000 },
  },
  pairs: {
    world: { ...QUICK_WORLD, ...NINE_WORLD, paymentsPerBlock: 4, providers: 2 },
    sizes: { payments: 2, briefSeconds: 20 },
  },
  outage: {
    world: { ...QUICK_WORLD, networks: ['BSC', 'ETH'], paymentsPerBlock: 50, dyingLine: true },
    sizes: { invoices: 60, firstEndSeconds: 8, spreadSeconds: 2, due: 2_000, living: 60 },
  },
  deaths: {
    world: { ...QUICK_WORLD, networks: THREE, paymentsPerBlock: 50 },
    sizes: {
      invoices: 60,
      deaths: 10,
      sleepMs: 16_000,
      restsMs: [200, 600, 1_200],
      reorgEveryMs: 1_200,
      leasesRunOut: false,
    },
  },
  calm: { world: { ...REAL, networks: NINE, paymentsPerBlock: 2 }, sizes: { payments: 3 } },
  frozen: { world: { ...REAL, networks: NINE, paymentsPerBlock: 2, providers: 2 }, sizes: { payments: 2 } },
  hardest: {
    world: { ...REAL, networks: QUICK_FINAL, paymentsPerBlock: 3 },
    sizes: { payments: 120, unpaid: 24, paymentsPerBlock: 3 },
  },
};

const FULL_WORLD = { factor: 10, mostSettleSeconds: 240, workers: 3, pollMs: 200 };
const FULL: Sizes = {
  stale: {
    world: { ...FULL_WORLD, ...NINE_WORLD, mostSettleSeconds: 1_300, paymentsPerBlock: 6 },
    sizes: { payments: 80, briefSeconds: 90, sleepMs: 30_000 },
  },
  pairs: {
    world: { ...FULL_WORLD, ...NINE_WORLD, paymentsPerBlock: 6, providers: 2 },
    sizes: { payments: 20, briefSeconds: 25 },
  },
  outage: {
    world: { ...FULL_WORLD, ...NINE_WORLD, paymentsPerBlock: 50, dyingLine: true },
    sizes: { invoices: 300, firstEndSeconds: 15, spreadSeconds: 10, due: 10_000, living: 300 },
  },
  deaths: {
    world: { ...FULL_WORLD, networks: THREE, paymentsPerBlock: 50 },
    sizes: {
      invoices: 500,
      deaths: 50,
      sleepMs: 30_000,
      restsMs: [500, 3_000, 8_000],
      reorgEveryMs: 2_500,
      leasesRunOut: true,
    },
  },
  calm: { world: { ...REAL, networks: NINE, paymentsPerBlock: 3 }, sizes: { payments: 30 } },
  frozen: { world: { ...REAL, networks: NINE, paymentsPerBlock: 3, providers: 2 }, sizes: { payments: 8 } },
  hardest: {
    world: { ...REAL, networks: QUICK_FINAL, paymentsPerBlock: 6 },
    sizes: { payments: 1_000, unpaid: 200, paymentsPerBlock: 6 },
  },
};

/** Faults that each part must have caused. */
const PROMISED_FAULTS: Record<PartName, readonly Key[]> = {
  stale: ['stale_answers', 'index_lag_faults', 'phantom_faults', 'limit_refusals', 'frozen_heads', 'duplicate_logs'],
  pairs: ['slow_clocks', 'common_holes'],
  outage: ['silent_lines'],
  deaths: ['deaths', 'reorgs'],
  calm: [],
  frozen: ['frozen_heads'],
  hardest: ['index_lag_faults'],
};
const FULL_PAYMENTS = { each: 300, all: 4_000 };
const NO_PAYMENTS = { each: 0, all: 0 };

type Part = { name: PartName; run: () => Promise<PartFigures> };

function partsOf(sizes: Sizes, common: { seed: number; faults: Faults; signal: AbortSignal }): Part[] {
  const part = (name: PartName, drill: (world: World) => Promise<PartFigures>): Part => ({
    name,
    run: () =>
      withWorld({ ...common, ...sizes[name].world, name }, async (world) => {
        const figures = await drill(world);
        for (const [complaint, times] of world.fleet.complaints()) world.say(`${times} x logged: ${complaint}`);
        return figures;
      }),
  });
  return [
    part('stale', (world) => drillStale(world, sizes.stale.sizes)),
    part('pairs', (world) => drillPairs(world, sizes.pairs.sizes)),
    part('outage', (world) => drillOutage(world, sizes.outage.sizes)),
    part('deaths', (world) => drillDeaths(world, sizes.deaths.sizes)),
    part('hardest', (world) => drillHardest(world, sizes.hardest.sizes)),
    part('frozen', (world) => drillFrozen(world, sizes.frozen.sizes)),
    part('calm', (world) => drillCalm(world, sizes.calm.sizes)),
  ];
}

/** Parts in real time, which cannot be made quick: they run only in the full drill or by name. */
const IN_REAL_TIME: ReadonlySet<PartName> = new Set<PartName>(['hardest', 'calm', 'frozen']);
/** Parts whose figures include a time: they run alone, or the figure would tell how busy the other parts are. */
const TIMED: ReadonlySet<PartName> = new Set<PartName>(['pairs', 'outage']);

class StoppedError extends Error {
  constructor(part: string) {
    super(`The part ${part} was stopped.`);
    this.name = 'StoppedError';
  }
}

/**
 * Runs parts of the drill together. A part that fails stops the others, and each part cleans up before the failure is
 * thrown.
 */
async function runTogether(parts: readonly Part[], stop: AbortController): Promise<PartFigures[]> {
  const runOne = async (part: Part) => {
    try {
      return await part.run();
    } catch (cause) {
      // The first part that fails is reported as the cause; all other parts end because they are stopped, and are
      // reported as stopped.
      const first = !stop.signal.aborted;
      stop.abort();
      if (first) throw new Error(`The part ${part.name} could not be drilled.`, { cause });
      throw new StoppedError(part.name);
    }
  };
  const settled = await Promise.allSettled(parts.map(runOne));
  const failures = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason as Error] : []));
  const failure = failures.find((one) => !(one instanceof StoppedError)) ?? failures[0];
  if (failure) throw failure;
  return settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
}

/**
 * Groups of parts: those of a group run together, the groups one after another. The quick drill runs all parts together,
 * then the timed ones alone; the full drill runs each part alone, then the real-time parts, which mostly wait, together.
 */
function groupParts(parts: readonly Part[], quick: boolean): Part[][] {
  const alone = parts.filter(({ name }) => (quick ? TIMED.has(name) : !IN_REAL_TIME.has(name)));
  const together = parts.filter((part) => !alone.includes(part));
  const single = alone.map((part) => [part]);
  return quick ? [together, ...single] : [...single, together];
}

async function runParts(parts: readonly Part[], quick: boolean, stop: AbortController): Promise<PartFigures[]> {
  const done: PartFigures[] = [];
  for (const group of groupParts(parts, quick)) done.push(...(await runTogether(group, stop)));
  return done;
}

async function main(): Promise<void> {
  const { quick, seed, part } = readDrillArguments();
  console.log(`seed ${seed}`);
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort());
  const faults = gatherFaults();
  const all = partsOf(quick ? QUICK : FULL, { seed, faults, signal: stop.signal });
  const parts = all.filter(({ name }) => (part === undefined ? !(quick && IN_REAL_TIME.has(name)) : name === part));
  if (parts.length === 0) throw new Error(`There is no part ${part}.`);
  const started = performance.now();
  const totals = addUp(await runParts(parts, quick, stop));
  console.log(`${Math.round((performance.now() - started) / 1000)} s`);
  for (const line of describeTotals(totals)) console.log(line);
  for (const line of describeFaults(faults)) console.log(line);
  const promised: Promised = {
    faults: parts.flatMap(({ name }) => PROMISED_FAULTS[name]),
    payments: quick || part !== undefined ? NO_PAYMENTS : FULL_PAYMENTS,
  };
  const reasons = judgeTotals(totals, promised, faults);
  for (const reason of reasons) console.log(`FAILED: ${reason}`);
  if (reasons.length > 0) process.exitCode = 1;
  console.log(JSON.stringify({ ...totals.all, ...totals.more }));
}

try {
  await main();
} catch (cause) {
  if (!(cause instanceof StoppedError)) throw cause;
  console.log(cause.message);
  process.exitCode = STOPPED_EXIT_CODE;
}
