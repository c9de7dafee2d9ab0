import pg from 'pg';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { openPatiently } from '../../rig/database/role-database.ts';
import type { TestDatabase } from '../../rig/database/test-database.ts';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import { createDatabase, dropDatabase, temporaryName } from '../../rig/database/temporary-database.ts';
import { closeDatabase } from './database.ts';
import type { Migration } from './migrate.ts';
import { migrate, planMigrations, readMigrations, readSchemaState, requireCurrentSchema } from './migrate.ts';

const known: Migration[] = [1, 2, 3].map((version) => ({
  version,
  name: `000${version}-some.sql`,
  sql: '',
  checksum: `sum-${version}`,
  compatibleFrom: 1,
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

  test('existing merchants keep the shard of their first store, and get their own salts', async () => {
    const all = await readMigrations();
    await migrate(
      url,
      () => {},
      all.slice(
        0,
        all.findIndex((one) => one.name.endsWith('event-salts.sql')),
      ),
    );
    await withClient(async (client) => {
      await client.query(`insert into merchants (name, created_at) select 'old', now() from generate_series(1, 3)`);
      await client.query(`insert into plans (code, fee_rate_percent, created_at) values ('some', 1, now())`);
      await client.query(
        `insert into stores (merchant_account_id, merchant_id, shard, name, plan_id, created_at)
         select merchant, 'MID-' || shard, shard, 's', 1, now() from (values (1, 'Q'), (1, 'A'), (2, '7')) s (merchant, shard)`,
      );
    });
    await migrate(url, () => {});
    const { rows } = await withClient((client) =>
      client.query<{ shard: string; salt: string }>(
        `select shard, encode(event_salt, 'hex') as salt from merchants order by id`,
      ),
    );
    expect(rows.map(({ shard }) => shard)).toEqual(['Q', '7', expect.stringMatching(/^[A-Z0-9]$/)]);
    expect(new Set(rows.map(({ salt }) => salt)).size).toBe(3);
    for (const { salt } of rows) expect(salt).toHaveLength(64);
  });

  test('an empty database is reported as behind instead of failing', async () => {
    const database = openPatiently({ url, connections: 1, name: 'test' });
    expect(await readSchemaState(database.pool)).toBe('behind');
    await closeDatabase(database);
  });
});

describe('before serving', () => {
  let own: TestDatabase;
  beforeEach(async () => {
    own = await openTestDatabase(inject('template'));
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
    await expect(requireCurrentSchema(own.database.pool)).rejects.toMatchObject({ code: 'SCHEMA_NEWER' });
    await expect(migrate(own.url, () => {})).rejects.toThrow('which this version does not know');
  });

  /** Applies a migration of a later version on top of ours. */
  async function migrateFurther(sql: string, compatibleFrom: number): Promise<void> {
    const all = await readMigrations();
    const version = all.length + 1;
    await migrate(own.url, () => {}, [...all, { version, name: 'later.sql', sql, checksum: 'later', compatibleFrom }]);
  }

  test('a newer schema that only adds is accepted, and there is nothing left to migrate', async () => {
    const all = await readMigrations();
    await migrateFurther('alter table stores add column later integer', all.at(-1)?.compatibleFrom ?? 0);
    expect(await readSchemaState(own.database.pool)).toBe('compatible');
    await expect(requireCurrentSchema(own.database.pool)).resolves.toBeUndefined();
    expect(await migrate(own.url, () => {})).toBe(0);
  });

  test('a newer schema that takes away what this version needs is refused, and says which version it needs', async () => {
    const { length } = await readMigrations();
    await migrateFurther('alter table stores rename column name to title', length + 1);
    await expect(requireCurrentSchema(own.database.pool)).rejects.toMatchObject({
      code: 'SCHEMA_NEWER',
      details: { migration: 'later.sql', needs: String(length + 1), version: length },
    });
    await expect(migrate(own.url, () => {})).rejects.toThrow('which this version does not know');
  });

  test('a schema with another migration than the one that is known is refused, also below newer ones', async () => {
    await migrateFurther('select 1', 1);
    await own.database.pool.query(`update schema_migrations set checksum = 'another' where version = 1`);
    await expect(requireCurrentSchema(own.database.pool)).rejects.toMatchObject({
      code: 'MIGRATION_CHANGED',
      details: { migration: '0001-foundation.sql' },
    });
  });

  test('the database stores for every migration the oldest version that can run on it', async () => {
    const { rows } = await own.database.pool.query('select compatible_from from schema_migrations order by version');
    expect(rows.map((row) => row.compatible_from)).toEqual(
      (await readMigrations()).map(({ compatibleFrom }) => compatibleFrom),
    );
  });

  test('a schema behind this version is refused', async () => {
    await own.database.pool.query(
      'delete from schema_migrations where version = (select max(version) from schema_migrations)',
    );
    await expect(requireCurrentSchema(own.database.pool)).rejects.toMatchObject({ code: 'SCHEMA_BEHIND' });
  });

  test('a schema whose history was changed is not migrated further', async () => {
    await own.database.pool.query(`update schema_migrations set checksum = 'another' where version = 1`);
    await expect(migrate(own.url, () => {})).rejects.toThrow('was changed after it had been applied');
  });
});
