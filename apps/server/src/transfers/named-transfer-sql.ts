import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';
import type { StoredTransfer } from '../sources/transfer.ts';
import type { Evidence } from './transfer-sql.ts';

/**
 * SQL of named transfers: coins that only a named transaction shows, and no read of a range. A person attaches them.
 */

/** Lowest coverage among the tiers of a chain; undefined where the chain has no coverage. */
export async function readLowestCoverage(queries: Queries | Tx, network: string): Promise<number | undefined> {
  const { rows } = await sql<{ height: number | null }>`
    select min(height)::float8 as height from chain_coverage where network = ${network} and scope = ''`.execute(
    queries,
  );
  return rows[0]?.height ?? undefined;
}

/** Coins of one token that arrived at one address in one block. */
type CoinsInBlock = { network: string; token: string; to: string; height: number };

/** Sums the recorded coins of an address in one block, leaving out one transfer. */
export async function sumStoredCoins(
  tx: Tx,
  { network, token, to, height }: CoinsInBlock,
  except: { txId: string; index: string },
): Promise<bigint> {
  const { rows } = await sql<{ units: string }>`
    select coalesce(sum(units), 0) as units from transfers
    where network = ${network} and height = ${height}::bigint and to_address = ${to} and token = ${token} and canonical
      and not (tx_id = ${except.txId} and index = ${except.index})`.execute(tx);
  const [sum] = rows;
  if (!sum) throw new Error('A sum has no row.');
  return BigInt(sum.units);
}

type NamedTransfer = {
  transfer: StoredTransfer;
  quoteId: bigint;
  reason: string;
  namedBy: string;
  evidence: Evidence;
};

/**
 * Records a named transfer; undefined when it is recorded already. A transfer that left the chain and is back keeps its
 * invoice.
 */
export async function insertNamedTransfer(
  tx: Tx,
  network: string,
  { transfer, quoteId, reason, namedBy, evidence }: NamedTransfer,
  seenAt: Date,
): Promise<bigint | undefined> {
  const { rows } = await sql<{ id: bigint }>`
    insert into transfers (network, tx_id, index, token, from_address, to_address, units, height, block_hash, block_time, seen_at,
      read_by, read_how, named_by, quote_id, reason)
    values (${network}, ${transfer.txId}, ${transfer.index}, ${transfer.token}, ${transfer.from}, ${transfer.to},
      ${String(transfer.units)}::numeric, ${transfer.height}::bigint, ${transfer.blockHash}, to_timestamp(${transfer.blockTime}), ${seenAt},
      ${evidence.by}, ${evidence.how}, ${namedBy}, ${quoteId}, ${reason})
    on conflict (network, tx_id, index) do update set height = excluded.height, block_hash = excluded.block_hash,
      block_time = excluded.block_time, canonical = true, read_by = excluded.read_by, read_how = excluded.read_how
    where not transfers.canonical and transfers.named_by is not null and transfers.units = excluded.units
      and transfers.to_address = excluded.to_address
    returning id`.execute(tx);
  return rows[0]?.id;
}
