import { parseArgs } from 'node:util';
import type { Faults } from './concurrency-client.ts';
import { gatherFaults } from './concurrency-client.ts';
import type { DeathSizes } from './chain-deaths.ts';
import { drillDeaths } from './chain-deaths.ts';
import type { OutageSizes } from './chain-outage.ts';
import { drillOutage } from './chain-outage.ts';
import type { StaleSizes } from './chain-stale.ts';
import { drillStale } from './chain-stale.ts';
import type { World, WorldOptions } from './chain-world.ts';
import { withWorld } from './chain-world.ts';

/** Payments on real chains while nodes lie, fall silent and reorganise, and workers die; then the chain is asked. */

const KEYS = [
  'payments',
  'completed',
  'lost',
  'double',
  'false_expiries',
  'unexpired',
  'expiry_lag_p99_s',
  'stuck_processing',
  'ledger_imbalance',
  'events_missing',
  'events_double',
  'deaths',
  'reorgs',
  'stale_answers',
] as const;
type Key = (typeof KEYS)[number];
type Figures = Record<Key, number>;

/** None of these may ever be anything but zero. */
const ZEROS: readonly Key[] = [
  'lost',
  'double',
  'false_expiries',
  'unexpired',
  'stuck_processing',
  'ledger_imbalance',
  'events_missing',
  'events_double',
];
const MAX_EXPIRY_LAG_S = 5;
const MAX_FAULTS_SHOWN = 30;
const STOPPED_EXIT_CODE = 130;

type Sizes = {
  blockMs: number;
  workers: number;
  /** Where nodes lie about the newest blocks, payments must stand in many of them. */
  paymentsPerBlock: { stale: number; others: number };
  stale: StaleSizes;
  outage: OutageSizes;
  deaths: DeathSizes;
};

const QUICK: Sizes = {
  blockMs: 300,
  workers: 2,
  paymentsPerBlock: { stale: 3, others: 50 },
  stale: { payments: 150, sleepMs: 16_000 },
  outage: { invoices: 60, firstEndSeconds: 6, spreadSeconds: 2, due: 2_000, living: 60 },
  deaths: {
    invoices: 60,
    deaths: 10,
    sleepMs: 16_000,
    restsMs: [200, 600, 1_200],
    reorgEveryMs: 1_200,
    leasesRunOut: false,
  },
};
const FULL: Sizes = {
  blockMs: 400,
  workers: 3,
  paymentsPerBlock: { stale: 5, others: 50 },
  stale: { payments: 1_000, sleepMs: 30_000 },
  outage: { invoices: 300, firstEndSeconds: 15, spreadSeconds: 10, due: 10_000, living: 300 },
  deaths: {
    invoices: 500,
    deaths: 50,
    sleepMs: 30_000,
    restsMs: [500, 3_000, 8_000],
    reorgEveryMs: 2_500,
    leasesRunOut: true,
  },
};

type Part = { name: string; run: () => Promise<Partial<Figures>> };

type CommonOptions = Omit<WorldOptions, 'name' | 'balanced' | 'paymentsPerBlock'>;

function partsOf(sizes: Sizes, common: CommonOptions): Part[] {
  const part = (name: string, offset: number, drill: (world: World) => Promise<Partial<Figures>>): Part => {
    const balanced = name === 'stale';
    const paymentsPerBlock = balanced ? sizes.paymentsPerBlock.stale : sizes.paymentsPerBlock.others;
    const options = { ...common, name, balanced, paymentsPerBlock, seed: common.seed + offset };
    return {
      name,
      run: () =>
        withWorld(options, async (world) => {
          const figures = await drill(world);
          for (const [complaint, times] of world.fleet.complaints()) world.say(`${times} x logged: ${complaint}`);
          return figures;
        }),
    };
  };
  return [
    part('stale', 0, (world) => drillStale(world, sizes.stale)),
    part('outage', 1, (world) => drillOutage(world, sizes.outage)),
    part('deaths', 2, (world) => drillDeaths(world, sizes.deaths)),
  ];
}

class StoppedError extends Error {
  constructor(part: string) {
    super(`The part ${part} was stopped.`);
    this.name = 'StoppedError';
  }
}

/** A part that fails stops the others, and each cleans up before the failure is told. */
async function runParts(parts: readonly Part[], together: boolean, stop: AbortController): Promise<Partial<Figures>[]> {
  const runOne = async (part: Part) => {
    try {
      return await part.run();
    } catch (cause) {
      // The others end because of this one; only the first failure says why.
      const first = !stop.signal.aborted;
      stop.abort();
      if (first) throw new Error(`The part ${part.name} could not be drilled.`, { cause });
      throw new StoppedError(part.name);
    }
  };
  if (!together) {
    const done: Partial<Figures>[] = [];
    for (const part of parts) done.push(await runOne(part));
    return done;
  }
  const settled = await Promise.allSettled(parts.map(runOne));
  const failures = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason as Error] : []));
  const failure = failures.find((one) => !(one instanceof StoppedError)) ?? failures[0];
  if (failure) throw failure;
  return settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
}

function printTable(parts: readonly Part[], figures: readonly Partial<Figures>[], total: Figures): void {
  console.log(['', ...parts.map(({ name }) => name), 'all'].map((text) => text.padStart(18)).join(''));
  for (const key of KEYS) {
    const cells = [...figures.map((one) => one[key] ?? '-'), total[key]];
    console.log(key.padEnd(18) + cells.map((cell) => String(cell).padStart(18)).join(''));
  }
}

function addUp(figures: readonly Partial<Figures>[]): Figures {
  const sums = KEYS.map((key) => [key, figures.reduce((sum, one) => sum + (one[key] ?? 0), 0)]);
  return Object.fromEntries(sums) as Figures;
}

function printFaults(faults: Faults): void {
  const all = faults.all();
  for (const fault of all.slice(0, MAX_FAULTS_SHOWN)) console.log(`FAULT ${fault}`);
  if (all.length > MAX_FAULTS_SHOWN) console.log(`... and ${all.length - MAX_FAULTS_SHOWN} more faults`);
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      seed: { type: 'string', default: '1' },
      part: { type: 'string' },
    },
  });
  const seed = Number(values.seed);
  if (!Number.isSafeInteger(seed)) throw new Error('--seed must be a whole number.');
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort());
  const sizes = values.quick ? QUICK : FULL;
  const faults = gatherFaults();
  const { blockMs, workers } = sizes;
  const parts = partsOf(sizes, { seed, blockMs, workers, faults, signal: stop.signal }).filter(
    ({ name }) => values.part === undefined || values.part === name,
  );
  const started = performance.now();
  const figures = await runParts(parts, values.quick, stop);
  const total = addUp(figures);
  console.log(`seed ${seed}, ${Math.round((performance.now() - started) / 1000)} s`);
  printTable(parts, figures, total);
  printFaults(faults);
  const clean = ZEROS.every((key) => total[key] === 0) && total.expiry_lag_p99_s <= MAX_EXPIRY_LAG_S;
  if (!clean || faults.all().length > 0) process.exitCode = 1;
  console.log(JSON.stringify(total));
}

try {
  await main();
} catch (cause) {
  if (!(cause instanceof StoppedError)) throw cause;
  console.log(cause.message);
  process.exitCode = STOPPED_EXIT_CODE;
}
