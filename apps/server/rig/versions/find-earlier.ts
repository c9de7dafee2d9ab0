import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Commit } from './earlier-version.ts';
import { chooseEarlier } from './earlier-version.ts';

/** Commits of this repository, and how many migrations each knows. */

export const ROOT = join(import.meta.dirname, '../../../..');
const MIGRATIONS = 'apps/server/src/db/migrations';
const MAX_COMMITS = 1_000;
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;

const run = promisify(execFile);

export async function git(...parts: string[]): Promise<string> {
  return (await run('git', parts, { cwd: ROOT, maxBuffer: MAX_OUTPUT_BYTES })).stdout;
}

/** Whether a commit has this file. */
export function hasFile(commit: string, path: string): Promise<boolean> {
  return git('cat-file', '-e', `${commit}:${path}`).then(
    () => true,
    () => false,
  );
}

const isMigration = (name: string) => name.endsWith('.sql');

async function countMigrations(commit: string): Promise<number> {
  const names = await git('ls-tree', '--name-only', commit, `${MIGRATIONS}/`);
  return names.split('\n').filter(isMigration).length;
}

/** Number of migrations in the working tree. */
export async function countMigrationsToday(): Promise<number> {
  return (await readdir(join(ROOT, MIGRATIONS))).filter(isMigration).length;
}

/** Reads commits from the newest on, until one has fewer migrations. */
async function readCommits(today: number): Promise<Commit[]> {
  const hashes = (await git('rev-list', `--max-count=${MAX_COMMITS}`, 'HEAD'))
    .split('\n')
    .filter((line) => line !== '');
  const commits: Commit[] = [];
  for (const hash of hashes) {
    commits.push({ hash, migrations: await countMigrations(hash) });
    if ((commits.at(-1)?.migrations ?? today) < today) break;
  }
  return commits;
}

/** The newest commit that has fewer migrations than the working tree. */
export async function findEarlier(today: number): Promise<Commit> {
  const shallow = (await git('rev-parse', '--is-shallow-repository')).trim() === 'true';
  return chooseEarlier(await readCommits(today), today, shallow);
}

export async function readCommit(name: string): Promise<Commit> {
  const hash = (await git('rev-parse', '--verify', `${name}^{commit}`)).trim();
  return { hash, migrations: await countMigrations(hash) };
}
