import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileEach, plant } from '../copy.ts';
import type { Mutant } from '../mutant.ts';
import type { Room, Site } from '../rooms.ts';
import type { Run } from '../runner.ts';
import { NO_VERDICT, RUN_TIMEOUT_MS } from '../runner.ts';
import type { Request } from '../verdict.ts';
import { share } from '../rooms.ts';
import { chooseSuites } from '../../../rig/mutants/choose-suites.ts';
import { editOf, nameOf, orderMutations } from '../../../rig/mutants/draw-mutations.ts';
import { EQUIVALENTS } from './equivalents.ts';
import { listMutations } from './list-mutations.ts';
import type { Mutation } from '../../../rig/mutants/mutation.ts';
import { keyOf } from '../../../rig/mutants/mutation.ts';
import type { Outcome, Progress } from './progress.ts';
import { readProgress, saveProgress } from './progress.ts';
import type { CallRecord } from '../../../rig/mutants/recorded-calls.ts';
import { readRecords } from '../../../rig/mutants/recorded-calls.ts';

/**
 * Plants generated mutations, and runs the test files against each that call the mutated code: one of them must fail.
 * A mutation that does not compile is replaced by the next. Results are kept: a stopped run continues, and a survivor is
 * tried again only with test files that are new or have changed.
 */

type Survivor = { place: string; kind: string; mutated: string; suites: number };
type Figures = {
  seed: number;
  generated: number;
  equivalent: number;
  killed: number;
  survived: number;
  survivors: Survivor[];
};

const SERVER = join(import.meta.dirname, '../../..');
/** How many mutations are compiled together. */
const COMPILED_TOGETHER = 40;
/** A test file hangs when it takes this long, and this many times longer than it took when its calls were recorded. */
const LEAST_TIMEOUT_MS = 90_000;
const SLOWER = 5;

const isEquivalent = (mutation: Mutation) =>
  EQUIVALENTS.some(({ file, mutated }) => file === mutation.file && mutated === mutation.mutated);

const mutantOf = (mutation: Mutation): Mutant => ({
  name: nameOf(mutation),
  edits: [editOf(readFileSync(join(SERVER, mutation.file), 'utf8'), mutation)],
  suite: '',
  title: '',
});

/** Mutations of SQL change no types. */
const isSql = (kind: Mutation['kind']) => kind.startsWith('sql ');

/** Notes which of these mutations compile. */
async function noteValid(folder: string, mutations: readonly Mutation[], progress: Progress): Promise<void> {
  const unknown = mutations.filter((mutation) => !progress.has(keyOf(mutation)) && !isEquivalent(mutation));
  const complaints = await compileEach(folder, unknown.filter(({ kind }) => !isSql(kind)).map(mutantOf));
  for (const mutation of unknown) {
    const complaint = complaints.find((text) => text.startsWith(`${nameOf(mutation)}: `));
    progress.set(
      keyOf(mutation),
      complaint === undefined ? { kind: 'valid', suites: {} } : { kind: 'invalid', reason: complaint },
    );
  }
}

/** The first mutations of an order that compile. */
async function chooseValid(
  folder: string,
  ordered: readonly Mutation[],
  count: number,
  progress: Progress,
): Promise<Mutation[]> {
  const valid: Mutation[] = [];
  for (let start = 0; start < ordered.length && valid.length < count; start += COMPILED_TOGETHER) {
    const some = ordered.slice(start, start + COMPILED_TOGETHER);
    await noteValid(folder, some, progress);
    valid.push(...some.filter((mutation) => progress.get(keyOf(mutation))?.kind !== 'invalid'));
  }
  return valid.slice(0, count);
}

/**
 * A run without a verdict proves nothing if it may only have been too long, but a file that takes a small part of its
 * limit without the mutation hangs with it.
 */
const isTooLong = ({ timeoutMs = RUN_TIMEOUT_MS }: Request, reason: string) =>
  timeoutMs === RUN_TIMEOUT_MS && reason.startsWith(NO_VERDICT);

const limitOf = ({ durationMs }: CallRecord) => Math.min(RUN_TIMEOUT_MS, LEAST_TIMEOUT_MS + SLOWER * durationMs);

const digestOf = (suite: string) =>
  createHash('sha256')
    .update(readFileSync(join(SERVER, suite)))
    .digest('hex');

type Chosen = { suite: string; digest: string; timeoutMs: number };
type Choice = { passed: Chosen[]; untried: Chosen[] };

/** The chosen test files that have passed with this mutation, and the others. */
function chooseUntried(
  mutation: Mutation,
  known: Outcome | undefined,
  records: readonly CallRecord[],
  files: number | undefined,
): Choice {
  const before = known && 'suites' in known ? known.suites : {};
  const suites = chooseSuites(records, mutation, files).map((record) => ({
    suite: record.suite,
    digest: digestOf(record.suite),
    timeoutMs: limitOf(record),
  }));
  const hasPassed = ({ suite, digest }: Chosen) => before[suite] === digest;
  return { passed: suites.filter(hasPassed), untried: suites.filter((one) => !hasPassed(one)) };
}

/**
 * What failed in a test file both times that it was run; undefined when it passed once. Suites pass without the mutation,
 * so one that hangs or does not load has noticed it too; but a single failure may be of a busy machine.
 */
async function findFailure(run: Run, request: Request): Promise<string | undefined> {
  let failure: string | undefined;
  for (let times = 0; times < 2; times += 1) {
    const verdict = await run(request);
    if (verdict.kind === 'green' || (verdict.kind === 'broken' && isTooLong(request, verdict.reason))) return undefined;
    failure = verdict.kind === 'failed' ? verdict.test : `${request.suite}: ${verdict.reason}`;
  }
  return failure;
}

/** Runs the test files that are left until one fails, or the signal aborts. */
async function tryMutation(
  { folder, run }: Room,
  mutation: Mutation,
  { passed, untried }: Choice,
  signal: AbortSignal,
): Promise<Outcome> {
  const { paths, takeOut } = await plant(folder, mutantOf(mutation));
  const suites = Object.fromEntries(passed.map(({ suite, digest }) => [suite, digest]));
  try {
    for (const { suite, digest, timeoutMs } of untried) {
      if (signal.aborted) return { kind: 'valid', suites };
      const by = await findFailure(run, { suite, titles: 'all', changed: paths, timeoutMs });
      if (by !== undefined) return { kind: 'killed', by };
      suites[suite] = digest;
    }
    return { kind: 'survived', suites };
  } finally {
    await takeOut();
  }
}

function figuresOf(seed: number, drawn: readonly Mutation[], progress: Progress): Figures {
  const isTried = (mutation: Mutation) => (progress.get(keyOf(mutation))?.kind ?? 'valid') !== 'valid';
  const decided = drawn.filter((mutation) => isEquivalent(mutation) || isTried(mutation));
  const equivalent = decided.filter(isEquivalent);
  const tried = decided.filter((mutation) => !isEquivalent(mutation));
  const survivors = tried.flatMap((mutation): Survivor[] => {
    const outcome = progress.get(keyOf(mutation));
    if (outcome?.kind !== 'survived') return [];
    const { file, line, kind, mutated } = mutation;
    return [{ place: `${file}:${line}`, kind, mutated, suites: Object.keys(outcome.suites).length }];
  });
  return {
    seed,
    generated: decided.length,
    equivalent: equivalent.length,
    killed: tried.length - survivors.length,
    survived: survivors.length,
    survivors,
  };
}

export async function runGenerated(
  site: Site,
  { count, seed, files }: { count: number; seed: number; files: number | undefined },
  say: (line: string) => void,
): Promise<Figures> {
  const records = readRecords();
  if (records.length === 0) throw new Error('No calls are recorded: run with --record first.');
  const progress = readProgress(seed);
  const all = listMutations(SERVER);
  const drawn = await chooseValid(site.rooms[0].folder, orderMutations(all, seed), count, progress);
  saveProgress(seed, progress);
  say(`${drawn.length} of ${all.length} mutations: seed ${seed}; calls of ${records.length} test files are known`);
  const due = drawn.flatMap((mutation) => {
    const known = progress.get(keyOf(mutation));
    if (isEquivalent(mutation) || known?.kind === 'killed') return [];
    const choice = chooseUntried(mutation, known, records, files);
    return known?.kind === 'survived' && choice.untried.length === 0 ? [] : [{ mutation, choice }];
  });
  await share(site, due, async (room, { mutation, choice }) => {
    const outcome = await tryMutation(room, mutation, choice, site.signal);
    progress.set(keyOf(mutation), outcome);
    saveProgress(seed, progress);
    if (outcome.kind === 'valid') return;
    const verdict = outcome.kind === 'killed' ? `killed by ${outcome.by}` : 'SURVIVED';
    say(`${mutation.file}:${mutation.line} ${mutation.kind}  ${verdict}`);
  });
  return figuresOf(seed, drawn, progress);
}
