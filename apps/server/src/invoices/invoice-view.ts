import { requireDecimal, trimZeros } from '@counterfoil/core/amount.ts';
import { publicSymbol } from '@counterfoil/core/network-id.ts';
import { formatMicroUsd, formatUsd, USD_DECIMALS } from '@counterfoil/core/usd.ts';
import { unixSeconds } from '../lib/clock.ts';
import type { CancellableInvoice } from './cancellation-sql.ts';
import { readPricing, viewPricing } from '../rates/pricing.ts';
import type { InvoiceRow } from './invoice-sql.ts';
import type { CreatedInvoice } from './new-invoice-sql.ts';

/** Invoices as the public contract shows them. */

export function viewCreated(invoice: CreatedInvoice, requestId: string | undefined, checkoutUrl: string) {
  return {
    status: 'success' as const,
    data: {
      ...(requestId !== undefined && { request_id: requestId }),
      trans_id: invoice.transId,
      status: invoice.status,
      amount: formatUsd(invoice.amountUnits),
      ...viewPricing(invoice.pricing),
      url_payment: `${checkoutUrl}/bill/${invoice.transId}`,
      expires_in_minutes: invoice.lifetimeMinutes,
    },
    ...(invoice.replay && { idempotent: true as const }),
  };
}

/** The outcome of a cancel. Its parts never change, so that a repeat gets the same answer. */
export function viewCancelled(invoice: CancellableInvoice, cancelledAt: Date) {
  const { transId, requestId, amountUsd, expiresAt } = invoice;
  return {
    status: 'success' as const,
    data: {
      trans_id: transId,
      ...(requestId !== null && { request_id: requestId }),
      status: 'expired' as const,
      cancelled: true as const,
      amount: formatUsd(requireDecimal(amountUsd, USD_DECIMALS)),
      expires_at: unixSeconds(expiresAt),
      cancelled_at: unixSeconds(cancelledAt),
    },
  };
}

function viewSelection(row: InvoiceRow) {
  if (row.token === null || row.network === null || row.token_amount === null) return {};
  if (row.token_price_usd === null || row.to_address === null) return {};
  return {
    token_symbol: row.token,
    network_symbol: publicSymbol(row.network),
    token_amount: trimZeros(row.token_amount),
    token_price: trimZeros(row.token_price_usd),
    to_address: row.to_address,
  };
}

function viewSettlement(row: InvoiceRow) {
  if (row.status !== 'completed' || row.transaction_hash === null || row.from_address === null) return {};
  return {
    transaction_hash: row.transaction_hash,
    from_address: row.from_address,
    fee_amount: formatMicroUsd(row.fee_micro_usd),
    callback_status: row.callback_status,
  };
}

export function viewInvoice(row: InvoiceRow) {
  return {
    trans_id: row.trans_id,
    ...(row.request_id !== null && { request_id: row.request_id }),
    status: row.status,
    ...(row.status === 'expired' && row.cancelled_at !== null && { cancelled: true as const }),
    amount: formatUsd(requireDecimal(row.amount_usd, USD_DECIMALS)),
    ...viewPricing(readPricing(row)),
    ...(row.name !== null && { name: row.name }),
    ...(row.description !== null && { description: row.description }),
    ...(row.metadata !== null && { metadata: row.metadata }),
    ...(row.methods !== null && { methods: row.methods }),
    created_at: unixSeconds(row.created_at),
    expires_at: unixSeconds(row.expires_at),
    ...viewSelection(row),
    ...viewSettlement(row),
  };
}
