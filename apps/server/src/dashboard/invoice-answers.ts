import { formatDecimal, requireDecimal, trimZeros } from '@counterfoil/core/amount.ts';
import { formatMicroUsd, formatUsd, USD_DECIMALS } from '@counterfoil/core/usd.ts';
import { unixSeconds } from '../lib/clock.ts';
import type { ShownPricing } from '../rates/pricing.ts';
import { readPricing } from '../rates/pricing.ts';
import type { listInvoices } from '../invoices/list-invoices.ts';
import type { InvoiceState } from '../invoices/invoice-state-sql.ts';
import type { InvoiceFacts, QuoteFact, TransferFact } from '../invoices/invoice-timeline.ts';
import { confirmationsOf, tellTimeline } from '../invoices/invoice-timeline.ts';
import type { SearchResult } from '../invoices/search.ts';
import { findToken } from '../networks/network.ts';
import type { Networks } from '../networks/networks.ts';
import type { VisibleStore } from '../stores/member-store-sql.ts';
import { hideOperators } from '../audit/audit-for-merchants.ts';
import { viewAuditActor } from './answer-parts.ts';

/** The amount as it was supplied in a currency; null when none was. */
export const viewPriced = (pricing: ShownPricing | null) => ({
  currency: pricing?.currency ?? null,
  currency_amount: pricing?.currencyAmount ?? null,
});

type Listed = Awaited<ReturnType<typeof listInvoices>>['invoices'][number];

const usd = (amount: string) => formatUsd(requireDecimal(amount, USD_DECIMALS));
const modeOf = (live: boolean) => (live ? 'live' : 'test');
const maybeSeconds = (at: Date | null) => at && unixSeconds(at);
/** Base units as a decimal; null for unknown tokens. */
function tokenAmount(networks: Networks, network: string, symbol: string, units: string): string | null {
  const known = networks.get(network);
  const token = known && findToken(known, symbol);
  return token ? formatDecimal(BigInt(units), token.decimals) : null;
}

export const viewListed = (one: Listed) => ({
  trans_id: one.transId,
  store: one.merchantId,
  mode: modeOf(one.live),
  request_id: one.requestId,
  status: one.status,
  late: one.late,
  cancelled: one.cancelled,
  arrived: one.arrived,
  amount: usd(one.amountUsd),
  ...viewPriced(readPricing(one)),
  name: one.name,
  created_at: unixSeconds(one.createdAt),
  expires_at: unixSeconds(one.expiresAt),
  network: one.network,
  token: one.token,
  token_amount: one.tokenAmount && trimZeros(one.tokenAmount),
  transaction_hash: one.transactionHash,
  callback_status: one.callbackStatus,
});

export const viewState = ({ transId, status, late, cancelled, arrived, callbackStatus }: InvoiceState) => ({
  trans_id: transId,
  status,
  late,
  cancelled,
  arrived,
  callback_status: callbackStatus,
});

export const viewResult = (one: SearchResult, stores: ReadonlyMap<bigint, VisibleStore>, networks: Networks) => ({
  matched: one.matched,
  trans_id: one.transId,
  store: (one.storeId !== null && stores.get(one.storeId)?.merchantId) || null,
  status: one.status,
  request_id: one.requestId,
  name: one.name,
  event: one.eventId,
  network: one.network,
  transaction: one.txId,
  token: one.token,
  token_amount:
    one.network !== null && one.token !== null && one.units !== null
      ? tokenAmount(networks, one.network, one.token, one.units)
      : null,
  transfer: one.transferId === null ? null : String(one.transferId),
  at: unixSeconds(one.at),
});

const viewQuote = (one: QuoteFact, shownId: bigint | null) => ({
  network: one.network,
  token: one.token,
  to_address: one.toAddress,
  token_amount: trimZeros(one.tokenAmount),
  token_price: trimZeros(one.tokenPriceUsd),
  created_at: unixSeconds(one.createdAt),
  settles_by: one.finality,
  shown: one.id === shownId,
  price_sources: one.priceSources,
});

const OPERATOR = 'operator';
const viewPerson = (actor: string | null) => actor && (viewAuditActor(actor, '') || OPERATOR);

const viewTransfer = (one: TransferFact, paidId: bigint | null, networks: Networks) => ({
  transfer: String(one.id),
  network: one.network,
  transaction: one.txId,
  index: one.index,
  token: one.token,
  token_amount: tokenAmount(networks, one.network, one.token, one.units),
  from_address: one.fromAddress,
  to_address: one.toAddress,
  height: Number(one.height),
  confirmations: confirmationsOf(one),
  block_time: unixSeconds(one.blockTime),
  canonical: one.canonical,
  pays: one.pays,
  completed: one.id === paidId,
  reason: one.reason,
  first_read: { by: one.readBy, how: one.readHow, at: unixSeconds(one.seenAt) },
  proof: one.provenAt && { by: one.provenBy, how: one.provenHow, at: unixSeconds(one.provenAt) },
  accepted_by: viewPerson(one.acceptedBy),
  attached_by: viewPerson(one.attachedBy),
  named_by: one.namedBy,
  missing_since: maybeSeconds(one.missingSince),
});

type HistoryPlace = { store: VisibleStore; networks: Networks; checkoutUrl: string | undefined };

function viewInvoiceFact({ invoice: one }: InvoiceFacts, { store, checkoutUrl }: HistoryPlace) {
  return {
    trans_id: one.transId,
    store: store.merchantId,
    mode: modeOf(store.live),
    request_id: one.requestId,
    status: one.status,
    late: one.late,
    amount: usd(one.amountUsd),
    ...viewPriced(readPricing(one)),
    exchange_rate: readPricing(one)?.exchangeRate ?? null,
    rate_evidence: one.rate_evidence,
    name: one.name,
    description: one.description,
    callback_url: one.callbackUrl,
    completed_url: one.completedUrl,
    expired_url: one.expiredUrl,
    url_payment: checkoutUrl === undefined ? null : `${checkoutUrl}/bill/${one.transId}`,
    created_at: unixSeconds(one.createdAt),
    expires_at: unixSeconds(one.expiresAt),
    settled_at: maybeSeconds(one.settledAt),
    ended_at: maybeSeconds(one.endedAt),
    cancelled_at: maybeSeconds(one.cancelledAt),
    transaction_hash: one.transactionHash,
    from_address: one.fromAddress,
    callback_status: one.callbackStatus,
    waits_for:
      one.status === 'waiting' && one.gateNetwork !== null ? { network: one.gateNetwork, tier: one.gateTier } : null,
  };
}

function viewDeliveries({ deliveries, attempts = [] }: InvoiceFacts) {
  return deliveries?.map((one) => ({
    event: one.eventId,
    url: one.url,
    state: one.state,
    next_attempt_at: one.state === 'pending' ? unixSeconds(one.nextAttemptAt) : null,
    attempts: attempts
      .filter(({ deliveryId }) => deliveryId === one.id)
      .map(({ number, at, durationMs, status, error }) => ({
        number,
        at: unixSeconds(at),
        duration_ms: durationMs,
        status,
        error,
      })),
  }));
}

/** An invoice with everything known; null for what the user may not see. */
export function viewHistory(facts: InvoiceFacts, place: HistoryPlace) {
  const { invoice, quotes, transfers, named, events, ledger, audited } = facts;
  const shown = audited?.map(({ at, actor, action, details }) => ({
    at,
    actor: viewAuditActor(actor, action),
    action,
    details,
  }));
  return {
    invoice: viewInvoiceFact(facts, place),
    quotes: quotes.map((one) => viewQuote(one, invoice.quoteId)),
    transfers: transfers.map((one) => viewTransfer(one, invoice.paidTransferId, place.networks)),
    named_transactions: named.map(({ network, txId, namedBy, namedAt, outcome }) => ({
      network,
      transaction: txId,
      named_by: namedBy,
      named_at: unixSeconds(namedAt),
      outcome,
    })),
    fees:
      ledger?.map(({ kind, microUsd, at }) => ({ kind, amount: formatMicroUsd(microUsd), at: unixSeconds(at) })) ??
      null,
    events: events.map(({ eventId, type, createdAt }) => ({
      event: eventId,
      type,
      created_at: unixSeconds(createdAt),
    })),
    deliveries: viewDeliveries(facts) ?? null,
    audit:
      shown?.map(({ at, actor, action, details }) => ({
        at: unixSeconds(at),
        actor,
        action,
        details: hideOperators(details),
      })) ?? null,
    timeline: tellTimeline({ ...facts, audited: shown }).map(({ at, kind, subject, note }) => ({
      at: unixSeconds(at),
      kind,
      subject,
      note: kind === 'cancelled' ? viewPerson(note) : note,
    })),
  };
}
