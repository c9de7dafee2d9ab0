import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { TestDatabase } from '../../rig/database/test-database.ts';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import { roleUrl } from '../../rig/database/role-database.ts';
import type { ProcessRole } from './role.ts';
import { PROCESS_ROLES, roleName } from './role.ts';

/**
 * Expected rights of each role, written independently of grants.sql: a table missing here, or a right that differs,
 * fails. A right to some columns names them; a role without rights is left out. Partitions of months belong to the
 * owner only.
 */
const GRANTS: Record<string, Partial<Record<ProcessRole, string>>> = {
  account_demands: { api: 'insert', worker: 'select insert delete update(id)', admin: 'insert' },
  admissions: { api: 'select insert update delete' },
  alarms: {
    api: 'select insert',
    worker: 'select insert',
    admin: 'select insert update(acknowledged_at,acknowledged_by)',
  },
  amount_slots: {
    api: 'select insert update(held_until,quote_id)',
    worker: 'select update(held_until)',
    admin: 'select insert update(held_until,quote_id)',
  },
  api_keys: { api: 'select(expires_at,hash,store_id)', admin: 'select insert update(expires_at)' },
  attempts: { worker: 'select insert', admin: 'select' },
  attempts_default: { worker: 'select delete' },
  audit_entries: { worker: 'select insert', admin: 'select insert' },
  audit_links: { worker: 'select insert', admin: 'select insert' },
  balances: {
    api: 'select update(available_micro_usd)',
    worker: 'select update(available_micro_usd,overdraft_micro_usd)',
    admin: 'select insert update(available_micro_usd,overdraft_micro_usd)',
  },
  brands: { api: 'select', admin: 'select insert update(accent,display_name,logo_hash)' },
  chain_blocks: {
    worker: 'select insert delete update(block_time,hash,kept,parent_hash)',
    admin: 'select insert delete update(block_time,hash,kept,parent_hash)',
  },
  chain_coverage: { worker: 'select insert update(block_time,height)', admin: 'select update(block_time,height)' },
  chain_reads: { worker: 'select insert delete update(hash,read_at,read_by)', admin: 'select insert delete' },
  chains: {
    api: 'select',
    worker:
      'select insert update(block_time,frozen_at,frozen_reason,hash,head_height,head_read_at,head_time,height,lease_owner,lease_until,rewinds)',
    admin: 'select update(block_time,frozen_at,frozen_reason,hash,height,retired_at,retired_reason,rewinds)',
  },
  deliveries: {
    api: 'select(attempts,event_row_id,id,state)',
    worker: 'select insert update(attempts,leased_until,next_attempt_at,probes,resume_at,state,unscheduled)',
    admin: 'select insert',
  },
  endpoints: { worker: 'select insert update(failures,probe_at)', admin: 'select insert' },
  event_checks: { worker: 'select update(reached_at,reached_id)' },
  events: {
    api: 'select(event_id,id,invoice_id,sequence,type)',
    worker: 'select insert update(body)',
    admin: 'select insert update(id)',
  },
  expired_pending: { worker: 'select insert delete', admin: 'insert' },
  exchange_accounts: {
    api: 'select(account,checked_at,fault,key_expires_at,network,stopped_at)',
    worker:
      'select update(check_due_at,checked_at,day_read_at,fault,faulty_since,key_expires_at,latest_row_ms,overlap_read_at,stop_reason,stopped_at,stopped_by)',
    admin:
      'select insert update(base_url,bound_to_addresses,check_due_at,checked_at,day_read_at,fault,faulty_since,is_sub_account,key_expires_at,key_hint,latest_row_ms,overlap_read_at,removed_at,secret_id,stop_reason,stopped_at,stopped_by)',
  },
  followed_accounts: {
    api: 'select(account,network,stopped_at)',
    worker: 'select insert update',
    admin: 'select insert update(next_read_at,version)',
  },
  invoice_changes: { api: 'select insert delete', worker: 'insert', admin: 'insert' },
  invoices: {
    api: 'select insert update(gate_network,gate_scope,gate_tier,quote_id)',
    worker:
      'select update(callback_status,ended_at,expires_at,from_address,gate_network,gate_scope,gate_tier,late,paid_transfer_id,quote_id,settled_at,status,transaction_hash)',
    admin:
      'select update(ended_at,from_address,gate_network,gate_scope,gate_tier,late,paid_transfer_id,quote_id,settled_at,status,transaction_hash)',
  },
  key_ring_holders: { worker: 'select insert delete update(fault,key_ids,seen_at)', admin: 'select' },
  key_ring_keys: { worker: 'select', admin: 'select insert delete' },
  ledger_entries: { api: 'insert', worker: 'insert', admin: 'select insert' },
  ledger_entries_default: {},
  logos: { api: 'select', admin: 'select insert' },
  mails: { worker: 'select insert update(attempts,decided_at,last_error,state)', admin: 'select insert' },
  merchants: { api: 'select', worker: 'select(event_salt,id)', admin: 'select insert update(active)' },
  named_transactions: {
    api: 'select insert',
    worker: 'select update(ended_at,height,next_try_at,outcome,tries)',
    admin: 'select insert update(ended_at,named_at,named_by,next_try_at,outcome,tries)',
  },
  plans: { api: 'select', admin: 'select insert' },
  platform_pauses: {
    worker: 'select insert update(paused_until,reason)',
    admin: 'select insert update(paused_until,reason)',
  },
  price_history: { api: 'select', worker: 'select insert delete', admin: 'select' },
  price_reports: { api: 'select', worker: 'select insert update(observed_at,usd)', admin: 'select' },
  quotes: { api: 'select insert', worker: 'select update(held_from,held_to)', admin: 'select insert update(held_to)' },
  receiving_addresses: { admin: 'select insert' },
  reverted_payments: { worker: 'select insert delete', admin: 'select insert delete' },
  sandbox_accounts: { worker: 'select insert update(changes,height)' },
  sandbox_acts: { api: 'select insert', worker: 'select insert delete update(done_at,outcome)' },
  sandbox_transfers: { api: 'select', worker: 'select insert update(block_hash,final,gone,height,paid_at)' },
  schema_migrations: { api: 'select', worker: 'select', admin: 'select' },
  sealing_key: { worker: 'select update(one)', admin: 'select insert delete update(one,ring_key_id)' },
  secrets: { worker: 'select insert', admin: 'select insert update(abandoned_at,ring_key_id,sealed)' },
  stores: { api: 'select', worker: 'select', admin: 'select insert update(active)' },
  test_faults: { api: 'select', worker: 'select insert update(outage_until,prices_gone_until,webhooks_fail_until)' },
  transfers: { api: 'select', worker: 'select insert update', admin: 'select insert update' },
  unreadable_transactions: {
    worker: 'select insert delete update(alarmed_at,fault,next_try_at,reason,tries)',
    admin: 'select insert update(alarmed_at,passed_at)',
  },
  wallets: { api: 'select update(id)', worker: 'select', admin: 'select insert update(removed_at)' },
  watch_versions: { worker: 'select', admin: 'select insert update(version)' },
  webhook_secrets: { worker: 'select', admin: 'select insert update(expires_at)' },
};

/** Expected rights in the tables of pg-boss. Its daily partitions of statistics belong to the owner only. */
const JOB_GRANTS: typeof GRANTS = {
  bam: {},
  job: { worker: 'insert' },
  job_common: {
    worker:
      'select insert delete update(blocked,completed_on,heartbeat_on,output,pending_dependencies,retry_count,started_on,state)',
    admin: 'insert select(id)',
  },
  job_dependency: { worker: 'select delete' },
  queue: {
    worker:
      'select update(active_count,deferred_count,failed_count,maintain_on,monitor_claim_on,monitor_on,queued_count,ready_count,ready_history,singletons_active,total_count)',
    admin: 'select',
  },
  queue_stats: {},
  schedule: {},
  subscription: {},
  version: { worker: 'select', admin: 'select' },
  warning: {},
};

const SEQUENCES: Record<string, ProcessRole[]> = {
  events_id_seq: ['worker', 'admin'],
  quotes_id_seq: ['api', 'admin'],
};
const FUNCTIONS: Record<string, ProcessRole[]> = { drop_oldest_attempts: ['worker'], make_partitions: ['worker'] };
const JOB_FUNCTIONS: typeof FUNCTIONS = { job_now: ['worker', 'admin'] };

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
    expect(others).toEqual(Object.fromEntries(Object.keys(GRANTS).map((name) => [name, GRANTS[name]?.[role] ?? ''])));
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
    expect(rows).toEqual([{ create: false, usage: role !== 'api', functions }]);
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
