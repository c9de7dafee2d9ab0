import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';
import { coversAddress } from '../accounts/account-sql.ts';
import type { TransferFacts } from './doubted-transfer.ts';
import { SETTLING_TIER } from './change-invoice-sql.ts';
import type { NamedTransfer } from './lock-reader.ts';

/** Locks a transfer and reads whether it may be accepted or discarded. */
export async function lockTransferFacts(
  tx: Tx,
  { network, txId, index }: NamedTransfer,
): Promise<TransferFacts | undefined> {
  await sql`select from transfers where network = ${network} and tx_id = ${txId} and index = ${index} for update`.execute(
    tx,
  );
  const { rows } = await sql<TransferFacts>`
    select t.id, t.invoice_id as "invoiceId", t.canonical, t.proven_at is not null as proven, t.block_time as "blockTime",
      (c.height >= t.height or t.settled_hash = t.block_hash) is true as settled, exists (
        select from transfers e where e.network = t.network and e.tx_id = t.tx_id and e.id <> t.id and e.canonical
          and e.token = t.token and e.to_address = t.to_address and e.units = t.units and e.block_hash = t.block_hash) as "hasTwin"
    from transfers t
      left join quotes q on q.id = t.quote_id
      left join chain_coverage c on c.network = t.network and ${coversAddress('c', 't.to_address')}
        and c.tier = ${SETTLING_TIER}
    where t.network = ${network} and t.tx_id = ${txId} and t.index = ${index}`.execute(tx);
  return rows[0];
}

export async function markAccepted(tx: Tx, transferId: bigint, actor: string): Promise<void> {
  await sql`
    update transfers set accepted_by = ${actor}, settled_hash = t.block_hash, settled_tier = ${SETTLING_TIER}
    from transfers t left join quotes q on q.id = t.quote_id
    where t.id = ${transferId} and transfers.id = t.id`.execute(tx);
}

type KnownTransfer = {
  index: string;
  token: string;
  units: string;
  to: string;
  height: number;
  canonical: boolean;
  readBy: string | null;
  provenBy: string | null;
  acceptedBy: string | null;
  namedBy: string | null;
  reason: string | null;
  transId: string | null;
};

export async function readTransaction(queries: Queries, network: string, txId: string): Promise<KnownTransfer[]> {
  const { rows } = await sql<KnownTransfer>`
    select t.index, t.token, t.units, t.to_address as "to", t.height::float8 as height, t.canonical, t.read_by as "readBy",
      t.proven_by as "provenBy", t.accepted_by as "acceptedBy", t.named_by as "namedBy", t.reason, i.trans_id as "transId"
    from transfers t left join invoices i on i.id = t.invoice_id
    where t.network = ${network} and t.tx_id = ${txId} order by t.index`.execute(queries);
  return rows;
}
