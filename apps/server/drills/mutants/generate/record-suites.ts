import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { RECORDS, readRecords } from '../../../rig/mutants/recorded-calls.ts';

/** Test files that are run against mutations. Others run commands or check the tree. */
const FOLDERS =
  'chain,checkout,contract,dashboard,engine,exchanges,interleavings,money,sandbox,sources,tenants,webhooks';
const SUITES = ['src/**/*.test.ts', `test/{${FOLDERS}}/**/*.test.ts`];
const FILES_PER_RUN = 20;

const SERVER = join(import.meta.dirname, '../../..');
const ROOT = join(SERVER, '../..');

async function runSuites(suites: readonly string[]): Promise<void> {
  const projects = ['pure', 'engine', 'contract'].flatMap((name) => ['--project', name]);
  const parts = ['run', '--config', 'apps/server/vitest.config.ts', ...projects, ...suites];
  const child = spawn(join(ROOT, 'node_modules/.bin/vitest'), parts, {
    cwd: ROOT,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, MUTANTS_RECORD_CALLS: RECORDS },
  });
  await once(child, 'exit');
}

/**
 * Records the calls of test files that have no record yet, some at a time, so that a stopped recording continues.
 * Returns how many there are.
 */
export async function recordSuites(signal: AbortSignal, only?: readonly string[]): Promise<number> {
  const known = new Set(readRecords().map(({ suite }) => suite));
  const suites = (only ?? SUITES.flatMap((pattern) => globSync(pattern, { cwd: SERVER }))).filter(
    (suite) => !known.has(suite),
  );
  for (let start = 0; start < suites.length && !signal.aborted; start += FILES_PER_RUN)
    await runSuites(suites.slice(start, start + FILES_PER_RUN));
  return readRecords().length;
}
