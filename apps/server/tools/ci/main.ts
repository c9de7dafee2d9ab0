import { execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { FullRecord } from './full-record.ts';
import { addResult, describeRecord, nextRoughMode, stepsLeft } from './full-record.ts';
import { runStages } from './run-stages.ts';
import type { StageResult } from './step-result.ts';
import { describeSeconds } from './step-result.ts';
import type { Step } from './step.ts';
import { findStep, FULL, GATE } from './step.ts';

/**
 * Runs the steps of the gate (`main.ts gate`) or of the full run (`main.ts full [--real] [STEP...]`) and prints their
 * seconds. The full run keeps its results in .ci/full.json, and skips steps that have passed on the same tree.
 */

const ROOT = join(import.meta.dirname, '../../../..');
const RECORD = '.ci/full.json';
const MAX_SEED = 2 ** 31;
/** A minute before the year ends, for `pnpm rough at`. */
const ROUGH_DATE = '2026-12-31T23:58:50Z';
const FULL_NAMES = FULL.flat(2);

function git(parts: readonly string[], environment: Record<string, string> = {}): string {
  return execFileSync('git', parts, { cwd: ROOT, encoding: 'utf8', env: { ...process.env, ...environment } }).trim();
}

/** Hash of all files but the record, also of files that are not committed yet. */
function readTree(): string {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-tree-'));
  const index = { GIT_INDEX_FILE: join(folder, 'index') };
  try {
    git(['add', '--all'], index);
    git(['rm', '--cached', '--quiet', '--ignore-unmatch', RECORD], index);
    return git(['write-tree'], index);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function readRecord(): FullRecord | undefined {
  const path = join(ROOT, RECORD);
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as FullRecord) : undefined;
}

/** Commits since the full run; undefined when its commit is no ancestor, or unknown here. */
function countCommitsSince(commit: string): number | undefined {
  try {
    git(['merge-base', '--is-ancestor', commit, 'HEAD']);
    return Number(git(['rev-list', '--count', `${commit}..HEAD`]));
  } catch {
    return undefined;
  }
}

function printEnd(results: readonly StageResult[]): void {
  for (const line of describeSeconds(results)) console.log(line);
  const steps = results.flatMap((result) => result.steps);
  const passed = steps.filter((step) => step.passed).length;
  console.log(`steps: ${passed} passed, ${steps.length - passed} failed`);
  if (passed < steps.length) process.exitCode = 1;
}

async function runGate(signal: AbortSignal): Promise<void> {
  const results = await runStages(GATE, {
    signal,
    continueAfterFailure: false,
    prepare: ({ command, environment = {} }) => ({ command, environment }),
    onResult: () => Promise.resolve(),
  });
  const record = readRecord();
  const commitsSince = record && countCommitsSince(record.commit);
  const { warning, text } = describeRecord(record, { commitsSince, names: FULL_NAMES });
  console.log(warning ? `\n!!! ${text}\n` : text);
  printEnd(results);
}

/** Replaces the words that a run decides: the seed, and the mode of `pnpm rough`. */
function fill(word: string, { seed, mode }: { seed: string; mode: string }): string[] {
  if (word === 'random') return [seed];
  if (word === 'MODE') return mode === 'at' ? ['at', ROUGH_DATE] : [mode];
  return [word];
}

function prepareFull(step: Step, real: boolean, decided: { seed: string; mode: string }) {
  const words = [...step.command, ...(step.full ?? [])].filter((word) => !real || word !== '--quick');
  const environment = Object.entries(step.environment ?? {}).map(([key, value]) => [
    key,
    fill(value, decided).join(' '),
  ]);
  return {
    command: words.flatMap((word) => fill(word, decided)),
    environment: Object.fromEntries(environment) as Record<string, string>,
  };
}

async function runFull(signal: AbortSignal, asked: readonly string[], real: boolean): Promise<void> {
  for (const name of asked) findStep(name);
  const version = { commit: git(['rev-parse', 'HEAD']), tree: readTree() };
  let record = readRecord();
  const chosen = real ? asked : stepsLeft(record, version.tree, asked.length > 0 ? asked : FULL_NAMES);
  if (real && asked.length === 0) throw new Error('--real needs the names of steps.');
  const decided = { seed: `${randomInt(MAX_SEED)}`, mode: nextRoughMode(record?.roughMode) };
  console.log(`${version.commit.slice(0, 8)}: ${chosen.length} steps, seed ${decided.seed}, rough ${decided.mode}`);
  const results = await runStages(
    chosen.map((name) => [[name]]),
    {
      signal,
      continueAfterFailure: true,
      prepare: (step) => prepareFull(step, real, decided),
      onResult: async (result) => {
        record = addResult(record, { version, names: FULL_NAMES, real }, result);
        if (result.name === 'rough' && result.passed) record.roughMode = decided.mode;
        await writeFile(join(ROOT, RECORD), `${JSON.stringify(record, null, 2)}\n`);
      },
    },
  );
  printEnd(results);
}

async function main(): Promise<void> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { real: { type: 'boolean', default: false } },
  });
  const [which, ...names] = positionals;
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort());
  if (which === 'gate') await runGate(stop.signal);
  else if (which === 'full') await runFull(stop.signal, names, values.real);
  else throw new Error('Usage: main.ts gate | full [--real] [STEP...]');
}

await main();
