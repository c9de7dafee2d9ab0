import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { checkOut } from '../rig/versions/check-out.ts';
import { countMigrationsToday, findEarlier, hasFile, ROOT } from '../rig/versions/find-earlier.ts';

/**
 * Runs the contract suite of the newest earlier commit with fewer migrations, with its own code, on today's schema: the
 * running version must continue to work while a new one starts, and after a rollback.
 */

/** File by which a version knows that it may run on newer schemas. */
const RULE = 'apps/server/src/db/compatibility.ts';
const SUITE_TIMEOUT_MS = 300_000;

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

const today = await countMigrationsToday();
const earlier = await findEarlier(today);
const knowsRule = await hasFile(earlier.hash, RULE);
console.log(`${earlier.hash.slice(0, 12)} knows ${earlier.migrations} migrations, today there are ${today}.`);
if (!knowsRule) console.log('It refuses every newer schema, so it is shown only the migrations that it knows.');
const { folder, remove } = await checkOut(earlier.hash);
try {
  await useSchemaOfToday(folder, knowsRule ? undefined : earlier.migrations);
  process.exitCode = await runSuite(folder);
} finally {
  await remove();
}
