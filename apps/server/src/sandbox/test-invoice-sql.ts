import { SANDBOX_PREFIX } from '@counterfoil/core/network-id.ts';
import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';
import type { InvoiceStatus } from '../invoices/invoice.ts';

/** Queries on test invoices; those of live stores are never found. */

export type TestInvoice = {
  id: bigint;
  storeId: bigint;
  transId: string;
  status: InvoiceStatus;
  late: boolean;
  hasQuote: boolean;
};

export async function findTestInvoice(
  queries: Queries,
  transId: string,
  storeId?: bigint,
): Promise<TestInvoice | undefined> {
  const { rows } = await sql<TestInvoice>`
    select i.id, i.store_id as "storeId", i.trans_id as "transId", i.status, i.late, exists (
        select from quotes q where q.id = i.quote_id and starts_with(q.network, ${SANDBOX_PREFIX})) as "hasQuote"
    from invoices i join stores s on s.id = i.store_id and not s.live
    where i.trans_id = ${transId} and i.store_id = coalesce(${storeId ?? null}::bigint, i.store_id)`.execute(queries);
  return rows[0];
}

type TestQuote = { network: string; token: string; account: string; displayUnits: bigint; expiresAt: Date };

/** The latest quote, which the invoice's page shows. */
export async function findTestQuote(tx: Tx, invoiceId: bigint): Promise<TestQuote | undefined> {
  const { rows } = await sql<TestQuote>`
    select q.network, q.token, q.to_address as account, q.display_units as "displayUnits", i.expires_at as "expiresAt"
    from invoices i join quotes q on q.id = i.quote_id join stores s on s.id = i.store_id and not s.live
    where i.id = ${invoiceId} and starts_with(q.network, ${SANDBOX_PREFIX})`.execute(tx);
  return rows[0];
}

/** The invoice's quoted accounts, in locking order. */
export async function listQuotedAccounts(tx: Tx, invoiceId: bigint): Promise<{ network: string; account: string }[]> {
  const { rows } = await sql<{ network: string; account: string }>`
    select distinct network, to_address as account from quotes
    where invoice_id = ${invoiceId} and starts_with(network, ${SANDBOX_PREFIX}) order by 1, 2`.execute(tx);
  return rows;
}

export async function findTestCode(tx: Tx, invoiceId: bigint): Promise<string | undefined> {
  const { rows } = await sql<{ transId: string }>`
    select i.trans_id as "transId" from invoices i join stores s on s.id = i.store_id and not s.live
    where i.id = ${invoiceId}`.execute(tx);
  return rows[0]?.transId;
}

/** End and grace of a test invoice; undefined for live stores. */
export async function findTestEnd(
  tx: Tx,
  invoiceId: bigint,
): Promise<{ expiresAt: Date; graceMinutes: number } | undefined> {
  const { rows } = await sql<{ expiresAt: Date; graceMinutes: number }>`
    select i.expires_at as "expiresAt", s.grace_minutes as "graceMinutes"
    from invoices i join stores s on s.id = i.store_id and not s.live where i.id = ${invoiceId}`.execute(tx);
  return rows[0];
}

/** An invoice's test payments: attached ones, and those made for it that are attached to no other. */
const paymentsOf = (invoiceId: bigint) => sql`(
      select x.id from sandbox_transfers x where x.invoice_id = ${invoiceId} and not exists (
        select from transfers t where t.network = x.network and t.tx_id = x.tx_id and t.invoice_id <> x.invoice_id)
      union
      select x.id from transfers t join sandbox_transfers x on x.network = t.network and x.tx_id = t.tx_id
      where t.invoice_id = ${invoiceId})`;

/** Moves a test invoice's end, quotes and payments into the past, not its creation or ledger hold. */
export async function moveIntoPast(tx: Tx, invoiceId: bigint, seconds: number): Promise<void> {
  const span = sql`make_interval(secs => ${seconds}::float8)`;
  await sql`
    with moved as (
      update invoices i set expires_at = i.expires_at - ${span}, cancelled_at = i.cancelled_at - ${span} from stores s
      where i.id = ${invoiceId} and s.id = i.store_id and not s.live returning i.id
    ), quoted as (
      update quotes q set held_from = q.held_from - ${span}, held_to = q.held_to - ${span} from moved m
      where q.invoice_id = m.id and starts_with(q.network, ${SANDBOX_PREFIX})
      returning q.id, q.network, q.token, q.to_address, q.display_units
    ), held as (
      update amount_slots a set held_until = a.held_until - ${span} from quoted q
      where a.network = q.network and a.token = q.token and a.address = q.to_address and a.display_units = q.display_units
        and a.quote_id = q.id
    ), paid as (
      update sandbox_transfers t set paid_at = t.paid_at - ${span}
      where exists (select from moved) and t.id in ${paymentsOf(invoiceId)}
      returning t.network, t.tx_id
    )
    update transfers t set block_time = t.block_time - ${span} from paid p where t.network = p.network and t.tx_id = p.tx_id`.execute(
    tx,
  );
}

export type TestTransfer = {
  network: string;
  token: string;
  txId: string;
  units: string;
  at: Date;
  canonical: boolean;
  reason: string | null;
  pays: boolean;
};

export async function listTestTransfers(queries: Queries, invoiceId: bigint, limit: number): Promise<TestTransfer[]> {
  const { rows } = await sql<TestTransfer>`
    select t.network, t.token, t.tx_id as "txId", t.units::text as units, t.block_time as at, t.canonical, t.reason,
      coalesce(t.id = i.paid_transfer_id, false) as pays
    from sandbox_transfers x join transfers t on t.network = x.network and t.tx_id = x.tx_id join invoices i on i.id = ${invoiceId}
    where x.id in ${paymentsOf(invoiceId)} order by x.id limit ${limit}`.execute(queries);
  return rows;
}

export type TestEvent = { eventId: string; type: string; sequence: number; state: string; attempts: number };

export async function listTestEvents(queries: Queries, invoiceId: bigint): Promise<TestEvent[]> {
  const { rows } = await sql<TestEvent>`
    select e.event_id as "eventId", e.type, e.sequence, d.state, d.attempts
    from events e join deliveries d on d.event_row_id = e.id
    where e.invoice_id = ${invoiceId} order by e.sequence, d.id`.execute(queries);
  return rows;
}

/** Base of the advisory locks for requests about test invoices. */
const REQUEST_LOCKS = 0x5c_00_00_00_00_00n;

/**
 * Locks requests about a test invoice, so that concurrent ones cannot exceed its limit together. Not the invoice's row:
 * the right to lock it includes the right to change it.
 */
export async function lockTestInvoice(tx: Tx, invoiceId: bigint): Promise<void> {
  await sql`select pg_advisory_xact_lock(${REQUEST_LOCKS + invoiceId}::bigint)`.execute(tx);
}
