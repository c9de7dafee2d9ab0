import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { seededNumbers } from '../../rig/fakes/seeded-numbers.ts';
import type { Mutant } from './mutant.ts';

const run = promisify(execFile);

const ROOT = join(import.meta.dirname, '../../../..');
const FULL_RUN = join(ROOT, '.ci/full.json');
/** The full run is recorded step by step: only its step that plants all bugs counts here. */
const fullRunSchema = z.object({
  steps: z.object({
    'drill:mutants': z.object({ commit: z.string().regex(/^[0-9a-f]{40}$/), passed: z.literal(true) }),
  }),
});
const DRAWN = 10;
/** The gate plants the same bugs in the same tree: only a change may turn it red. */
const GATE_SEED = 1;

export type Choice = { mutants: readonly Mutant[]; why: string };

export function draw(mutants: readonly Mutant[], seed: number): Mutant[] {
  const next = seededNumbers(seed);
  return mutants
    .map((mutant) => ({ mutant, place: next() }))
    .toSorted((left, right) => left.place - right.place)
    .slice(0, DRAWN)
    .map(({ mutant }) => mutant);
}

export function chooseByName(mutants: readonly Mutant[], only: string): Mutant[] {
  const names = only.split(',');
  const unknown = names.filter((name) => !mutants.some((mutant) => mutant.name === name));
  if (unknown.length > 0) throw new Error(`No mutant is called ${unknown.join(', ')}.`);
  return mutants.filter(({ name }) => names.includes(name));
}

async function git(...parts: readonly string[]): Promise<string[]> {
  const { stdout } = await run('git', parts, { cwd: ROOT });
  return stdout.split('\0').filter((path) => path !== '');
}

/** Commit at which all planted bugs were caught last, or undefined if it is unknown or no ancestor of this one. */
async function readFullCommit(): Promise<string | undefined> {
  try {
    const { steps } = fullRunSchema.parse(JSON.parse(await readFile(FULL_RUN, 'utf8')));
    const { commit } = steps['drill:mutants'];
    await git('merge-base', '--is-ancestor', commit, 'HEAD');
    return commit;
  } catch {
    return undefined;
  }
}

/** Mutants whose source or suite changed since all were planted last; a sample of all if that cannot be told. */
export async function chooseChanged(mutants: readonly Mutant[]): Promise<Choice> {
  const commit = await readFullCommit();
  if (commit === undefined)
    return {
      mutants: draw(mutants, GATE_SEED),
      why: 'a fixed sample, as .ci/full.json names no ancestor at which all were caught',
    };
  const paths = new Set([
    ...(await git('diff', '--name-only', '-z', commit)),
    ...(await git('ls-files', '--others', '--exclude-standard', '-z')),
  ]);
  const isChanged = (file: string) => paths.has(join('apps/server', file));
  const changed = mutants.filter(({ edits, suite }) => isChanged(suite) || edits.some(({ file }) => isChanged(file)));
  return { mutants: draw(changed, GATE_SEED), why: `source or suite of ${changed.length} changed since ${commit}` };
}
