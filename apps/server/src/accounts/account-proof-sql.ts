import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';
import { unnestRows } from '../db/unnest-rows.ts';
import { ACCOUNT_TIER } from './account-sql.ts';

export type UnprovenPayment = {
  id: bigint;
  txId: string;
  index: string;
  units: bigint;
  height: number;
  blockHash: string;
  readBy: string | null;
};

/** Unproven payments above coverage, up to the final height, oldest first. */
export async function readUnprovenPayments(
  queries: Queries,
  network: string,
  account: string,
  { above, upTo, limit }: { above: number; upTo: number; limit: number },
): Promise<UnprovenPayment[]> {
  const { rows } = await sql<Omit<UnprovenPayment, 'units'> & { units: string }>`
    select id, tx_id as "txId", index, units, height::float8 as height, block_hash as "blockHash", read_by as "readBy"
    from transfers
    where network = ${network} and to_address = ${account} and height > ${above}::bigint and height <= ${upTo}::bigint
      and canonical and invoice_id is not null and reason is null and settled_hash is distinct from block_hash
    order by height, id limit ${limit}`.execute(queries);
  return rows.map((row) => Object.assign(row, { units: BigInt(row.units) }));
}

type SeenAsFinal = { txId: string; index: string; blockHash: string };

/** Records the proof of transfers that are still in the block where they were seen as final; returns their ids. */
export async function settleSeenAsFinal(
  tx: Tx,
  network: string,
  seen: readonly SeenAsFinal[],
  { by, at }: { by: string; at: Date },
): Promise<bigint[]> {
  if (seen.length === 0) return [];
  const { rows } = await sql<{ id: bigint }>`
    update transfers t set settled_tier = ${ACCOUNT_TIER}, settled_hash = t.block_hash, proven_by = ${by},
      proven_how = 'balances', proven_at = ${at}
    from ${unnestRows(seen, 's', {
      tx_id: ['text', (one) => one.txId],
      index: ['text', (one) => one.index],
      block_hash: ['text', (one) => one.blockHash],
    })}
    where t.network = ${network} and t.tx_id = s.tx_id and t.index = s.index and t.block_hash = s.block_hash and t.canonical
    returning t.id`.execute(tx);
  return rows.map((row) => row.id);
}
