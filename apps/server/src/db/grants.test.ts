import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { ALL_GRANTS, FUNCTIONS, JOB_FUNCTIONS, SEQUENCES } from '../../rig/database/expected-grants.ts';
import { JOB_GRANTS } from '../../rig/database/expected-people-grants.ts';
import type { TestDatabase } from '../../rig/database/test-database.ts';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import { roleUrl } from '../../rig/database/role-database.ts';
import type { ProcessRole } from './role.ts';
import { PROCESS_ROLES, roleName } from './role.ts';

let own: TestDatabase;
beforeAll(async () => {
  own = await openTestDatabase(inject('template'));
});
afterAll(() => own.drop());

/**
 * Rights by table: whole privileges as the server lists them, then those of single columns. Rights through PUBLIC
 * count.
 */
const PRIVILEGES = `
select c.relname as name, concat_ws(' ',
  (select string_agg(lower(p.name), ' ' order by p.place) from privileges p where has_table_privilege($1, c.oid, p.name)),
  (select string_agg(k.rights, ' ' order by k.rights) from (
    select lower(p.name) || '(' || string_agg(a.attname, ',' order by a.attname) || ')' as rights
    from privileges p join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where p.of_columns and not has_table_privilege($1, c.oid, p.name) and has_column_privilege($1, c.oid, a.attnum, p.name)
    group by p.name) k)) as rights
from pg_class c
where c.relnamespace = $2::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'f')
order by c.relname`;
const WITH_PRIVILEGES = `
with privileges (name, place, of_columns) as (values ('SELECT', 1, true), ('INSERT', 2, true), ('UPDATE', 3, true),
  ('DELETE', 4, false), ('TRUNCATE', 5, false), ('REFERENCES', 6, true), ('TRIGGER', 7, false))`;

const MONTH = /_\d{4}_\d{2}$/;
const DAY = /_\d{8}$/;

async function rightsOf(role: ProcessRole, schema = 'public'): Promise<Map<string, string>> {
  const { rows } = await own.database.pool.query<{ name: string; rights: string }>(`${WITH_PRIVILEGES} ${PRIVILEGES}`, [
    roleName(role),
    schema,
  ]);
  return new Map(rows.map(({ name, rights }) => [name, rights]));
}

describe.each(PROCESS_ROLES)('the role of the %s', (role) => {
  test('has in every table exactly the rights that are listed here', async () => {
    const rights = await rightsOf(role);
    const months = [...rights].filter(([name]) => MONTH.test(name));
    expect(months.filter(([, right]) => right !== '')).toEqual([]);
    const others = Object.fromEntries([...rights].filter(([name]) => !MONTH.test(name)));
    expect(others).toEqual(
      Object.fromEntries(Object.entries(ALL_GRANTS).map(([name, granted]) => [name, granted[role] ?? ''])),
    );
  });

  test('has in every table of jobs exactly the rights that are listed here', async () => {
    const rights = await rightsOf(role, 'pgboss');
    expect([...rights].filter(([name, right]) => DAY.test(name) && right !== '')).toEqual([]);
    const others = Object.fromEntries([...rights].filter(([name]) => !DAY.test(name)));
    const expected = Object.keys(JOB_GRANTS).map((name) => [name, JOB_GRANTS[name]?.[role] ?? '']);
    expect(others).toEqual(Object.fromEntries(expected));
    const { rows } = await own.database.pool.query<{ create: boolean; usage: boolean; functions: string[] }>(
      `select has_schema_privilege($1, 'pgboss', 'create') as create, has_schema_privilege($1, 'pgboss', 'usage') as usage,
         array(select proname::text from pg_proc
           where pronamespace = 'pgboss'::regnamespace and has_function_privilege($1, oid, 'execute') order by 1) as functions`,
      [roleName(role)],
    );
    const functions = Object.keys(JOB_FUNCTIONS).filter((name) => JOB_FUNCTIONS[name]?.includes(role));
    expect(rows).toEqual([{ create: false, usage: role !== 'api' && role !== 'views', functions }]);
  });

  test('uses sequences and calls functions only where it must', async () => {
    const { rows: sequences } = await own.database.pool.query<{ name: string; rights: string }>(
      `select c.relname as name, concat_ws(' ', case when has_sequence_privilege($1, c.oid, 'usage') then 'usage' end,
         case when has_sequence_privilege($1, c.oid, 'select, update') then 'more' end) as rights
       from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind = 'S'`,
      [roleName(role)],
    );
    const usable = sequences.filter(({ rights }) => rights !== '').map(({ name, rights }) => `${name} ${rights}`);
    const drawn = Object.keys(SEQUENCES).filter((name) => SEQUENCES[name]?.includes(role));
    expect(usable.toSorted()).toEqual(drawn.map((name) => `${name} usage`));
    const { rows: functions } = await own.database.pool.query<{ name: string }>(
      `select proname as name from pg_proc
       where pronamespace = 'public'::regnamespace and has_function_privilege($1, oid, 'execute') order by 1`,
      [roleName(role)],
    );
    const called = Object.keys(FUNCTIONS).filter((name) => FUNCTIONS[name]?.includes(role));
    expect(functions.map(({ name }) => name)).toEqual(called);
  });

  test('is no superuser, owns nothing and is a member of no other role', async () => {
    const { rows } = await own.database.pool.query(
      `select rolsuper or rolcreaterole or rolcreatedb or rolreplication or rolbypassrls as mighty,
         exists (select from pg_class where relowner = r.oid) or exists (select from pg_proc where proowner = r.oid) as owns,
         exists (select from pg_auth_members where member = r.oid) as another
       from pg_roles r where rolname = $1`,
      [roleName(role)],
    );
    expect(rows).toEqual([{ mighty: false, owns: false, another: false }]);
  });

  test.each([
    ['another role', 'set role counterfoil_owner'],
    ['triggers', 'alter table audit_entries disable trigger all'],
    ['triggers of the ledger', 'drop trigger ledger_entries_append_only on ledger_entries'],
    ['all triggers at once', `set session_replication_role = 'replica'`],
    ['an entry of the audit', `update audit_entries set actor = 'nobody'`],
    ['the end of the audit', 'delete from audit_entries'],
    ['the whole audit', 'truncate audit_entries'],
    ['an entry of the ledger', 'update ledger_entries set micro_usd = 1'],
    ['a month of the ledger', 'delete from ledger_entries_default'],
    ['the schema', 'alter table invoices add column mine text'],
    ['a table', 'drop table brands'],
    ['a new table', 'create table mine (id integer)'],
    ['a new table of jobs', 'create table pgboss.mine (id integer)'],
    ['the settings of a job queue', `update pgboss.queue set retry_limit = 0`],
    ['a trap for others', 'create function mine() returns integer language sql as $$ select 1 $$'],
    ['the history of the schema', 'delete from schema_migrations'],
    ['settings of another role', 'alter role counterfoil_owner set timezone = default'],
  ])('is refused %s', async (_, statement) => {
    const client = new pg.Client({ connectionString: roleUrl(own.url, role) });
    await client.connect();
    try {
      // A role that only looks may still ask for transactions that write.
      await client.query('set default_transaction_read_only = off');
      await expect(client.query(statement)).rejects.toMatchObject({ code: '42501' });
    } finally {
      await client.end();
    }
  });
});

test('everything belongs to the owner, who cannot do more than own it', async () => {
  const { rows: strangers } = await own.database.pool.query(
    `select c.relname from pg_class c where c.relnamespace in ('public'::regnamespace, 'pgboss'::regnamespace)
       and c.relowner <> 'counterfoil_owner'::regrole
     union all
     select p.proname from pg_proc p where p.pronamespace in ('public'::regnamespace, 'pgboss'::regnamespace)
       and p.proowner <> 'counterfoil_owner'::regrole
     union all
     select nspname from pg_namespace where nspname = 'pgboss' and nspowner <> 'counterfoil_owner'::regrole`,
  );
  expect(strangers).toEqual([]);
  const { rows } = await own.database.pool.query(
    `select rolsuper or rolcreaterole or rolcreatedb or rolreplication or rolbypassrls as mighty
     from pg_roles where rolname = 'counterfoil_owner'`,
  );
  expect(rows).toEqual([{ mighty: false }]);
});

test('functions that run with the rights of the owner have a fixed search path', async () => {
  const { rows } = await own.database.pool.query<{ name: string; settings: string[] | null }>(
    `select proname as name, proconfig as settings from pg_proc
     where pronamespace = 'public'::regnamespace and prosecdef order by 1`,
  );
  expect(rows.map(({ name }) => name)).toEqual(Object.keys(FUNCTIONS));
  for (const { settings } of rows) expect(settings).toContain('search_path=pg_catalog, public, pg_temp');
});
