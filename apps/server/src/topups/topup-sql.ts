import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';
import type { TopupFault } from './topup.ts';

export async function offersTopups(queries: Queries | Tx, live: boolean): Promise<boolean> {
  const { rows } = await sql<{ offered: boolean }>`select offers_topups(${live}) as offered`.execute(queries);
  return rows[0]?.offered === true;
}

export async function countTopups(tx: Tx, storeId: bigint, { since, limit }: { since: Date; limit: number }) {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from (
      select from topups where store_id = ${storeId} and created_at > ${since} limit ${limit}) t`.execute(tx);
  return rows[0]?.count ?? 0;
}

type NewTopup = {
  code: string;
  storeId: bigint;
  microUsd: bigint;
  requestedBy: string;
  returnUrl: string;
  createdAt: Date;
};

export async function insertTopup(tx: Tx, topup: NewTopup): Promise<void> {
  await sql`
    insert into topups (code, store_id, micro_usd, requested_by, return_url, created_at)
    values (${topup.code}, ${topup.storeId}, ${topup.microUsd}, ${topup.requestedBy}, ${topup.returnUrl}, ${topup.createdAt})`.execute(
    tx,
  );
}

type FoundTopup = {
  code: string;
  microUsd: bigint;
  requestedBy: string;
  createdAt: Date;
  transId: string | null;
  expiresAt: Date | null;
  failedAt: Date | null;
  creditedAt: Date | null;
};

export async function findTopup(queries: Queries, storeId: bigint, code: string): Promise<FoundTopup | undefined> {
  const { rows } = await sql<FoundTopup>`
    select code, micro_usd as "microUsd", requested_by as "requestedBy", created_at as "createdAt", trans_id as "transId",
      expires_at as "expiresAt", failed_at as "failedAt", credited_at as "creditedAt"
    from topups where code = ${code} and store_id = ${storeId}`.execute(queries);
  return rows[0];
}

export type UnopenedTopup = {
  id: bigint;
  code: string;
  microUsd: bigint;
  returnUrl: string;
  createdAt: Date;
  /** The credited store. */
  merchantId: string;
};

export async function listUnopened(queries: Queries, limit: number): Promise<UnopenedTopup[]> {
  const { rows } = await sql<UnopenedTopup>`
    select t.id, t.code, t.micro_usd as "microUsd", t.return_url as "returnUrl", t.created_at as "createdAt",
      s.merchant_id as "merchantId"
    from topups t join stores s on s.id = t.store_id
    where t.invoice_id is null and t.failed_at is null order by t.id limit ${limit}`.execute(queries);
  return rows;
}

/**
 * Fixes and returns the store where a top-up is paid, so that an invoice that was created there but not linked is found
 * again. Undefined without a store for top-ups.
 */
export async function placeTopup(queries: Queries, id: bigint): Promise<bigint | undefined> {
  const { rows } = await sql<{ storeId: bigint | null }>`
    update topups t set at_store_id = coalesce(t.at_store_id, (
      select p.id from stores p join stores s on s.live = p.live where p.purpose = 'topup' and s.id = t.store_id))
    where t.id = ${id} returning t.at_store_id as "storeId"`.execute(queries);
  return rows[0]?.storeId ?? undefined;
}

/** Links a top-up with the invoice that has its code at that store. */
export async function linkTopup(queries: Queries, id: bigint): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update topups t set invoice_id = i.id, trans_id = i.trans_id, expires_at = i.expires_at
    from invoices i
    where t.id = ${id} and t.invoice_id is null and i.store_id = t.at_store_id and i.request_id = t.code
      and i.amount_usd * 1000000 = t.micro_usd`.execute(queries);
  return numAffectedRows === 1n;
}

/** Fails a top-up without an invoice; returns its store, or undefined when it has one or had failed. */
export async function failTopup(tx: Tx, id: bigint, fault: TopupFault, at: Date): Promise<bigint | undefined> {
  const { rows } = await sql<{ storeId: bigint }>`
    update topups set failed_at = ${at}, fault = ${fault} where id = ${id} and invoice_id is null and failed_at is null
    returning store_id as "storeId"`.execute(tx);
  return rows[0]?.storeId;
}

type CreditedTopup = { invoiceId: bigint; storeId: bigint; microUsd: bigint; invoiceCreatedAt: Date };

/**
 * Marks top-ups of completed invoices as credited, once each, and returns the credits. An invoice pays a top-up by
 * request_id, equal amount, and the operator's store: a merchant's own invoice with such a request_id credits nothing.
 */
export async function markCredited(tx: Tx, invoiceIds: readonly bigint[], at: Date): Promise<CreditedTopup[]> {
  const { rows } = await sql<CreditedTopup>`
    update topups t set credited_at = ${at}, invoice_id = i.id, trans_id = i.trans_id, expires_at = i.expires_at
    from invoices i
    where i.id = any(${invoiceIds}::bigint[]) and t.code = i.request_id and t.at_store_id = i.store_id
      and t.micro_usd = i.amount_usd * 1000000 and t.credited_at is null
    returning i.id as "invoiceId", t.store_id as "storeId", t.micro_usd as "microUsd", i.created_at as "invoiceCreatedAt"`.execute(
    tx,
  );
  return rows;
}
