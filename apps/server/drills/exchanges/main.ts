import type { Faults } from '../../rig/report/faults.ts';
import { describeFaults, gatherFaults } from '../../rig/report/faults.ts';
import { readDrillArguments } from '../../rig/report/drill-arguments.ts';
import type { CalmSizes } from './calm.ts';
import { drillCalm } from './calm.ts';
import type { FaultySizes } from './faulty.ts';
import { drillFaulty } from './faulty.ts';
import type { HeldSizes } from './held.ts';
import { drillHeld } from './held.ts';
import type { Parts } from './figures.ts';
import { addUp, judgeFigures } from './figures.ts';
import type { WorldOptions } from './world.ts';
import { withWorld } from './world.ts';

/**
 * Drills payments into exchange accounts: real workers against fake platforms that serve rows twice, late or not at
 * all, limit, ban, fail, and take payments back, while workers are killed. Then the drill compares the recorded rows
 * with the payments made. A calm part measures how soon a payment is seen; in a third part hours pass.
 */

type Common = Pick<WorldOptions, 'rate' | 'accounts' | 'workers' | 'pollMs'>;
type Sizes = {
  faulty: { world: Common; sizes: FaultySizes };
  calm: { world: Common; sizes: CalmSizes };
  held: { world: Common; sizes: HeldSizes };
  least: { payments: number; deaths: number };
};

const QUICK: Sizes = {
  faulty: {
    world: { rate: 60, accounts: 16, workers: 2, pollMs: 250 },
    sizes: {
      mix: {
        plain: 12,
        second: 4,
        pending: 4,
        failed: 4,
        repaid: 4,
        refunded: 4,
        hidden: 4,
        delayed: 6,
        lateByMinutes: 4,
        lateByHours: 4,
        unpaid: 4,
        short: 2,
        over: 2,
        foreign: 2,
        fromChain: 2,
      },
      overMs: 4_000,
      rounds: 1,
      deaths: { atFailpoints: 4, anywhere: 2, restMs: 200, claimsRunOut: false },
      settleMs: 60_000,
    },
  },
  calm: { world: { rate: 1, accounts: 40, workers: 2 }, sizes: { payments: 40, overMs: 3_000 } },
  held: {
    world: { rate: 1_200, accounts: 12, workers: 2, pollMs: 250 },
    sizes: { held: 3, heldAndFailed: 1, plain: 2, settleMs: 60_000 },
  },
  least: { payments: 80, deaths: 6 },
};

const FULL: Sizes = {
  faulty: {
    world: { rate: 20, accounts: 100, workers: 3, pollMs: 1_000 },
    sizes: {
      mix: {
        plain: 260,
        second: 60,
        pending: 60,
        failed: 24,
        repaid: 40,
        refunded: 40,
        hidden: 40,
        delayed: 60,
        lateByMinutes: 24,
        lateByTwoHours: 8,
        lateByHours: 16,
        unpaid: 40,
        short: 20,
        over: 20,
        foreign: 10,
        fromChain: 10,
      },
      overMs: 120_000,
      rounds: 2,
      deaths: { atFailpoints: 21, anywhere: 21, restMs: 3_000, claimsRunOut: true },
      settleMs: 300_000,
    },
  },
  calm: { world: { rate: 1, accounts: 100, workers: 2 }, sizes: { payments: 300, overMs: 60_000 } },
  held: {
    world: { rate: 300, accounts: 24, workers: 2, pollMs: 500 },
    sizes: { held: 20, heldAndFailed: 8, plain: 20, settleMs: 300_000 },
  },
  least: { payments: 500, deaths: 42 },
};

type PartOptions = { seed: number; faults: Faults; signal: AbortSignal };

async function runParts(sizes: Sizes, part: string | undefined, common: PartOptions): Promise<Parts> {
  const { faulty, calm, held } = sizes;
  const runs = (name: string) => part === undefined || part === name;
  return {
    calm: runs('calm')
      ? await withWorld({ ...common, ...calm.world, name: 'calm' }, (world) => drillCalm(world, calm.sizes))
      : undefined,
    faulty: runs('faulty')
      ? await withWorld({ ...common, ...faulty.world, name: 'faulty' }, async (world) => {
          const figures = await drillFaulty(world, faulty.sizes);
          for (const [complaint, times] of world.fleet.complaints()) world.say(`${times} x logged: ${complaint}`);
          return figures;
        })
      : undefined,
    held: runs('held')
      ? await withWorld({ ...common, ...held.world, name: 'held' }, (world) => drillHeld(world, held.sizes))
      : undefined,
  };
}

const { quick, seed, part } = readDrillArguments();
console.log(`seed ${seed}`);
if (part !== undefined && !['calm', 'faulty', 'held'].includes(part)) throw new Error(`There is no part ${part}.`);
const stop = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort());
const faults = gatherFaults();
const sizes = quick ? QUICK : FULL;
const started = performance.now();
const parts = await runParts(sizes, part, { seed, faults, signal: stop.signal });
const figures = addUp(parts);
console.log(`${Math.round((performance.now() - started) / 1_000)} s`);
for (const line of describeFaults(faults)) console.log(line);
const reasons = judgeFigures(figures, parts, part === undefined ? sizes.least : { payments: 1, deaths: 0 }, faults);
for (const reason of reasons) console.log(`FAILED: ${reason}`);
if (reasons.length > 0) process.exitCode = 1;
console.log(JSON.stringify(figures));
