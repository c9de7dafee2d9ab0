import { formatDecimal } from '@counterfoil/core/amount.ts';
import { formatMicroUsd } from '@counterfoil/core/usd.ts';
import type { Cell } from '../lib/csv.ts';
import { booleanCell, numberCell, textCell, timeCell, writeHeader, writeRecord } from '../lib/csv.ts';
import { findToken } from '../networks/network.ts';
import type { Networks } from '../networks/networks.ts';
import type { ExportedStore } from './export-sql.ts';
import type { InvoiceRow } from './invoice-page-sql.ts';

/** Lines of an export of invoices. Pure. */

export const INVOICE_HEADER = writeHeader([
  'tid',
  'request_id',
  'store',
  'mode',
  'status',
  'late',
  'amount_usd',
  'name',
  'description',
  'network',
  'token',
  'token_amount',
  'paid_amount',
  'price_usd',
  'price_at',
  'fee_usd',
  'fee_state',
  'tx',
  'from_address',
  'to_address',
  'created_at',
  'expires_at',
  'settled_at',
  'ended_at',
  'callback_status',
  'currency',
  'currency_amount',
  'exchange_rate',
]);

export function usdCell(microUsd: bigint | null): Cell {
  return numberCell(microUsd === null ? null : formatMicroUsd(microUsd));
}

/** Base units as a decimal. Empty for unknown tokens: without its decimals a number would be misread. */
export function amountCell(
  networks: Networks,
  { network, token, units }: { network: string | null; token: string | null; units: string | null },
): Cell {
  const known = network === null ? undefined : networks.get(network);
  const listed = known && token !== null ? findToken(known, token) : undefined;
  if (units === null || !listed) return numberCell(null);
  return numberCell(formatDecimal(BigInt(units), listed.decimals));
}

const FEE_STATES: Readonly<Record<string, string>> = { completed: 'charged', expired: 'released' };

export function writeInvoice(networks: Networks, store: ExportedStore, row: InvoiceRow): string {
  const paid = { network: row.network, token: row.token, units: row.paidUnits };
  return writeRecord([
    textCell(row.transId),
    textCell(row.requestId),
    textCell(store.merchantId),
    textCell(store.live ? 'live' : 'test'),
    textCell(row.status),
    booleanCell(row.late),
    numberCell(row.amountUsd),
    textCell(row.name),
    textCell(row.description),
    textCell(row.network),
    textCell(row.token),
    numberCell(row.tokenAmount),
    amountCell(networks, paid),
    numberCell(row.priceUsd),
    timeCell(row.pricedAt),
    usdCell(row.feeMicroUsd),
    textCell(FEE_STATES[row.status] ?? 'held'),
    textCell(row.txId),
    textCell(row.fromAddress),
    textCell(row.toAddress),
    timeCell(row.createdAt),
    timeCell(row.expiresAt),
    timeCell(row.settledAt),
    timeCell(row.endedAt),
    textCell(row.callbackStatus),
    textCell(row.currency),
    numberCell(row.currencyAmount),
    numberCell(row.exchangeRate),
  ]);
}
