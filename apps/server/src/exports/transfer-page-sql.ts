import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { ExportFilter, ExportScope } from './export.ts';

/** Transfers to a merchant's addresses, by address and page. */

type Place = { network: string; address: string };

/** The next place of the stores, present or past; undefined after the last. */
export async function findNextPlace(
  queries: Queries,
  { merchantAccountId, storeIds }: ExportScope,
  after: Place,
): Promise<Place | undefined> {
  const { rows } = await sql<Place>`
    select w.network, w.address from wallets w
    where w.merchant_account_id = ${merchantAccountId} and (w.network, w.address) > (${after.network}, ${after.address})
      and w.store_id = any(${storeIds}::bigint[])
    order by w.network, w.address limit 1`.execute(queries);
  return rows[0];
}

export type TransferRow = {
  id: bigint;
  height: bigint;
  /** Whether the filter matches and no excluded store is concerned. */
  matches: boolean;
  network: string;
  token: string;
  units: string;
  fromAddress: string;
  toAddress: string;
  txId: string;
  index: string;
  blockTime: Date;
  seenAt: Date;
  canonical: boolean;
  reason: string | null;
  attached: boolean;
  /** Whether it pays the invoice, or was probably meant for it. */
  pays: boolean;
  storeId: bigint | null;
  transId: string | null;
  requestId: string | null;
  status: string | null;
  late: boolean | null;
  amountUsd: string | null;
  /** The invoice's fee, only on the transfer that completed it. */
  feeMicroUsd: bigint | null;
  priceUsd: string | null;
  pricedAt: Date | null;
};

type TransferPage = {
  place: Place;
  after: { height: bigint; id: bigint };
  storeIds: readonly bigint[];
  filter: ExportFilter;
  limit: number;
};

export async function readTransferPage(
  queries: Queries,
  { place: { network, address }, after, storeIds, filter: { fromAt, toAt }, limit }: TransferPage,
): Promise<TransferRow[]> {
  const { rows } = await sql<TransferRow>`
    with page as materialized (
      select t.*, t.block_time < ${toAt} and t.block_time >= coalesce(${fromAt}::timestamptz, '-infinity') as dated
      from transfers t
      where t.network = ${network} and t.to_address = ${address} and t.height >= ${after.height}
        and (t.height, t.id) > (${after.height}, ${after.id})
      order by t.height, t.id limit ${sql.lit(limit)})
    select p.id, p.height, p.network, p.token, p.units, p.from_address as "fromAddress", p.to_address as "toAddress",
      p.tx_id as "txId", p.index, p.block_time as "blockTime", p.seen_at as "seenAt", p.canonical, p.reason,
      p.attached_by is not null as attached, p.invoice_id is not null and p.reason is null as pays, i.store_id as "storeId",
      i.trans_id as "transId", i.request_id as "requestId", i.status, i.late, i.amount_usd as "amountUsd",
      case when i.paid_transfer_id = p.id then i.fee_micro_usd end as "feeMicroUsd", q.token_price_usd as "priceUsd", q.created_at as "pricedAt",
      p.dated and (i.store_id is null or i.store_id = any(${storeIds}::bigint[])) as matches
    from page p
      left join quotes q on p.dated and q.id = p.quote_id
      left join invoices i on p.dated and i.id = coalesce(p.invoice_id, q.invoice_id)
    order by p.height, p.id`.execute(queries);
  return rows;
}
