import type pg from 'pg';
import type { ReadingFact } from '../chains/reading.ts';
import type { ConnectionFacts } from './judge-connections.ts';
import type { WritingFacts } from './judge-writing.ts';

/**
 * Counts connections of the whole server. Other roles' sessions are shown without kind, so those with a database and a
 * user are counted, which the server's own processes lack.
 */
export async function readConnectionFacts(pool: pg.Pool): Promise<ConnectionFacts> {
  const { rows } = await pool.query<ConnectionFacts>(
    `select least(
         current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer
           - coalesce(current_setting('reserved_connections', true), '0')::integer,
         (select nullif(datconnlimit, -1) from pg_database where datname = current_database())) as usable,
       (select count(*)::integer from pg_stat_activity where datid is not null and usesysid is not null) as used`,
  );
  return rows[0] ?? { usable: 0, used: 0 };
}

/** Monthly tables without the partition of a month, by its first day. */
export async function findUnpartitioned(pool: pg.Pool, period: string): Promise<string[]> {
  const suffix = period.slice(0, 7).replace('-', '_');
  const { rows } = await pool.query<{ name: string }>(
    `select c.relname::text as name from pg_partitioned_table p join pg_class c on c.oid = p.partrelid
     where c.relnamespace = 'public'::regnamespace and to_regclass(format('public.%I', c.relname || '_' || $1)) is null
     order by 1`,
    [suffix],
  );
  return rows.map(({ name }) => name);
}

export async function listAcceptedNetworks(pool: pg.Pool): Promise<string[]> {
  const { rows } = await pool.query<{ network: string }>(
    `select distinct w.network from wallets w join stores s on s.id = w.store_id join merchants m on m.id = s.merchant_account_id
     where w.removed_at is null and s.live and s.active and m.active order by 1`,
  );
  return rows.map(({ network }) => network);
}

/** Followed networks, with the facts that show whether they are read. */
export async function readReadingFacts(pool: pg.Pool): Promise<(ReadingFact & { network: string })[]> {
  const { rows } = await pool.query<ReadingFact & { network: string }>(
    `select network, block_time as "readTime", head_time as "headTime", head_read_at as "headReadAt" from chains
     where retired_at is null order by 1`,
  );
  return rows;
}

export async function readWritingFacts(pool: pg.Pool): Promise<WritingFacts> {
  const { rows } = await pool.query<WritingFacts>(
    `select pg_is_in_recovery() as "isStandby", current_setting('transaction_read_only')::boolean as "isReadOnly"`,
  );
  return rows[0] ?? { isStandby: false, isReadOnly: false };
}

/** Names that have a session in this database now. */
export async function listConnected(pool: pg.Pool, names: readonly string[]): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `select distinct application_name as name from pg_stat_activity
     where application_name = any ($1) and datname = current_database()`,
    [names],
  );
  return rows.map(({ name }) => name);
}

export async function hasPlan(pool: pg.Pool, code: string): Promise<boolean> {
  const { rows } = await pool.query('select from plans where code = $1', [code]);
  return rows.length > 0;
}
