import pg from 'pg';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import type { TestDatabase } from '../../test/harness.ts';
import { openTestDatabase } from '../../test/harness.ts';
import { createDatabase, dropDatabase, temporaryName } from '../../tools/temporary-database.ts';
import { closeDatabase, openDatabase } from './database.ts';
import type { Migration } from './migrate.ts';
import { migrate, planMigrations, readMigrations, readSchemaState, requireCurrentSchema } from './migrate.ts';

const known: Migration[] = [1, 2, 3].map((version) => ({
  version,
  name: `000${version}-some.sql`,
  sql: '',
  checksum: `sum-${version}`,
}));
const asApplied = ({ version, name, checksum }: Migration) => ({ version, name, checksum });

describe('planning', () => {
  test('an empty database is due everything, a current one nothing, one in between the rest in order', () => {
    expect(planMigrations(known, [])).toEqual(known);
    expect(planMigrations(known, known.map(asApplied))).toEqual([]);
    expect(planMigrations(known, known.slice(0, 1).map(asApplied))).toEqual(known.slice(1));
  });

  test('a migration that was changed after it had been applied is refused', () => {
    const changed = [{ ...known[0], version: 1, name: '0001-some.sql', checksum: 'another' }];
    expect(() => planMigrations(known, changed)).toThrow('0001-some.sql was changed after it had been applied');
  });

  test('a migration that only a newer version knows is refused', () => {
    const newer = [...known.map(asApplied), { version: 4, name: '0004-newer.sql', checksum: 'sum-4' }];
    expect(() => planMigrations(known, newer)).toThrow('0004-newer.sql, which this version does not know');
  });
});

describe('on an empty database', () => {
  let name: string;
  let url: string;
  beforeEach(async () => {
    name = temporaryName('test');
    url = await createDatabase(inject('adminUrl'), name);
  });
  afterEach(() => dropDatabase(inject('adminUrl'), name));

  async function withClient<T>(use: (client: pg.Client) => Promise<T>): Promise<T> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      return await use(client);
    } finally {
      await client.end();
    }
  }

  test('processes that migrate at the same time apply each migration once', async () => {
    const lines: string[] = [];
    const counts = await Promise.all([1, 2, 3].map(() => migrate(url, (line) => lines.push(line))));
    const all = await readMigrations();
    expect(counts.toSorted((left, right) => left - right)).toEqual([0, 0, all.length]);
    expect(lines.filter((line) => line.startsWith('applied'))).toEqual(
      all.map((migration) => `applied ${migration.name}`),
    );
    const { rows } = await withClient((client) =>
      client.query('select version, name, checksum from schema_migrations'),
    );
    expect(rows).toEqual(all.map(asApplied));
  });

  test('a migration that waits for a lock gives up within seconds and leaves nothing behind', async () => {
    await withClient(async (holder) => {
      await holder.query(
        `create table schema_migrations (version integer primary key, name text not null, checksum text not null,
           applied_at timestamptz not null default now())`,
      );
      await holder.query('begin');
      await holder.query('lock table schema_migrations in share row exclusive mode');
      await expect(migrate(url, () => {})).rejects.toMatchObject({ code: '55P03' });
      await holder.query('rollback');
      const { rows } = await holder.query(`select to_regclass('stores') as stores`);
      expect(rows).toEqual([{ stores: null }]);
    });
    expect(await migrate(url, () => {})).toBe((await readMigrations()).length);
  });

  test('a reader of an empty database calls it behind instead of failing', async () => {
    const database = openDatabase({ url, connections: 1, name: 'test' }, () => {});
    expect(await readSchemaState(database.pool)).toBe('behind');
    await closeDatabase(database);
  });
});

describe('before serving', () => {
  let own: TestDatabase;
  beforeEach(async () => {
    own = await openTestDatabase(inject('adminUrl'), inject('template'));
  });
  afterEach(() => own.drop());

  test('a current schema is accepted', async () => {
    await expect(requireCurrentSchema(own.database.pool)).resolves.toBeUndefined();
  });

  test('a schema newer than this version is refused', async () => {
    await own.database.pool.query(
      `insert into schema_migrations (version, name, checksum)
       select max(version) + 1, 'later.sql', 'none' from schema_migrations`,
    );
    await expect(requireCurrentSchema(own.database.pool)).rejects.toThrow('newer than this version knows');
    await expect(migrate(own.url, () => {})).rejects.toThrow('which this version does not know');
  });

  test('a schema behind this version is refused', async () => {
    await own.database.pool.query(
      'delete from schema_migrations where version = (select max(version) from schema_migrations)',
    );
    await expect(requireCurrentSchema(own.database.pool)).rejects.toThrow('behind this version');
  });

  test('a schema whose history was changed is not migrated further', async () => {
    await own.database.pool.query(`update schema_migrations set checksum = 'another' where version = 1`);
    await expect(migrate(own.url, () => {})).rejects.toThrow('was changed after it had been applied');
  });
});
