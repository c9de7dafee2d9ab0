import { SANDBOX_PREFIX } from '@counterfoil/core/network-id.ts';
import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';

type InboxTransfer = {
  id: bigint;
  network: string;
  txId: string;
  index: string;
  token: string;
  to: string;
  from: string;
  units: string;
  blockTime: Date;
  reason: string;
  /** Who submitted the transaction, if no read shows the transfer. */
  namedBy: string | null;
  /** The invoice that the transfer was meant for, or for which it was late or a second payment. */
  transId: string | null;
};

export async function listInbox(queries: Queries, merchantAccountId: bigint, limit: number): Promise<InboxTransfer[]> {
  // Reads the newest transfers of each of this merchant's addresses, and none of other merchants.
  const { rows } = await sql<InboxTransfer>`
    with newest as materialized (
      select t.* from (select distinct network, address from wallets
          where merchant_account_id = ${merchantAccountId} and not starts_with(network, ${SANDBOX_PREFIX})) w
        cross join lateral (
          select t.* from transfers t
          where t.network = w.network and t.to_address = w.address and t.reason is not null and t.canonical
          order by t.id desc limit ${limit}) t
      order by t.id desc limit ${limit}
    )
    select t.id, t.network, t.tx_id as "txId", t.index, t.token, t.to_address as "to", t.from_address as "from", t.units,
      t.block_time as "blockTime", t.reason, t.named_by as "namedBy", i.trans_id as "transId"
    from newest t left join quotes q on q.id = t.quote_id left join invoices i on i.id = coalesce(t.invoice_id, q.invoice_id)
    order by t.id desc`.execute(queries);
  return rows;
}

export type AttachFacts = {
  invoiceId: bigint;
  storeId: bigint;
  storeLive: boolean;
  merchantAccountId: bigint;
  transferId: bigint | null;
  token: string | null;
  units: string | null;
  completed: boolean;
  canonical: boolean | null;
  /** Whether the transfer pays an invoice, or will at its depth. */
  pays: boolean;
  /** Whether the merchant had this address before the transfer arrived. */
  ownedInTime: boolean;
};

/** Locks a transfer and reads whether it may be attached. */
export async function readAttachFacts(
  tx: Tx,
  transId: string,
  network: string,
  txId: string,
  index: string,
): Promise<AttachFacts | undefined> {
  await sql`select from transfers where network = ${network} and tx_id = ${txId} and index = ${index} for update`.execute(
    tx,
  );
  const { rows } = await sql<AttachFacts>`
    select i.id as "invoiceId", i.store_id as "storeId", s.live as "storeLive", s.merchant_account_id as "merchantAccountId", t.id as "transferId",
      t.token, t.units,
      i.status = 'completed' as completed, t.canonical,
      (t.invoice_id is not null and t.reason is null) or exists (select from invoices o where o.paid_transfer_id = t.id) as pays,
      exists (select from wallets w where w.network = t.network and w.address = t.to_address
        and w.merchant_account_id = s.merchant_account_id and w.added_at <= t.block_time) as "ownedInTime"
    from invoices i join stores s on s.id = i.store_id
      left join transfers t on t.network = ${network} and t.tx_id = ${txId} and t.index = ${index}
    where i.trans_id = ${transId}`.execute(tx);
  return rows[0];
}

export async function attachToInvoice(tx: Tx, transferId: bigint, invoiceId: bigint, actor: string): Promise<void> {
  await sql`
    update transfers t set invoice_id = ${invoiceId}, attached_by = ${actor}, reason = null,
      quote_id = (select q.id from quotes q where q.invoice_id = ${invoiceId} and q.network = t.network order by q.id desc limit 1)
    where t.id = ${transferId}`.execute(tx);
}
