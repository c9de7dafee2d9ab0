import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { OLDEST_BY_THE_RULE } from '../../src/db/compatibility.ts';
import { JOB_SCHEMA_VERSION } from '../../src/jobs/job.ts';
import { JOBS_OFF_SINCE } from '../../src/jobs/job-history.ts';
import { checkOut } from '../../rig/versions/check-out.ts';
import { countMigrationsToday, findEarlier, git, readCommit, ROOT } from '../../rig/versions/find-earlier.ts';
import type { Closers } from '../../rig/site/site-processes.ts';

/**
 * The two versions. The earlier one gets the release of pg-boss before the one that is installed, as if this commit had
 * upgraded it: its own code decides what it does with job tables that it does not support.
 */

export type Version = {
  name: 'earlier' | 'present' | 'undrained';
  commit: string;
  /** Number of its newest migration. */
  schema: number;
  /** Version of the job tables that it supports. */
  jobs: number;
  /** Whether its servers drain before they stop. */
  drains: boolean;
  /** Folder of the repository in which its code is. */
  folder: string;
};

export type Versions = {
  earlier: Version;
  present: Version;
  /** Folder of the present version whose job history says that this commit has upgraded pg-boss. */
  upgradedJobsFolder: string;
};

const JOB_FILE = 'apps/server/src/jobs/job.ts';
const HISTORY_FILE = 'apps/server/src/jobs/job-history.ts';
const CONFIG = 'apps/server/src/config';
const DRAIN = 'COUNTERFOIL_DRAIN_SECONDS';
/** File by which processes of a folder without git's files know their commit. */
const COMMIT_FILE = 'REVISION';

async function change(path: string, pattern: RegExp, text: string): Promise<void> {
  const before = await readFile(path, 'utf8');
  const after = before.replace(pattern, text);
  if (after === before) throw new Error(`${path} has no ${pattern.source}.`);
  await writeFile(path, after);
}

async function findEarlierJobs(): Promise<{ folder: string; version: number }> {
  const folder = dirname(dirname(fileURLToPath(import.meta.resolve('pg-boss-earlier'))));
  const { pgboss } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as { pgboss: { schema: number } };
  return { folder, version: pgboss.schema };
}

const knowsDrain = (commit: string) =>
  git('grep', '-q', DRAIN, commit, '--', CONFIG).then(
    () => true,
    () => false,
  );

async function prepareEarlier(name: string | undefined, today: number, closers: Closers): Promise<Version> {
  const { hash, migrations } = name === undefined ? await findEarlier(today) : await readCommit(name);
  const jobs = await findEarlierJobs();
  // Processes of older versions do not start beside job tables that they do not support.
  const isReplaced = migrations >= JOBS_OFF_SINCE;
  const { folder, remove } = await checkOut(hash, isReplaced ? { 'pg-boss': jobs.folder } : {});
  closers.push(remove);
  if (isReplaced)
    await change(join(folder, JOB_FILE), /JOB_SCHEMA_VERSION = \d+/, `JOB_SCHEMA_VERSION = ${jobs.version}`);
  await writeFile(join(folder, COMMIT_FILE), hash);
  return {
    name: 'earlier',
    commit: hash,
    schema: migrations,
    jobs: isReplaced ? jobs.version : JOB_SCHEMA_VERSION,
    drains: await knowsDrain(hash),
    folder,
  };
}

/** The newest version whose servers close their ports at once when they stop. Its APIs alone are run: they use no jobs. */
export async function prepareUndrained(closers: Closers): Promise<Version> {
  const first = (await git('log', '--reverse', '--format=%H', `-S${DRAIN}`, '--', CONFIG)).split('\n')[0] ?? '';
  const { hash, migrations } = await readCommit(`${first}^`);
  const { folder, remove } = await checkOut(hash);
  closers.push(remove);
  return { name: 'undrained', commit: hash, schema: migrations, jobs: JOB_SCHEMA_VERSION, drains: false, folder };
}

/** Copies the code of the present version, and records in its job history which version upgraded pg-boss. */
async function copyWithJobHistory(earlier: Version, today: number, closers: Closers): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'counterfoil-present-'));
  closers.push(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, 'apps/server'), { recursive: true });
  for (const path of ['package.json', 'apps/server/package.json', 'apps/server/src'])
    await cp(join(ROOT, path), join(folder, path), { recursive: true });
  for (const path of ['apps/server/node_modules', 'apps/checkout']) await symlink(join(ROOT, path), join(folder, path));
  const rows = `[{ since: ${OLDEST_BY_THE_RULE}, jobs: ${earlier.jobs} }, { since: ${today}, jobs: ${JOB_SCHEMA_VERSION} }]`;
  await change(join(folder, HISTORY_FILE), /(JOB_HISTORY: [^=]+= )\[[^\]]+\]/, `$1${rows}`);
  return folder;
}

/** Prepares both versions. `name` is the commit of the earlier one, by default the one that `pnpm test:earlier` chooses. */
export async function prepareVersions(name: string | undefined, closers: Closers): Promise<Versions> {
  const today = await countMigrationsToday();
  const earlier = await prepareEarlier(name, today, closers);
  const commit = (await git('rev-parse', 'HEAD')).trim();
  return {
    earlier,
    present: { name: 'present', commit, schema: today, jobs: JOB_SCHEMA_VERSION, drains: true, folder: ROOT },
    upgradedJobsFolder: await copyWithJobHistory(earlier, today, closers),
  };
}
