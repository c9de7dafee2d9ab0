import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { prepareAsMigrator } from '../../rig/database/role-database.ts';
import {
  createDatabase,
  dropDatabase,
  temporaryName,
  withTemporaryDatabase,
} from '../../rig/database/temporary-database.ts';
import { inheritedEnvironment } from '../../rig/processes/inherited-environment.ts';
import { describeMigrations, describePreparation } from './describe-preparation.ts';
import type { Migration } from './migrate.ts';
import { migrate, readMigrations } from './migrate.ts';

const MAIN = fileURLToPath(new URL('../main-migrate.ts', import.meta.url));
const NOW = new Date('2026-11-15T12:00:00Z');
const noJobs = async () => [];
const missingJobs = async () => ['make the tables of jobs'];
async function plantTable(client: pg.ClientBase): Promise<string[]> {
  await client.query('create table planted ()');
  return [];
}

let name: string;
let url: string;
beforeEach(async () => {
  name = temporaryName('test');
  url = await createDatabase(inject('adminUrl'), name);
});
afterEach(() => dropDatabase(inject('adminUrl'), name));

async function query(sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows as Record<string, unknown>[];
  } finally {
    await client.end();
  }
}

/**
 * Everything that a migration can change: objects of the database and rights. Roles belong to the server and are
 * changed by concurrent tests, so only this database's part is compared.
 */
const readEverything = () =>
  query(`
    select 'schema' as kind, nspname::text as name, nspacl::text as rights from pg_namespace where nspname !~ '^pg_'
    union all select 'table', c.oid::regclass::text, concat(relacl, relowner) from pg_class c where relnamespace::regnamespace::text !~ '^pg_|information'
    union all select 'function', p.oid::regprocedure::text, proacl::text from pg_proc p where pronamespace::regnamespace::text !~ '^pg_|information'
    union all select 'database', datname::text, datacl::text from pg_database where datname = current_database()
    union all select 'setting', setconfig::text, setrole::text from pg_db_role_setting
      where setdatabase = (select oid from pg_database where datname = current_database())
    order by 1, 2, 3`);

/** Runs main-migrate as an operator does. */
async function run(...words: string[]): Promise<string> {
  const env = { ...inheritedEnvironment(), COUNTERFOIL_ENVIRONMENT: 'development', COUNTERFOIL_DATABASE_URL: url };
  return (await promisify(execFile)(process.execPath, ['--no-warnings', MAIN, ...words], { env })).stdout;
}

describe('a plan', () => {
  test('names everything that an empty database lacks, and a run by it leaves the database empty', async () => {
    const before = await readEverything();
    const lines = (await run('--plan', '--roles')).trim().split('\n');
    const names = (await readMigrations()).map((one) => `- apply ${one.name}`);
    expect(lines.filter((line) => line.startsWith('- apply'))).toEqual(names);
    expect(lines).toContain('- make the tables of jobs');
    expect(lines.at(-1)).toContain('Nothing was changed.');
    expect(await readEverything()).toEqual(before);
  });

  test('names the migrations that are left, the older tables of jobs, and changes neither', async () => {
    const all = await readMigrations();
    await prepareAsMigrator(url, { roles: true, now: NOW, log: () => {} });
    await query(`delete from schema_migrations where version > ${all.length - 2}`);
    const [older] = await query('update pgboss.version set version = version - 1 returning version');
    const version = Number(older?.['version']);
    const before = await readEverything();
    const out = await run('--plan');
    expect(out.match(/apply \S+/g)).toEqual(all.slice(-2).map((one) => `apply ${one.name}`));
    expect(out).toContain(`from version ${version} to ${version + 1}`);
    expect(await readEverything()).toEqual(before);
    expect(await query('select max(version) as newest from schema_migrations')).toEqual([{ newest: all.length - 2 }]);
    expect(await query('select version from pgboss.version')).toEqual([older]);
  });

  test('says that a current schema is current', async () => {
    await prepareAsMigrator(url, { roles: true, now: NOW, log: () => {} });
    expect(await run('--plan', '--roles')).toMatch(/^The schema is current\.\n/);
  });

  test('promises nothing for a newer schema, whose queues and rights an older version leaves alone', async () => {
    await prepareAsMigrator(url, { roles: true, now: NOW, log: () => {} });
    await query(`insert into schema_migrations (version, name, checksum, compatible_from)
      select max(version) + 1, 'of-tomorrow.sql', '', max(version) from schema_migrations`);
    expect(await describePreparation(url, { roles: false, describeJobs: missingJobs })).toEqual([]);
  });

  test('is refused where the migration would be', async () => {
    await migrate(url, () => {}, (await readMigrations()).slice(0, 22));
    await query(`update schema_migrations set checksum = 'another' where version = 7`);
    await expect(describePreparation(url, { roles: false, describeJobs: noJobs })).rejects.toThrow('was changed');
  });

  test('is refused for a database that does not store text as UTF-8, as the migration is', async () => {
    const encoding = "template template0 encoding 'SQL_ASCII' locale 'C'";
    await withTemporaryDatabase(
      inject('adminUrl'),
      (ascii) =>
        expect(describePreparation(ascii, { roles: false, describeJobs: noJobs })).rejects.toMatchObject({
          code: 'DATABASE_ENCODING_UNFIT',
        }),
      encoding,
    );
  });

  test('is made in a session in which nothing can be written', async () => {
    await expect(describePreparation(url, { roles: false, describeJobs: plantTable })).rejects.toMatchObject({
      code: '25006',
    });
  });
});

const build = 'create index concurrently some_index on some_table (id);';
const migrationOf = (version: number, compatibleFrom: number, sql = ''): Migration => ({
  version,
  name: `000${version}-some.sql`,
  sql,
  checksum: '',
  compatibleFrom,
});
const known = [migrationOf(1, 1), migrationOf(2, 1), migrationOf(3, 2), migrationOf(4, 2, build)];

test.each<[string, number, string[]]>([
  ['nothing is due', 0, []],
  [
    'an index is built',
    1,
    ['apply 0004-some.sql (only adds; builds indexes beside running processes, which can take hours)'],
  ],
  [
    'something is taken away',
    2,
    [
      'apply 0003-some.sql (takes away: versions before 0002 cannot run afterwards)',
      'apply 0004-some.sql (only adds; builds indexes beside running processes, which can take hours)',
    ],
  ],
  ['all is due', 4, [1, 2, 3, 4].map((version) => `apply 000${version}-some.sql`)],
])('a plan where %s tells what each migration does to those who run meanwhile', (_case, due, lines) => {
  expect(describeMigrations({ known, due: known.slice(known.length - due) })).toEqual(lines);
});
