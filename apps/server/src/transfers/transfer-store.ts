import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';
import type { StoredTransfer } from './transfer.ts';

const IS_OTHER = sql`(transfers.to_address <> excluded.to_address or transfers.units <> excluded.units)`;

/**
 * Records what was read; a transfer that is known keeps its identity and takes its present place in the chain. One that
 * turns out to be another than it was taken for, because an answer lacked the one before it, is matched anew. Returns
 * the ids of those that are new, stand elsewhere than before or were taken for another.
 */
export async function upsertTransfers(
  tx: Tx,
  network: string,
  transfers: readonly StoredTransfer[],
  seenAt: Date,
): Promise<bigint[]> {
  if (transfers.length === 0) return [];
  const column = <Key extends keyof StoredTransfer>(key: Key) => transfers.map((transfer) => transfer[key]);
  const keys = transfers.map(({ references = [] }) => (references.length > 0 ? references.join(' ') : null));
  const { rows } = await sql<{ id: bigint }>`
    insert into transfers (network, tx_id, index, token, from_address, to_address, units, height, block_hash, block_time, seen_at,
      reference_keys)
    select ${network}, tx_id, index, token, from_address, to_address, units, height, block_hash, to_timestamp(time), ${seenAt},
      string_to_array(keys, ' ')
    from unnest(${column('txId')}::text[], ${column('index')}::text[], ${column('token')}::text[], ${column('from')}::text[],
      ${column('to')}::text[], ${column('units').map(String)}::numeric[], ${column('height')}::bigint[],
      ${column('blockHash')}::text[], ${column('blockTime')}::bigint[], ${keys}::text[])
      as t (tx_id, index, token, from_address, to_address, units, height, block_hash, time, keys)
    order by tx_id, index
    on conflict (network, tx_id, index) do update set height = excluded.height, block_hash = excluded.block_hash,
      block_time = excluded.block_time, canonical = true, from_address = excluded.from_address,
      to_address = excluded.to_address, units = excluded.units, settled_tier = null, settled_hash = null,
      quote_id = case when ${IS_OTHER} then null else transfers.quote_id end,
      invoice_id = case when ${IS_OTHER} then null else transfers.invoice_id end,
      attached_by = case when ${IS_OTHER} then null else transfers.attached_by end
    where not transfers.canonical or transfers.block_hash <> excluded.block_hash or ${IS_OTHER}
    returning id`.execute(tx);
  return rows.map((row) => row.id);
}

type PlacedRow = {
  id: bigint;
  tx_id: string;
  index: string;
  to_address: string;
  units: string;
  height: bigint;
  block_hash: string;
};

export type PlacedTransfer = {
  id: bigint;
  txId: string;
  index: string;
  to: string;
  units: bigint;
  height: number;
  blockHash: string;
};

function selectPlaced(queries: Queries | Tx, network: string, above: number, upTo: number) {
  return queries
    .selectFrom('transfers')
    .select(['id', 'tx_id', 'index', 'to_address', 'units', 'height', 'block_hash'])
    .where('network', '=', network)
    .where('height', '>', BigInt(above))
    .where('height', '<=', BigInt(upTo))
    .where('canonical', '=', true);
}

function placedOf(row: PlacedRow): PlacedTransfer {
  return {
    id: row.id,
    txId: row.tx_id,
    index: row.index,
    to: row.to_address,
    units: BigInt(row.units),
    height: Number(row.height),
    blockHash: row.block_hash,
  };
}

/** Canonical transfers in a range of heights. */
export async function readTransfersBetween(
  queries: Queries | Tx,
  network: string,
  above: number,
  upTo: number,
): Promise<PlacedTransfer[]> {
  const rows = await selectPlaced(queries, network, above, upTo).execute();
  return rows.map(placedOf);
}

/** Canonical transfers to one account in a range of heights. */
export async function readAccountTransfers(
  queries: Queries | Tx,
  network: string,
  account: string,
  above: number,
  upTo: number,
): Promise<PlacedTransfer[]> {
  const rows = await selectPlaced(queries, network, above, upTo).where('to_address', '=', account).execute();
  return rows.map(placedOf);
}

/** Marks these as gone. */
export async function revertTransfers(tx: Tx, ids: readonly bigint[]): Promise<void> {
  if (ids.length === 0) return;
  await sql`update transfers set canonical = false, settled_tier = null, settled_hash = null where id = any(${ids}::bigint[]) and canonical`.execute(
    tx,
  );
}

/** Marks what stood above a height as gone; returns their ids. */
export async function revertTransfersAbove(tx: Tx, network: string, height: number): Promise<bigint[]> {
  const rows = await tx
    .updateTable('transfers')
    .set({ canonical: false, settled_tier: null, settled_hash: null })
    .where('network', '=', network)
    .where('height', '>', BigInt(height))
    .where('canonical', '=', true)
    .returning('id')
    .execute();
  return rows.map((row) => row.id);
}

/** Where a transfer arrived. */
export async function readReceiver(tx: Tx, network: string, txId: string, index: string): Promise<string | undefined> {
  const row = await tx
    .selectFrom('transfers')
    .select('to_address')
    .where('network', '=', network)
    .where('tx_id', '=', txId)
    .where('index', '=', index)
    .executeTakeFirst();
  return row?.to_address;
}
