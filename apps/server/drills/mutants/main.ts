import { parseArgs } from 'node:util';
import { readSeed } from '../../rig/report/drill-arguments.ts';
import type { Choice } from './choose-mutants.ts';
import { chooseByName, chooseChanged, draw } from './choose-mutants.ts';
import { compileEach, plant } from './copy.ts';
import { findFaults } from './find-faults.ts';
import { MUTANTS } from './list.ts';
import type { Mutant } from './mutant.ts';
import { recordSuites } from './generate/record-suites.ts';
import { runGenerated } from './generate/run-generated.ts';
import type { Room, Site } from './rooms.ts';
import { share, withRooms } from './rooms.ts';
import { withRunner } from './runner.ts';
import type { Verdict } from './verdict.ts';

/**
 * Plants bugs that would cost money, one at a time: the test that the list names for a bug must catch the bug.
 * `--changed` plants at most ten whose source or suite changed since the last full run, `--quick` draws ten at random,
 * `--quick --seed N` draws the same ones again, and `--only a,b` plants the bugs of these names.
 *
 * `--generate N --seed S` instead plants N generated mutations of the code that decides about money. `--record` records which
 * functions each test file calls (`--record --only a,b` only for these files), and the files that call a mutated function
 * are run against it: at most F of them with `--files F`, for a quick first pass.
 */

const NAME_WIDTH = 27;
const MAX_MESSAGE_CHARACTERS = 200;
/** Share of the generated mutations, without equivalent ones, that the tests must notice. */
const LEAST_KILLED = 0.9;

/** Sources that make the template database, which a runner makes once: a bug in them needs a runner of its own. */
const MAKES_TEMPLATE = /^src\/(db|jobs)\//;

type Result = { caught: boolean; line: string };

/** Suites whose tests do not pass before a bug is planted, with the reason: they prove nothing. */
async function findRed(site: Site, mutants: readonly Mutant[]): Promise<Map<string, string>> {
  const red = new Map<string, string>();
  let passed = 0;
  await share(site, [...Map.groupBy(mutants, ({ suite }) => suite)], async ({ run }, [suite, own]) => {
    const titles = [...new Set(own.map(({ title }) => title))];
    const verdict = await run({ suite, titles, changed: [] });
    if (verdict.kind === 'green') passed += verdict.passed;
    else red.set(suite, verdict.kind === 'failed' ? `${verdict.test}: ${verdict.message}` : verdict.reason);
  });
  console.log(`${'(nothing planted)'.padEnd(NAME_WIDTH)} ${passed} tests pass, ${red.size} suites do not`);
  return red;
}

/** Requires that planted bugs compile: a type error would fail every test and prove nothing. */
async function requireTypes({ folder }: Room, mutants: readonly Mutant[]): Promise<void> {
  const complaints = await compileEach(folder, mutants);
  if (complaints.length > 0) throw new Error(`These do not compile: ${complaints.join('; ')}`);
}

const firstLine = (text: string) => (text.split('\n')[0] ?? '').slice(0, MAX_MESSAGE_CHARACTERS);

function describeVerdict(verdict: Verdict): Result {
  switch (verdict.kind) {
    case 'failed':
      return { caught: true, line: `caught by ${verdict.test}: ${firstLine(verdict.message)}` };
    case 'green':
      return { caught: false, line: `NOT CAUGHT: ${verdict.passed} tests pass` };
    case 'broken':
      return { caught: false, line: `NOT CAUGHT: ${verdict.reason}` };
  }
}

async function tryMutant({ folder, run }: Room, mutant: Mutant): Promise<Result> {
  const { suite, title, edits } = mutant;
  const { paths, takeOut } = await plant(folder, mutant);
  try {
    const request = { suite, titles: [title], changed: paths };
    const needsOwn = edits.some(({ file }) => MAKES_TEMPLATE.test(file));
    return describeVerdict(needsOwn ? await withRunner(folder, (own) => own(request)) : await run(request));
  } finally {
    await takeOut();
  }
}

async function tryAll(site: Site, mutants: readonly Mutant[], red: ReadonlyMap<string, string>): Promise<number> {
  let caught = 0;
  await share(site, mutants, async (room, mutant) => {
    const started = performance.now();
    const reason = red.get(mutant.suite);
    const result =
      reason === undefined
        ? await tryMutant(room, mutant)
        : { caught: false, line: `NOT PLANTED: its suite fails without it: ${firstLine(reason)}` };
    if (result.caught) caught += 1;
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    console.log(`${mutant.name.padEnd(NAME_WIDTH)} ${`${seconds} s`.padStart(7)}  ${result.line}`);
  });
  return caught;
}

const { values } = parseArgs({
  options: {
    changed: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
    generate: { type: 'string' },
    files: { type: 'string' },
    record: { type: 'boolean', default: false },
  },
});

async function choose(): Promise<Choice & { alreadyGreen: boolean }> {
  const chosen = values.only === undefined ? MUTANTS : chooseByName(MUTANTS, values.only);
  // The gate, which asks for changed ones, has just run all suites.
  if (values.changed) return { ...(await chooseChanged(chosen)), alreadyGreen: true };
  if (!values.quick) return { mutants: chosen, why: 'all', alreadyGreen: false };
  const seed = readSeed(values.seed);
  return { mutants: draw(chosen, seed), why: `seed ${seed}`, alreadyGreen: false };
}

/**
 * A signal that a person sends to end the run. Tests that have started run to their end: killed, they would leave their
 * databases behind.
 */
function stopSignal(): AbortSignal {
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort());
  return stop.signal;
}

async function plantListed(): Promise<void> {
  const started = performance.now();
  const { mutants, why, alreadyGreen } = await choose();
  const faults = await findFaults(MUTANTS);
  if (faults.length > 0) throw new Error(`These rows are stale:\n${faults.join('\n')}`);
  console.log(`${mutants.length} of ${MUTANTS.length}: ${why}`);
  const signal = stopSignal();
  let caught = 0;
  if (mutants.length > 0)
    caught = await withRooms(async (rooms) => {
      const site = { rooms, signal };
      await requireTypes(rooms[0], mutants);
      return tryAll(site, mutants, alreadyGreen ? new Map() : await findRed(site, mutants));
    });
  if (signal.aborted) console.log('Stopped before the end.');
  if (caught !== mutants.length) process.exitCode = 1;
  console.log(`${Math.round((performance.now() - started) / 1000)} s`);
  console.log(JSON.stringify({ planted: mutants.length, caught }));
}

function readPositive(name: string, text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1) throw new Error(`--${name} must be a positive whole number.`);
  return value;
}

async function plantGenerated(count: number): Promise<void> {
  const files = values.files === undefined ? undefined : readPositive('files', values.files);
  const signal = stopSignal();
  const seed = readSeed(values.seed);
  const figures = await withRooms((rooms) =>
    runGenerated({ rooms, signal }, { count, seed, files }, (line) => console.log(line)),
  );
  if (figures.generated < count) console.log('Stopped before the end; the next run with this seed continues.');
  const isMet = figures.killed >= LEAST_KILLED * (figures.generated - figures.equivalent);
  if (!isMet || figures.generated < count) process.exitCode = 1;
  console.log(JSON.stringify(figures));
}

if (values.record) console.log(`${await recordSuites(stopSignal(), values.only?.split(','))} test files are recorded`);
else if (values.generate === undefined) await plantListed();
else await plantGenerated(readPositive('generate', values.generate));
