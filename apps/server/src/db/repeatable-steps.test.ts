import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { createDatabase, dropDatabase, temporaryName } from '../../rig/database/temporary-database.ts';

import type { Migration } from './migrate.ts';
import { migrate, readMigrations } from './migrate.ts';
import { readSteps } from './repeatable-steps.ts';
import { inheritedEnvironment } from '../../rig/processes/inherited-environment.ts';

const WITHIN = { interval: 20 };
const MAIN_MIGRATE = fileURLToPath(new URL('../main-migrate.ts', import.meta.url));

describe('a file that builds indexes concurrently', () => {
  test.each([
    ['create table t (id bigint); create index t_by_id on t (id)', undefined],
    ['-- not concurrently\nselect 1', undefined],
    ['', undefined],
    [
      '-- why\ncreate index concurrently t_by_id\n  on t (id) where id > 0;\n',
      [{ builds: 't_by_id', sql: 'create index concurrently t_by_id on t (id) where id > 0' }],
    ],
    [
      'create unique index concurrently a on t (id);\ndrop index concurrently if exists b;',
      [
        { builds: 'a', sql: 'create unique index concurrently a on t (id)' },
        { sql: 'drop index concurrently if exists b' },
      ],
    ],
    [
      `create index concurrently a on t (id);\nalter table t add column if not exists b text;\ncomment on column t.b is 'Why; and how.';`,
      [
        { builds: 'a', sql: 'create index concurrently a on t (id)' },
        { sql: 'alter table t add column if not exists b text' },
        { sql: `comment on column t.b is 'Why; and how.'` },
      ],
    ],
  ])('a migration that builds indexes concurrently is read as its steps: %j', (sql, steps) => {
    expect(readSteps(sql)).toEqual(steps);
  });

  test.each([
    'create index concurrently a on t (id);\nalter table t add column b text',
    'create index concurrently a on t (id);\nalter table t add column if not exists b text, drop column c',
    'create index concurrently a on t (id);\nupdate t set id = id + 1',
    'create index concurrently a on t (id); update t set id = id + 1',
    'create index concurrently if not exists a on t (id)',
    'drop index concurrently a',
    'create index concurrently on t (id)',
    'reindex index concurrently a',
  ])('a migration that builds indexes concurrently holds nothing that cannot be repeated: %s', (sql) => {
    expect(() => readSteps(sql)).toThrow('only what can be repeated');
  });
});

describe('while a table is in use', () => {
  let name: string;
  let url: string;
  let client: pg.Client;
  let all: Migration[];
  beforeEach(async () => {
    name = temporaryName('test');
    url = await createDatabase(inject('adminUrl'), name);
    client = new pg.Client({ connectionString: url });
    await client.connect();
    all = await readMigrations();
  });
  afterEach(async () => {
    await client.end();
    await dropDatabase(inject('adminUrl'), name);
  });

  const insertMerchant = `insert into merchants (name, created_at) values ('m', now())`;

  const withIndex = (): Migration[] => {
    const sql = 'create index concurrently merchants_by_name on merchants (name)';
    return [...all, { version: all.length + 1, name: '9999-more.sql', sql, checksum: 'more', compatibleFrom: 1 }];
  };

  async function validityOf(index: string): Promise<boolean | undefined> {
    const { rows } = await client.query<{ valid: boolean }>(
      'select indisvalid as valid from pg_index where indexrelid = to_regclass($1)',
      [index],
    );
    return rows[0]?.valid;
  }

  /** Server process that builds an index and waits for another transaction to end. */
  async function findBuilder(): Promise<number | undefined> {
    const { rows } = await client.query<{ pid: number }>(
      `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
         and query ilike 'create index concurrently%'`,
    );
    return rows[0]?.pid;
  }

  /** Opens a transaction that has written to a table and does not end: an index build must wait for it. */
  async function writeWithoutEnd(statement: string): Promise<pg.Client> {
    const writer = new pg.Client({ connectionString: url });
    await writer.connect();
    await writer.query('begin');
    await writer.query(statement);
    return writer;
  }

  test('writers are not held up; a build that is killed is dropped and built again', async () => {
    await migrate(url, () => {}, all);
    const writer = await writeWithoutEnd(insertMerchant);
    const killed = migrate(url, () => {}, withIndex()).catch(String);
    await expect.poll(findBuilder, WITHIN).toBeDefined();

    await client.query(`set statement_timeout = '5s'`);
    await client.query(insertMerchant);
    await client.query(`update merchants set name = 'n'`);

    await client.query('select pg_terminate_backend($1)', [await findBuilder()]);
    expect(await killed).toMatch(/terminat/i);
    expect(await validityOf('merchants_by_name')).toBe(false);
    await writer.query('rollback');
    await writer.end();

    const lines: string[] = [];
    expect(await migrate(url, (line) => lines.push(line), withIndex())).toBe(1);
    expect(lines).toEqual([
      'index merchants_by_name was left unfinished and is built again',
      'built index merchants_by_name',
      'applied 9999-more.sql',
    ]);
    expect(await validityOf('merchants_by_name')).toBe(true);
    expect(await migrate(url, () => {}, withIndex())).toBe(0);
  });

  test('an index that was built before the process died is not built twice', async () => {
    await migrate(url, () => {}, all);
    await client.query('create index merchants_by_name on merchants (name)');
    const lines: string[] = [];
    await migrate(url, (line) => lines.push(line), withIndex());
    expect(lines).toEqual(['applied 9999-more.sql']);
  });

  test('another process that wants to migrate waits, and the build does not wait for it', async () => {
    await migrate(url, () => {}, all);
    const writer = await writeWithoutEnd(insertMerchant);
    const first = migrate(url, () => {}, withIndex());
    await expect.poll(findBuilder, WITHIN).toBeDefined();
    const waits = Promise.withResolvers<void>();
    const second = migrate(url, () => waits.resolve(), withIndex());
    await waits.promise;
    await writer.query('commit');
    await writer.end();
    expect(await Promise.all([first, second])).toEqual([1, 0]);
  });

  test('kill -9 of the migrating process leaves nothing that stops the next one', async () => {
    const first = all.findIndex(({ sql }) => readSteps(sql) !== undefined);
    await migrate(url, () => {}, all.slice(0, first));
    const writer = await writeWithoutEnd(
      `insert into amount_slots (network, token, address, display_units, quote_id) values ('BSC', 'USDT', 'a', 1, 1)`,
    );
    const start = () =>
      spawn(process.execPath, ['--no-warnings', MAIN_MIGRATE], {
        env: { ...inheritedEnvironment(), COUNTERFOIL_DATABASE_URL: url },
        stdio: 'ignore',
      });
    const doomed = start();
    await expect.poll(findBuilder, WITHIN).toBeDefined();
    doomed.kill('SIGKILL');
    await expect.poll(findBuilder, WITHIN).toBeUndefined();
    await writer.query('commit');
    await writer.end();

    const [code] = (await once(start(), 'exit')) as [number];
    expect(code).toBe(0);
    const { rows } = await client.query<{ count: number }>(
      'select count(*)::integer as count from pg_index where not indisvalid',
    );
    expect(rows).toEqual([{ count: 0 }]);
    const applied = await client.query('select version from schema_migrations');
    expect(applied.rowCount).toBe(all.length);
  });
});
