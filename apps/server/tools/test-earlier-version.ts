import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { chooseEarlier } from '../rig/database/earlier-version.ts';
import type { Commit } from '../rig/database/earlier-version.ts';

/**
 * Runs the contract suite of the newest earlier commit with fewer migrations, with its own code, on today's schema: the
 * running version must continue to work while a new one starts, and after a rollback.
 */

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../../..');
const MIGRATIONS = 'apps/server/src/db/migrations';
/** The file of a version that may run on newer schemas. */
const RULE = 'apps/server/src/db/compatibility.ts';
const MAX_COMMITS = 1_000;
const SUITE_TIMEOUT_MS = 300_000;

async function git(...parts: string[]): Promise<string> {
  return (await run('git', parts, { cwd: ROOT, maxBuffer: 16 * 1024 * 1024 })).stdout;
}

const isMigration = (name: string) => name.endsWith('.sql');

async function countMigrations(commit: string): Promise<number> {
  const names = await git('ls-tree', '--name-only', commit, `${MIGRATIONS}/`);
  return names.split('\n').filter(isMigration).length;
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

/** Links today's packages to the earlier code. Its checkout page is its own, as built today. */
async function linkPackages(folder: string): Promise<void> {
  const server = 'apps/server/node_modules';
  const whole = ['node_modules', 'bin/toolchain/node_modules', 'apps/checkout/node_modules', 'apps/checkout/dist'];
  for (const path of whole) await symlink(join(ROOT, path), join(folder, path));
  // A package that the server needed then, and only another app needs today, is found among all that are installed.
  await symlink(join(ROOT, 'node_modules/.pnpm/node_modules'), join(folder, 'apps/node_modules'));
  await mkdir(join(folder, server, '@counterfoil'), { recursive: true });
  await symlink(join(folder, 'apps/checkout'), join(folder, server, '@counterfoil/checkout'));
  const names = (await readdir(join(ROOT, server))).filter((name) => name !== '@counterfoil');
  for (const name of names) await symlink(join(ROOT, server, name), join(folder, server, name));
}

/** Module that makes today's schema, in place of the earlier migrator. */
function migrateToday(forgetAbove: number | undefined): string {
  const forget =
    forgetAbove === undefined
      ? ''
      : `
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('delete from schema_migrations where version > ${forgetAbove}');
  await client.end();`;
  return `import { execFileSync } from 'node:child_process';
import pg from 'pg';

function run(url, words) {
  const env = { ...process.env, COUNTERFOIL_DATABASE_URL: url };
  execFileSync(process.execPath, [${JSON.stringify(join(ROOT, 'apps/server/src/main-migrate.ts'))}, ...words], { env });
}

export async function migrate(url) {
  run(url, []);${forget}
}

export async function prepareDatabase(url, { roles }) {
  run(url, roles ? ['--roles'] : []);${forget}
}
`;
}

/** Files in which versions make the schema of their tests, newest first, and how they import the migrator. */
const MAKERS = [
  { file: 'apps/server/rig/database/role-database.ts', migrator: '../../src/db/prepare-database.ts' },
  { file: 'apps/server/tools/role-database.ts', migrator: '../src/db/prepare-database.ts' },
  { file: 'apps/server/test/global-setup.ts', migrator: '../src/db/migrate.ts' },
];

async function useSchemaOfToday(folder: string, forgetAbove: number | undefined): Promise<void> {
  for (const { file, migrator } of MAKERS) {
    const path = join(folder, file);
    const text = await readFile(path, 'utf8').catch(() => '');
    const parts = text.split(`'${migrator}'`);
    if (parts.length !== 2) continue;
    await writeFile(path, parts.join(`'./migrate-today.ts'`));
    await writeFile(join(dirname(path), 'migrate-today.ts'), migrateToday(forgetAbove));
    return;
  }
  throw new Error('The earlier suite does not make its schema as this tool expects.');
}

async function runSuite(folder: string): Promise<number> {
  const parts = ['run', '--config', 'apps/server/vitest.config.ts', '--project', 'contract'];
  const child = spawn(join(folder, 'node_modules/.bin/vitest'), parts, {
    cwd: folder,
    stdio: 'inherit',
    timeout: SUITE_TIMEOUT_MS,
  });
  await once(child, 'exit');
  return child.exitCode ?? 1;
}

const today = (await readdir(join(ROOT, MIGRATIONS))).filter(isMigration).length;
const shallow = (await git('rev-parse', '--is-shallow-repository')).trim() === 'true';
const earlier = chooseEarlier(await readCommits(today), today, shallow);
const knowsRule = await git('cat-file', '-e', `${earlier.hash}:${RULE}`).then(
  () => true,
  () => false,
);
console.log(`${earlier.hash.slice(0, 12)} knows ${earlier.migrations} migrations, today there are ${today}.`);
if (!knowsRule) console.log('It refuses every newer schema, so it is shown only the migrations that it knows.');
const folder = await mkdtemp(join(tmpdir(), 'counterfoil-earlier-'));
try {
  const archive = join(folder, 'earlier.tar');
  await git('archive', '--format=tar', `--output=${archive}`, earlier.hash);
  await run('tar', ['-xf', archive, '-C', folder]);
  await linkPackages(folder);
  await useSchemaOfToday(folder, knowsRule ? undefined : earlier.migrations);
  process.exitCode = await runSuite(folder);
} finally {
  // Links are removed, not followed.
  await rm(folder, { recursive: true, force: true });
}
