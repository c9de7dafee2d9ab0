import pg from 'pg';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { prepareAsMigrator } from '../../rig/database/role-database.ts';
import { createDatabase, dropDatabase, temporaryName } from '../../rig/database/temporary-database.ts';
import { applyRoles } from './apply-roles.ts';
import { migrate } from './migrate.ts';

const NOW = new Date('2026-11-15T12:00:00Z');
const DATABASES = 3;

let urls: string[];
let names: string[];
beforeEach(async () => {
  names = Array.from({ length: DATABASES }, () => temporaryName('test'));
  urls = [];
  for (const name of names) urls.push(await createDatabase(inject('adminUrl'), name));
});
afterEach(async () => {
  for (const name of names) await dropDatabase(inject('adminUrl'), name);
});

async function withClient<T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

const first = () => urls[0] ?? '';

const OWNERS = `select distinct relowner::regrole::text as owner from pg_class
  where relnamespace::regnamespace::text in ('public', 'pgboss') and relkind in ('r', 'p')`;

describe('roles', () => {
  test('roles can be created at once in several databases of one server, and again', async () => {
    await Promise.all([...urls, ...urls].map((url) => withClient(url, applyRoles)));
  });

  test('roles take over a database from before them, with its rows', async () => {
    await migrate(first(), () => {});
    const lines: string[] = [];
    const log = (line: string) => lines.push(line);
    await prepareAsMigrator(first(), { roles: false, now: NOW, log });
    expect(lines).toEqual([expect.stringContaining('--roles')]);
    await withClient(first(), (client) =>
      client.query(`insert into plans (code, fee_rate_percent, created_at) values ('kept', 1, now())`),
    );
    expect(await prepareAsMigrator(first(), { roles: true, now: NOW, log: () => {} })).toBe(0);
    await withClient(first(), async (client) => {
      expect((await client.query(OWNERS)).rows).toEqual([{ owner: 'counterfoil_owner' }]);
      await client.query('set role counterfoil_api');
      expect((await client.query('select code from plans')).rows).toEqual([{ code: 'kept' }]);
      await expect(client.query('delete from plans')).rejects.toMatchObject({ code: '42501' });
    });
  });

  test('the owner role owns what later migrations make, whoever runs them', async () => {
    await withClient(first(), applyRoles);
    await migrate(first(), () => {});
    await withClient(first(), async (client) => {
      expect((await client.query(OWNERS)).rows).toEqual([{ owner: 'counterfoil_owner' }]);
    });
  });

  test('roles lose what is granted to them beside the file, with the next migration', async () => {
    await prepareAsMigrator(first(), { roles: true, now: NOW, log: () => {} });
    const granted = () =>
      withClient(first(), async (client) => {
        const { rows } = await client.query<{ granted: boolean }>(
          `select has_table_privilege('counterfoil_api', 'secrets', 'select') as granted`,
        );
        return rows[0]?.granted;
      });
    await withClient(first(), (client) => client.query('grant select on secrets to counterfoil_api, public'));
    expect(await granted()).toBe(true);
    await prepareAsMigrator(first(), { roles: false, now: NOW, log: () => {} });
    expect(await granted()).toBe(false);
  });

  test('roles keep what a newer version granted them when an older one migrates beside it', async () => {
    await prepareAsMigrator(first(), { roles: true, now: NOW, log: () => {} });
    await withClient(first(), async (client) => {
      await client.query('set role counterfoil_owner');
      await client.query('create table of_tomorrow (id bigint)');
      await client.query('grant select on of_tomorrow to counterfoil_worker');
      await client.query(
        `insert into schema_migrations (version, name, checksum, compatible_from)
         select max(version) + 1, 'of-tomorrow.sql', '', max(version) from schema_migrations`,
      );
    });
    for (const roles of [false, true]) {
      const lines: string[] = [];
      expect(await prepareAsMigrator(first(), { roles, now: NOW, log: (line) => lines.push(line) })).toBe(0);
      expect(lines).toEqual([expect.stringContaining('newer')]);
    }
    await withClient(first(), async (client) => {
      const { rows } = await client.query(
        `select has_table_privilege('counterfoil_worker', 'of_tomorrow', 'select') as granted`,
      );
      expect(rows).toEqual([{ granted: true }]);
    });
  });

  test('the owner role migrates alone once the roles are there, and is told who makes the schema of jobs before', async () => {
    const owner = new URL(first());
    await prepareAsMigrator(first(), { roles: true, now: NOW, log: () => {} });
    await withClient(first(), async (client) => {
      await client.query('set role counterfoil_owner');
      await client.query('drop schema pgboss cascade');
    });
    owner.username = 'counterfoil_owner';
    const asOwner = () => prepareAsMigrator(owner.href, { roles: false, now: NOW, log: () => {} });
    await expect(asOwner()).rejects.toMatchObject({ code: 'JOBS_WITHOUT_SCHEMA' });
    await withClient(first(), applyRoles);
    expect(await asOwner()).toBe(0);
    expect(await asOwner()).toBe(0);
  });

  test('roles let nobody put temporary tables into the database, or tables beside theirs', async () => {
    await prepareAsMigrator(first(), { roles: true, now: NOW, log: () => {} });
    await withClient(first(), async (client) => {
      const { rows } = await client.query(
        `select has_database_privilege('counterfoil_worker', current_database(), 'temporary') as temporary,
           has_database_privilege('counterfoil_worker', current_database(), 'connect') as connect,
           has_schema_privilege('counterfoil_worker', 'public', 'create') as beside`,
      );
      expect(rows).toEqual([{ temporary: false, connect: true, beside: false }]);
    });
  });
});
