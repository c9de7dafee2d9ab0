import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';
import { unnestRows } from '../db/unnest-rows.ts';
import type { StatementRow } from '../platforms/statement-source.ts';
import type { StoredRow } from './compare-statement.ts';
import type { TimeRange } from './plan-statement.ts';

/** Transfers to exchange accounts; height is the platform's time in ms. */

/** Pending rows of `t`, in the form of the index of pending rows. */
const IS_PENDING = sql`t.canonical and t.block_hash = 'pending'`;

/** `block_hash` holds the row's state: a settled mark becomes void when the state changes. */
export const FINAL: StatementRow['state'] = 'final';

/** Amounts read to find the oldest: an account seldom has more than one when following starts. */
const MAX_HELD = 100;

/** The oldest open or quarantined amount of an exchange account. */
type OldestHeld = {
  from: number | undefined;
  more: boolean;
  /** When the account was added (unix seconds): no amount is older. */
  addedAt: number | undefined;
};

export async function findOldestHeld(tx: Tx, network: string, account: string, now: Date): Promise<OldestHeld> {
  const { rows } = await sql<{ oldest: number | null; held: number; addedAt: number | null }>`
    select extract(epoch from min(q.held_from))::float8 as oldest, count(*)::integer as held,
      (select extract(epoch from x.added_at)::float8 from exchange_accounts x
        where x.network = ${network} and x.account = ${account}) as "addedAt"
    from (select quote_id from amount_slots where network = ${network} and address = ${account} and held_until > ${now}
        order by held_until limit ${MAX_HELD}) s join quotes q on q.id = s.quote_id`.execute(tx);
  const found = rows[0];
  return {
    from: found?.oldest ?? undefined,
    more: (found?.held ?? 0) >= MAX_HELD,
    addedAt: found?.addedAt ?? undefined,
  };
}

export async function readStoredRows(
  queries: Queries,
  network: string,
  account: string,
  ranges: readonly TimeRange[],
): Promise<StoredRow[]> {
  type Row = Omit<StoredRow, 'units' | 'missingSinceMs'> & { units: string; missingSinceMs: number | null };
  const { rows } = await sql<Row>`
    select distinct t.id, t.tx_id as "txId", t.token, t.units, t.height::float8 as "atMs", t.canonical, t.written_by as "writtenBy",
      extract(epoch from t.missing_since)::float8 * 1000 as "missingSinceMs"
    from ${unnestRows(ranges, 'r', {
      from_ms: ['bigint', ({ fromMs }) => fromMs],
      to_ms: ['bigint', ({ toMs }) => toMs],
    })} cross join lateral (
      select t.*, t.xmin::text as written_by from transfers t where t.network = ${network} and t.to_address = ${account}
        and t.height between r.from_ms and r.to_ms and t.named_by is null
      order by t.network, t.to_address, t.height) t`.execute(queries);
  return rows.map(({ id, txId, token, units, atMs, canonical, writtenBy, missingSinceMs }) => ({
    id,
    txId,
    token,
    units: BigInt(units),
    atMs,
    canonical,
    writtenBy,
    missingSinceMs: missingSinceMs ?? undefined,
  }));
}

/** Gives stored rows the ids that their platform assigned since. */
export async function renameRows(tx: Tx, renamed: readonly { id: bigint; txId: string }[]): Promise<void> {
  if (renamed.length === 0) return;
  await sql`
    update transfers t set tx_id = r.tx_id
    from ${unnestRows(renamed, 'r', { id: ['bigint', ({ id }) => id], tx_id: ['text', ({ txId }) => txId] })}
    where t.id = r.id and not exists (
      select from transfers o where o.network = t.network and o.tx_id = r.tx_id and o.index = t.index)`.execute(tx);
}

/** Stored rows with the id `k.tx_id`, for a lateral join. `order by` forces the index even in old plans. */
function byTxId(network: string): RawBuilder<{ id: bigint }> {
  return sql`select o.id from transfers o where o.network = ${network} and o.tx_id = k.tx_id
    order by o.network, o.tx_id, o.index`;
}

export async function creditTransfers(
  tx: Tx,
  network: string,
  account: string,
  txIds: readonly string[],
  at: Date,
): Promise<bigint[]> {
  if (txIds.length === 0) return [];
  const { rows } = await sql<{ id: bigint }>`
    update transfers t set settled_tier = 'credited', settled_hash = t.block_hash, proven_by = t.read_by,
      proven_how = t.read_how, proven_at = ${at}
    from unnest(${txIds}::text[]) as k (tx_id) cross join lateral (${byTxId(network)}) f
    where t.id = f.id and t.to_address = ${account} and t.canonical and t.block_hash = ${FINAL}
      and t.settled_hash is distinct from t.block_hash
    returning t.id`.execute(tx);
  return rows.map(({ id }) => id);
}

export async function saveOtherIds(
  tx: Tx,
  network: string,
  account: string,
  rows: readonly StatementRow[],
): Promise<void> {
  const named = rows.filter(({ otherId }) => otherId !== undefined);
  if (named.length === 0) return;
  await sql`
    update transfers t set other_id = k.other_id
    from ${unnestRows(named, 'k', {
      tx_id: ['text', ({ id }) => id],
      other_id: ['text', ({ otherId }) => otherId ?? null],
    })}
    cross join lateral (${byTxId(network)}) f
    where t.id = f.id and t.to_address = ${account} and t.other_id is distinct from k.other_id`.execute(tx);
}

export async function saveMissing(tx: Tx, ids: readonly bigint[], since: Date | null): Promise<void> {
  if (ids.length === 0) return;
  await sql`update transfers set missing_since = ${since} where id = any(${ids}::bigint[])`.execute(tx);
}

/** Times of pending rows that pay invoices, within a range, oldest first. */
export async function findPendingTimes(
  queries: Queries,
  network: string,
  account: string,
  { fromMs, toMs }: TimeRange,
  limit: number,
): Promise<number[]> {
  const { rows } = await sql<{ atMs: number }>`
    select t.height::float8 as "atMs" from transfers t
    where t.network = ${network} and t.to_address = ${account} and t.height between ${fromMs}::bigint and ${toMs}::bigint
      and ${IS_PENDING} and t.invoice_id is not null
    order by t.network, t.to_address, t.height limit ${limit}`.execute(queries);
  return rows.map(({ atMs }) => atMs);
}

/** Pending rows that pay invoices, older than a time, oldest first. */
export async function findPendingBefore(
  tx: Tx,
  network: string,
  account: string,
  beforeMs: number,
  limit: number,
): Promise<{ id: bigint; txId: string; atMs: number }[]> {
  const { rows } = await sql<{ id: bigint; txId: string; atMs: number }>`
    select t.id, t.tx_id as "txId", t.height::float8 as "atMs" from transfers t
    where t.network = ${network} and t.to_address = ${account} and t.height < ${beforeMs}::bigint
      and ${IS_PENDING} and t.invoice_id is not null
    order by t.network, t.to_address, t.height limit ${limit}`.execute(tx);
  return rows;
}
