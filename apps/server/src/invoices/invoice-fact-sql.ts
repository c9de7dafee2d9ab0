import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';
import type {
  AttemptFact,
  AuditedFact,
  DeliveryFact,
  EventFact,
  InvoiceFact,
  LedgerFact,
  NamedFact,
  QuoteFact,
  TransferFact,
} from './invoice-timeline.ts';

type Reader = Queries | Tx;
const MOST = 200;

export async function readInvoiceFact(
  queries: Reader,
  storeIds: readonly bigint[],
  transId: string,
): Promise<InvoiceFact | undefined> {
  const { rows } = await sql<InvoiceFact>`
    select i.id, i.trans_id as "transId", i.store_id as "storeId", i.request_id as "requestId", i.status, i.late,
      i.amount_usd as "amountUsd", i.name, i.description, i.callback_url as "callbackUrl", i.completed_url as "completedUrl",
      i.expired_url as "expiredUrl", i.created_at as "createdAt", i.expires_at as "expiresAt", i.settled_at as "settledAt",
      i.ended_at as "endedAt", i.cancelled_at as "cancelledAt", i.cancelled_by as "cancelledBy", i.fee_micro_usd as "feeMicroUsd", i.transaction_hash as "transactionHash",
      i.from_address as "fromAddress", i.callback_status as "callbackStatus", i.gate_network as "gateNetwork",
      i.gate_tier as "gateTier", i.quote_id as "quoteId", i.paid_transfer_id as "paidTransferId",
      i.currency, i.currency_amount, i.exchange_rate, i.rate_evidence
    from invoices i where i.trans_id = ${transId} and i.store_id = any(${storeIds}::bigint[])`.execute(queries);
  return rows[0];
}

export async function readQuoteFacts(queries: Reader, invoiceId: bigint): Promise<QuoteFact[]> {
  const { rows } = await sql<QuoteFact>`
    select q.id, q.network, q.token, q.to_address as "toAddress", q.token_amount as "tokenAmount",
      q.token_price_usd as "tokenPriceUsd", q.created_at as "createdAt", q.finality, q.price_sources as "priceSources"
    from quotes q where q.invoice_id = ${invoiceId} order by q.id limit ${MOST}`.execute(queries);
  return rows;
}

/** Transfers that pay an invoice, are attached to it, or were meant for one of its quotes. */
export async function readTransferFacts(
  queries: Reader,
  invoiceId: bigint,
  quoteIds: readonly bigint[],
): Promise<TransferFact[]> {
  const { rows } = await sql<TransferFact>`
    with found as materialized (
      (select t.id from transfers t where t.invoice_id = ${invoiceId} limit ${MOST})
      union
      (select t.id from transfers t
      where t.invoice_id is null and t.quote_id = any(${quoteIds}::bigint[]) limit ${MOST})
    )
    select t.id, t.network, t.tx_id as "txId", t.index, t.token, t.units, t.from_address as "fromAddress",
      t.to_address as "toAddress", t.height, t.block_time as "blockTime", t.canonical,
      coalesce(t.invoice_id = ${invoiceId} and t.reason is null, false) as pays, t.reason, t.seen_at as "seenAt", t.read_by as "readBy",
      t.read_how as "readHow", t.proven_at as "provenAt", t.proven_by as "provenBy", t.proven_how as "provenHow",
      t.accepted_by as "acceptedBy", t.attached_by as "attachedBy", t.named_by as "namedBy", t.missing_since as "missingSince",
      c.head_height as "headHeight"
    from found f cross join lateral (select t.* from transfers t where t.id = f.id limit 1) t left join chains c on c.network = t.network
    order by t.id`.execute(queries);
  return rows;
}

export async function readNamedFacts(queries: Reader, invoiceId: bigint): Promise<NamedFact[]> {
  const { rows } = await sql<NamedFact>`
    select n.network, n.tx_id as "txId", n.named_by as "namedBy", n.named_at as "namedAt", n.ended_at as "endedAt", n.outcome
    from named_transactions n where n.invoice_id = ${invoiceId} order by n.named_at limit ${MOST}`.execute(queries);
  return rows;
}

export async function readLedgerFacts(queries: Reader, invoiceId: bigint): Promise<LedgerFact[]> {
  const { rows } = await sql<LedgerFact>`
    select e.kind, e.micro_usd as "microUsd", e.at from ledger_entries e
    where e.invoice_id = ${invoiceId} and e.kind = 'hold'
    union all
    select e.kind, e.micro_usd, e.at from ledger_entries e
    where e.invoice_id = ${invoiceId} and e.kind in ('capture', 'release')`.execute(queries);
  return rows;
}

export async function readEventFacts(queries: Reader, invoiceId: bigint): Promise<EventFact[]> {
  const { rows } = await sql<EventFact>`
    select e.event_id as "eventId", e.type, e.sequence, e.created_at as "createdAt" from events e
    where e.invoice_id = ${invoiceId} order by e.sequence limit ${MOST}`.execute(queries);
  return rows;
}

export async function readDeliveryFacts(queries: Reader, invoiceId: bigint): Promise<DeliveryFact[]> {
  const { rows } = await sql<DeliveryFact>`
    select d.id, e.event_id as "eventId", p.url, d.state, d.attempts, d.next_attempt_at as "nextAttemptAt"
    from deliveries d cross join lateral (select e.event_id from events e where e.id = d.event_row_id limit 1) e
      cross join lateral (select coalesce((select w.url from webhook_endpoints w where w.endpoint_id = p.id), p.url) as url
        from endpoints p where p.id = d.endpoint_id limit 1) p
    where d.invoice_id = ${invoiceId} order by d.sequence, d.id limit ${MOST}`.execute(queries);
  return rows;
}

export async function readAttemptFacts(queries: Reader, deliveryIds: readonly bigint[]): Promise<AttemptFact[]> {
  const { rows } = await sql<AttemptFact>`
    select a.delivery_id as "deliveryId", a.number, a.at, a.duration_ms as "durationMs", a.status, a.error from attempts a
    where a.delivery_id = any(${deliveryIds}::bigint[]) order by a.at, a.number limit ${MOST}`.execute(queries);
  return rows;
}

export async function readAuditedFacts(queries: Reader, transId: string): Promise<AuditedFact[]> {
  const { rows } = await sql<AuditedFact>`
    select a.at, a.actor, a.action, a.details from audit_entries a
    where a.subject = ${`invoice:${transId}`} order by a.id limit ${MOST}`.execute(queries);
  return rows;
}
