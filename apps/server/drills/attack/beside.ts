import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { median, percentile } from '../../rig/report/percentile.ts';
import { steadyClock } from '../../src/lib/clock.ts';
import { sleep } from '../../src/lib/loop.ts';
import type { ShotCounts, ShotPlan } from './shots.ts';

/** What a neighbour sees of a flood: how long their own requests take before it and during it. */

/** Keeps the neighbour below the calls a minute that the dashboard answers to one address. */
const PAUSE_MS = 60;
/** A flood is repeated, and its time is the median of all rounds: one slow answer is the 99th percentile of a short one. */
export const ROUNDS = 3;
const NOBODY = new AbortController().signal;
/** A flood may slow a neighbour down, but not to more than this many times their quiet time, or this many milliseconds. */
const LIMIT = { times: 5, leastMs: 500 };

type Seen = { asked: number; errors: number; p99Ms: number };

/** What a neighbour saw of one flood. `share` of the limit: above 1 the flood harms. */
export type Beside = {
  part: string;
  quiet_p99_ms: number;
  p99_ms: number;
  errors: number;
  asked: number;
  share: number;
};

/** Something that a neighbour does again and again; false when it was refused. */
export type Act = () => Promise<boolean>;

/** Acts one after another until `until` settles. */
async function actUntil(acts: readonly Act[], until: Promise<unknown>): Promise<Seen> {
  const stop = new AbortController();
  const over = until.finally(() => stop.abort());
  const taken: number[] = [];
  let errors = 0;
  for (let turn = 0; !stop.signal.aborted; turn += 1) {
    const startedMs = steadyClock.nowMs();
    const done = await acts[turn % acts.length]?.().catch(() => false);
    taken.push(steadyClock.nowMs() - startedMs);
    if (done !== true) errors += 1;
    await sleep(PAUSE_MS, stop.signal);
  }
  await over;
  return { asked: taken.length, errors, p99Ms: percentile(taken, 0.99, 0) };
}

export type FloodPart = {
  part: string;
  acts: readonly Act[];
  /** Begins the flood of a round; settles to what it counted. */
  flood: (round: number) => Promise<unknown>;
};

/** The share of its limit that a neighbour's time has. */
export const shareOfLimit = (quietMs: number, ms: number) =>
  Math.round((100 * ms) / Math.max(LIMIT.leastMs, LIMIT.times * quietMs)) / 100;

const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0);

export async function measureBeside({ part, acts, flood }: FloodPart, seconds: number): Promise<Beside> {
  const quiet = await actUntil(acts, sleep(seconds * 1_000, NOBODY));
  const rounds: Seen[] = [];
  const told: string[] = [];
  while (rounds.length < ROUNDS) {
    const flooding = flood(rounds.length);
    rounds.push(await actUntil(acts, flooding));
    told.push(JSON.stringify(await flooding));
  }
  const p99Ms = median(rounds.map((one) => one.p99Ms));
  const seen = {
    quiet_p99_ms: Math.round(quiet.p99Ms),
    p99_ms: Math.round(p99Ms),
    errors: sum([quiet, ...rounds].map((one) => one.errors)),
    asked: sum(rounds.map((one) => one.asked)),
  };
  console.log(
    `${part.padEnd(34)} neighbour: ${seen.asked} asked, ${seen.errors} errors, p99 ${seen.quiet_p99_ms} -> ${seen.p99_ms} ms; ${told.join(' ')}`,
  );
  return { part, ...seen, share: shareOfLimit(quiet.p99Ms, p99Ms) };
}

/** Sends a flood of requests from a process of its own. */
export async function shootFrom(plan: ShotPlan): Promise<ShotCounts> {
  const shooter = fork(fileURLToPath(new URL('./shots.ts', import.meta.url)));
  const ended = once(shooter, 'exit');
  shooter.send(plan);
  const died = ended.then(() => {
    throw new Error('The process of a flood ended without its counts.');
  });
  const [counts] = (await Promise.race([once(shooter, 'message'), died])) as [ShotCounts];
  died.catch(() => undefined);
  shooter.disconnect();
  await ended;
  return counts;
}

/** The part in which a neighbour saw most of the flood; errors weigh more than time. */
export function worstOf(parts: readonly Beside[]): Beside {
  const [worst] = parts.toSorted((left, right) => right.errors - left.errors || right.share - left.share);
  if (!worst) throw new Error('No flood was measured.');
  return worst;
}
