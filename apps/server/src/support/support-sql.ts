import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';

/** Facts of an installation for support: sizes and states, and nothing of a merchant or a customer. */

const MAX_TABLES = 200;

type TableSize = { table: string; rows: bigint; bytes: bigint };

/** The largest tables with about how many rows they have, as the database's statistics say. */
export async function listTableSizes(queries: Queries): Promise<TableSize[]> {
  const { rows } = await sql<TableSize>`
    select c.oid::regclass::text as table, greatest(c.reltuples, 0)::bigint as rows, pg_total_relation_size(c.oid) as bytes
    from pg_class c where c.relkind = 'r' and c.relnamespace in ('public'::regnamespace, 'pgboss'::regnamespace)
    order by bytes desc, c.oid limit ${MAX_TABLES}`.execute(queries);
  return rows;
}

type ServerFacts = { server: string; migration: string | null; jobs: number | null; bytes: bigint };

export async function readServerFacts(queries: Queries): Promise<ServerFacts> {
  const { rows } = await sql<ServerFacts>`
    select current_setting('server_version') as server, (select max(name) from schema_migrations) as migration,
      (select version from pgboss.version) as jobs, pg_database_size(current_database()) as bytes`.execute(queries);
  const [facts] = rows;
  if (!facts) throw new Error('The database said nothing about itself.');
  return facts;
}

type NetworkState = {
  network: string;
  height: bigint;
  head: bigint;
  headReadAt: Date | null;
  isFrozen: boolean;
  isRetired: boolean;
};

export async function listNetworkStates(queries: Queries): Promise<NetworkState[]> {
  const { rows } = await sql<NetworkState>`
    select network, height, head_height as head, head_read_at as "headReadAt", frozen_at is not null as "isFrozen",
      retired_at is not null as "isRetired"
    from chains order by network`.execute(queries);
  return rows;
}

type Counts = Record<string, bigint>;

/** Counted up to this number. */
const COUNTED_UP_TO = 10_000;

const upTo = (rows: ReturnType<typeof sql>) => sql`(select count(*) from (${rows} limit ${COUNTED_UP_TO}) c)`;

/** How many of each; `COUNTED_UP_TO` stands for that many or more. */
export async function countThings(queries: Queries): Promise<Counts> {
  const { rows } = await sql<Counts>`
    select ${upTo(sql`select from merchants`)} as merchants, ${upTo(sql`select from stores where live`)} as live_stores,
      ${upTo(sql`select from stores where not live`)} as test_stores, ${upTo(sql`select from people`)} as users,
      ${upTo(sql`select from wallets where removed_at is null`)} as payment_methods,
      ${upTo(sql`select from mails where state = 'queued'`)} as emails_queued,
      ${upTo(sql`select from mails where state = 'failed'`)} as emails_failed,
      ${upTo(sql`select from waiting_jobs`)} as jobs_kept,
      ${upTo(sql`select from pgboss.job_common where state in ('created', 'retry')`)} as jobs_waiting,
      ${upTo(sql`select from alarms where acknowledged_at is null`)} as alarms_open`.execute(queries);
  return rows[0] ?? {};
}
