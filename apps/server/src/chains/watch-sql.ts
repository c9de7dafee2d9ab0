import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';

/** SQL of the watch set and its version. */

export async function readWatchVersion(queries: Queries | Tx, network: string): Promise<bigint> {
  const row = await queries
    .selectFrom('watch_versions')
    .select('version')
    .where('network', '=', network)
    .executeTakeFirst();
  return row?.version ?? 0n;
}

/** Time of the cursor's block. Quarantine uses it, so that a reader that is days behind misses no payment. */
const readUpTo = (network: string) =>
  sql`coalesce((select h.block_time from chains h where h.network = ${network}), '-infinity')`;

/** Wallets of live stores, and removed or test wallets whose amounts are in use or quarantine. */
export async function readWatched(queries: Queries, network: string): Promise<string[]> {
  const { rows } = await sql<{ address: string }>`
    select w.address from wallets w join stores s on s.id = w.store_id
    where w.network = ${network} and w.removed_at is null and s.live
    union
    select w.address from wallets w join stores o on o.id = w.store_id cross join lateral (
      select from amount_slots s where s.network = w.network and s.address = w.address and s.held_until > ${readUpTo(network)} limit 1) s
    where w.network = ${network} and (w.removed_at is not null or not o.live)`.execute(queries);
  return rows.map((row) => row.address);
}

/** Whether a quote in the own coin may be paid after `since`; only then whole blocks are read. */
export async function hasNativeQuotes(
  queries: Queries | Tx,
  network: string,
  token: string,
  since?: Date,
): Promise<boolean> {
  const { rows } = await sql`
    select from amount_slots where network = ${network} and token = ${token} and held_until > ${since ?? readUpTo(network)} limit 1`.execute(
    queries,
  );
  return rows.length > 0;
}
