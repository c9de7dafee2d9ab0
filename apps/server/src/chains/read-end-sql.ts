import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';
import type { BlockRef } from '../sources/transfer.ts';

/** SQL of read ends: where first reads ended, when (in database time), and at which provider. */

export async function insertReadEnd(
  tx: Tx,
  network: string,
  end: Pick<BlockRef, 'height' | 'hash'>,
  readBy: string,
): Promise<void> {
  await sql`
    insert into chain_reads (network, height, hash, read_by) values (${network}, ${end.height}::bigint, ${end.hash}, ${readBy})
    on conflict (network, height) do update set hash = excluded.hash, read_at = excluded.read_at, read_by = excluded.read_by`.execute(
    tx,
  );
}

export type AgedReads = {
  height: number;
  /** Providers of these first reads; null where unknown. */
  readBy: (string | null)[];
};

/**
 * The highest sufficiently old end of a first read above a height, with the providers of reads up to it or `upTo`.
 * `databaseMs` is the time that age was measured at.
 */
export async function readAgedEnd(
  queries: Queries,
  network: string,
  above: number,
  upTo: number,
  ageMs: number,
): Promise<{ aged: AgedReads | undefined; databaseMs: number }> {
  const { rows } = await sql<{ height: number | null; readBy: (string | null)[]; databaseMs: number }>`
    with aged as (
      select height from chain_reads
      where network = ${network} and height > ${above}::bigint and read_at <= clock_timestamp() - make_interval(secs => ${ageMs / 1000})
      order by height desc limit 1
    )
    select extract(epoch from clock_timestamp())::float8 * 1000 as "databaseMs", a.height::float8 as height, (
        select array_agg(distinct r.read_by) from chain_reads r
        where r.network = ${network} and r.height > ${above}::bigint and r.height <= least(a.height, coalesce((
          select min(n.height) from chain_reads n where n.network = ${network} and n.height >= ${upTo}::bigint), a.height))) as "readBy"
    from (values (1)) as one left join aged a on true`.execute(queries);
  const [{ height, readBy, databaseMs } = { height: null, readBy: [], databaseMs: 0 }] = rows;
  return { aged: height === null ? undefined : { height, readBy }, databaseMs };
}

/** Where first reads above a height change provider; null if one made all. */
export async function readRunEnd(queries: Queries, network: string, above: number): Promise<number | null> {
  const ends = sql`from chain_reads where network = ${network} and height > ${above}::bigint`;
  const { rows } = await sql<{ height: number | null }>`
    select max(height)::float8 as height ${ends} and height < (
      select height ${ends} and read_by is distinct from (select read_by ${ends} order by height limit 1)
      order by height limit 1)`.execute(queries);
  return rows[0]?.height ?? null;
}

export async function deleteCoveredEnds(tx: Tx, network: string): Promise<void> {
  await sql`
    delete from chain_reads where network = ${network} and height < (
      select min(height) from chain_coverage where network = ${network} and scope = '')`.execute(tx);
}

/** Cuts read ends at a rewind's common ancestor: the read that contains it ends there, later ones are deleted. */
export async function cutReadEnds(tx: Tx, network: string, ancestor: Pick<BlockRef, 'height' | 'hash'>): Promise<void> {
  await sql`
    insert into chain_reads (network, height, hash, read_at, read_by)
    select network, ${ancestor.height}::bigint, ${ancestor.hash}, read_at, read_by from chain_reads
    where network = ${network} and height >= ${ancestor.height}::bigint order by height limit 1
    on conflict (network, height) do nothing`.execute(tx);
  await sql`delete from chain_reads where network = ${network} and height > ${ancestor.height}::bigint`.execute(tx);
}
