import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';
import { unnestRows } from '../db/unnest-rows.ts';
import type { StoredTransfer } from '../sources/transfer.ts';
import type { StoredHeader } from './header-sql.ts';

/** SQL of rescans: stored headers around a range, and confirmations of its transfers. */

/** The lowest stored header, or the cursor, at or above a height: a provider that shows it is on our chain. */
export async function readHeaderAbove(
  queries: Queries,
  network: string,
  height: number,
): Promise<StoredHeader | undefined> {
  const { rows } = await sql<StoredHeader>`
    select b.height::float8 as height, b.hash from chains c
      cross join lateral (
        (select height, hash from chain_blocks b where b.network = c.network and b.height >= ${height}::bigint order by b.height limit 1)
        union all select c.height, c.hash where c.height >= ${height}::bigint
        order by height limit 1) b
    where c.network = ${network}`.execute(queries);
  return rows[0];
}

export async function hasHeaderBelow(queries: Queries, network: string, height: number): Promise<boolean> {
  const { rows } = await sql`
    select from chain_blocks where network = ${network} and height <= ${height}::bigint limit 1`.execute(queries);
  return rows.length > 0;
}

export async function readTransferIds(
  tx: Tx,
  network: string,
  transfers: readonly Pick<StoredTransfer, 'txId' | 'index'>[],
): Promise<bigint[]> {
  const { rows } = await sql<{ id: bigint }>`
    select t.id
    from ${unnestRows(transfers, 'k', { tx_id: ['text', ({ txId }) => txId], index: ['text', ({ index }) => index] })}
      join transfers t on t.network = ${network} and t.tx_id = k.tx_id and t.index = k.index
    order by t.id`.execute(tx);
  return rows.map((row) => row.id);
}

/** Marks unproven transfers as proven by a receipt of provider `by`. */
export async function noteConfirmation(tx: Tx, ids: readonly bigint[], by: string, at: Date): Promise<void> {
  await sql`
    update transfers set proven_by = ${by}, proven_how = 'receipt', proven_at = ${at}
    where id = any(${ids}::bigint[]) and canonical and proven_at is null`.execute(tx);
}
