import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { compile, plant, withCopy } from './mutant-copy.ts';
import type { Verdict } from './mutant-suites.ts';
import { runSuites } from './mutant-suites.ts';

/** Bugs that would cost somebody money, planted one at a time: the suites must see each of them. */

type Mutant = {
  name: string;
  /** The file that tells it soonest. */
  first: string;
  /** Where its other tests stand. */
  folder: string;
};

const MUTANTS: readonly Mutant[] = [
  { name: 'coverage-equal', first: 'test/engine/mutant-expiry.test.ts', folder: 'src/invoices' },
  { name: 'header-not-linked', first: 'test/engine/mutant-reading.test.ts', folder: 'src/transfers' },
  { name: 'identity-by-tx', first: 'src/transfers/sources/evm/evm-decode.test.ts', folder: 'src/transfers' },
  { name: 'event-outside-transaction', first: 'test/engine/mutant-commit.test.ts', folder: 'src/invoices' },
  { name: 'slot-released-early', first: 'test/engine/mutant-expiry.test.ts', folder: 'src/invoices' },
  { name: 'stale-watch-set', first: 'test/engine/mutant-reading.test.ts', folder: 'src/transfers' },
  { name: 'facts-before-coverage', first: 'test/engine/mutant-expiry.test.ts', folder: 'src/invoices' },
  { name: 'double-capture', first: 'test/engine/mutant-commit.test.ts', folder: 'src/invoices' },
  { name: 'attach-without-lock', first: 'test/engine/mutant-races.test.ts', folder: 'src/invoices' },
  { name: 'rescan-without-lock', first: 'test/engine/mutant-races.test.ts', folder: 'src/transfers' },
  { name: 'other-is-not-gone', first: 'test/engine/mutant-races.test.ts', folder: 'src/invoices' },
  { name: 'revert-at-ancestor', first: 'test/engine/mutant-races.test.ts', folder: 'src/transfers' },
  { name: 'reincluded-keeps-time', first: 'test/engine/mutant-races.test.ts', folder: 'src/transfers' },
  { name: 'pending-forgets', first: 'test/engine/frozen.test.ts', folder: 'src/invoices' },
  { name: 'overdraft-stays', first: 'src/ledger/hold-store.test.ts', folder: 'src/ledger' },
];
const ENGINE_SUITES = 'test/engine';
const LEDGER_SUITES = 'src/ledger';
const AT_ONCE = 2;
const NAME_WIDTH = 27;

/** Suites that have begun run to their end also when we are told to stop: killed, they would leave their databases. */
type Options = { quick: boolean; signal: AbortSignal };
type Result = { caught: boolean; line: string };

const suitesOf = ({ folder }: Mutant) => [ENGINE_SUITES, folder, LEDGER_SUITES];

/** What fails without a bug catches none. */
async function checkUnplanted(mutants: readonly Mutant[], { quick }: Options): Promise<string | undefined> {
  return withCopy(async (folder) => {
    const complaint = quick ? undefined : await compile(folder);
    if (complaint !== undefined) return `it does not compile: ${complaint}`;
    const paths = new Set(mutants.flatMap((mutant) => (quick ? [mutant.first] : [mutant.first, ...suitesOf(mutant)])));
    const verdict = await runSuites({ folder, paths: [...paths], stopAtFirst: true, workers: AT_ONCE });
    if (verdict.kind === 'failed') return verdict.test;
    if (verdict.kind === 'broken') return verdict.reason;
    console.log(`${'(nothing planted)'.padEnd(NAME_WIDTH)} ${verdict.passed} tests pass`);
    return undefined;
  });
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

async function tryMutant(mutant: Mutant, { quick }: Options): Promise<Result> {
  return withCopy(async (folder) => {
    const misfit = await plant(folder, mutant.name);
    if (misfit !== undefined) return { caught: false, line: `NOT PLANTED, the patch is stale: ${misfit}` };
    const complaint = quick ? undefined : await compile(folder);
    if (complaint !== undefined) return { caught: false, line: `NOT PLANTED, it does not compile: ${complaint}` };
    const run = { folder, stopAtFirst: true, workers: 1 };
    const verdict = await runSuites({ ...run, paths: [mutant.first] });
    if (quick || verdict.kind !== 'green') return describeVerdict(verdict);
    return describeVerdict(await runSuites({ ...run, paths: suitesOf(mutant), except: [mutant.first] }));
  });
}

async function tryAll(mutants: readonly Mutant[], options: Options): Promise<number> {
  const left = [...mutants];
  let caught = 0;
  const work = async () => {
    for (let mutant = left.shift(); mutant && !options.signal.aborted; mutant = left.shift()) {
      const result = await tryMutant(mutant, options);
      if (result.caught) caught += 1;
      console.log(`${mutant.name.padEnd(NAME_WIDTH)} ${result.line}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return caught;
}

/** A patch that nobody plants would be taken for one that is caught. */
async function requireEveryPatch(): Promise<void> {
  const patches = await readdir(join(import.meta.dirname, 'mutants'));
  const planted = new Set(MUTANTS.map(({ name }) => `${name}.patch`));
  const odd = patches.filter((patch) => !planted.has(patch));
  if (odd.length > 0) throw new Error(`Nobody plants ${odd.join(', ')}.`);
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { quick: { type: 'boolean', default: false }, only: { type: 'string' } },
  });
  await requireEveryPatch();
  const mutants = MUTANTS.filter(({ name }) => values.only === undefined || values.only === name);
  if (mutants.length === 0) throw new Error(`--only takes one of ${MUTANTS.map(({ name }) => name).join(', ')}.`);
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort());
  const options = { quick: values.quick, signal: stop.signal };
  const fault = await checkUnplanted(mutants, options);
  if (fault !== undefined) {
    console.log(`The suites fail before anything is planted: ${fault}`);
    process.exitCode = 1;
    return;
  }
  const caught = await tryAll(mutants, options);
  if (stop.signal.aborted) console.log('Stopped before the end.');
  if (caught !== mutants.length) process.exitCode = 1;
  console.log(JSON.stringify({ planted: mutants.length, caught }));
}

await main();
