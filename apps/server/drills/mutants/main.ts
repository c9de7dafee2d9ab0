import { randomInt } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { seededNumbers } from '../../rig/fakes/seeded-numbers.ts';
import { compileEach, findStale, plant, takeOut, withCopy } from './copy.ts';
import { MUTANTS } from './list.ts';
import type { Mutant } from './mutant.ts';
import type { Verdict } from './suites.ts';
import { runSuites } from './suites.ts';

/**
 * Plants bugs that would cost money, one at a time: the test that the list names for a bug must catch the bug.
 * `--quick` draws a few bugs at random, `--seed N` draws the same bugs again, `--only a,b` plants the bugs of these
 * names.
 */

const AT_ONCE = 2;
const QUICK_MUTANTS = 10;
const MAX_SEED = 2 ** 31;
const NAME_WIDTH = 27;

type Result = { caught: boolean; line: string };

/** Requires that all tests pass before a bug is planted: a test that fails without a bug proves nothing. */
async function checkUnplanted(folder: string, mutants: readonly Mutant[]): Promise<void> {
  const verdict = await runSuites({ folder, suites: mutants, workers: AT_ONCE });
  if (verdict.kind === 'failed') throw new Error(`A test fails before anything is planted: ${verdict.test}`);
  if (verdict.kind === 'broken') throw new Error(`The suites do not run: ${verdict.reason}`);
  console.log(`${'(nothing planted)'.padEnd(NAME_WIDTH)} ${verdict.passed} tests pass`);
}

function describeVerdict(verdict: Verdict): Result {
  switch (verdict.kind) {
    case 'failed':
      return { caught: true, line: `caught by ${verdict.test}` };
    case 'green':
      return { caught: false, line: `NOT CAUGHT: ${verdict.passed} tests pass` };
    case 'broken':
      return { caught: false, line: `NOT CAUGHT: ${verdict.reason}` };
  }
}

async function tryMutant(folder: string, mutant: Mutant): Promise<Result> {
  const misfit = await plant(folder, mutant.name);
  if (misfit !== undefined) return { caught: false, line: `NOT PLANTED: ${misfit}` };
  try {
    return describeVerdict(await runSuites({ folder, suites: [mutant], workers: 1 }));
  } finally {
    await takeOut(folder, mutant.name);
  }
}

/** Tries several bugs at once, each in its own copy. */
async function tryAll(folders: readonly string[], mutants: readonly Mutant[], signal: AbortSignal): Promise<number> {
  const left = [...mutants];
  let caught = 0;
  const work = async (folder: string) => {
    for (let mutant = left.shift(); mutant && !signal.aborted; mutant = left.shift()) {
      const started = performance.now();
      const result = await tryMutant(folder, mutant);
      if (result.caught) caught += 1;
      const seconds = Math.round((performance.now() - started) / 1000);
      console.log(`${mutant.name.padEnd(NAME_WIDTH)} ${`${seconds} s`.padStart(5)}  ${result.line}`);
    }
  };
  await Promise.all(folders.map(work));
  return caught;
}

/**
 * Requires that all patches apply, also those not planted now, so that a change that makes a patch stale is noticed.
 */
async function requireFresh(folder: string): Promise<void> {
  const stale = await findStale(
    folder,
    MUTANTS.map(({ name }) => name),
  );
  if (stale.length > 0) throw new Error(`These patches are stale: ${stale.join('; ')}`);
}

/** Requires that planted bugs compile: a type error would fail every test and prove nothing. */
async function requireTypes(folder: string, mutants: readonly Mutant[]): Promise<void> {
  const complaints = await compileEach(
    folder,
    mutants.map(({ name }) => name),
  );
  if (complaints.length > 0) throw new Error(`These do not compile: ${complaints.join('; ')}`);
}

/** Requires that every patch is in the list: a bug that is never planted would be taken for caught. */
async function requireEveryPatch(): Promise<void> {
  const patches = (await readdir(import.meta.dirname)).filter((name) => name.endsWith('.patch'));
  const planted = new Set(MUTANTS.map(({ name }) => `${name}.patch`));
  const odd = patches.filter((patch) => !planted.has(patch));
  if (odd.length > 0) throw new Error(`Nobody plants ${odd.join(', ')}.`);
}

function draw(mutants: readonly Mutant[], count: number, seed: number): Mutant[] {
  const next = seededNumbers(seed);
  return mutants
    .map((mutant) => ({ mutant, place: next() }))
    .toSorted((left, right) => left.place - right.place)
    .slice(0, count)
    .map(({ mutant }) => mutant);
}

function choose(only: string): Mutant[] {
  const names = only.split(',');
  const unknown = names.filter((name) => !MUTANTS.some((mutant) => mutant.name === name));
  if (unknown.length > 0) throw new Error(`No mutant is called ${unknown.join(', ')}.`);
  return MUTANTS.filter(({ name }) => names.includes(name));
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { quick: { type: 'boolean', default: false }, seed: { type: 'string' }, only: { type: 'string' } },
  });
  await requireEveryPatch();
  const seed = values.seed === undefined ? randomInt(MAX_SEED) : Number(values.seed);
  if (!Number.isSafeInteger(seed)) throw new Error('--seed must be a whole number.');
  const chosen = values.only === undefined ? MUTANTS : choose(values.only);
  const mutants = values.quick ? draw(chosen, QUICK_MUTANTS, seed) : chosen;
  if (values.quick) console.log(`seed ${seed}: ${mutants.length} of ${chosen.length}`);
  // Suites that have started run to their end even after a signal: if killed, they would leave their databases behind.
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort());
  const started = performance.now();
  const caught = await withCopy((first) =>
    withCopy(async (second) => {
      await requireFresh(first);
      await checkUnplanted(first, mutants);
      if (!values.quick) await requireTypes(second, mutants);
      return tryAll([first, second], mutants, stop.signal);
    }),
  );
  if (stop.signal.aborted) console.log('Stopped before the end.');
  if (caught !== mutants.length) process.exitCode = 1;
  console.log(`${Math.round((performance.now() - started) / 1000)} s`);
  console.log(JSON.stringify({ planted: mutants.length, caught }));
}

await main();
