import { booleanCell, numberCell, textCell, timeCell, writeHeader, writeRecord } from '../lib/csv.ts';
import type { Networks } from '../networks/networks.ts';
import { amountCell, usdCell } from './invoice-lines.ts';
import type { TransferRow } from './transfer-page-sql.ts';

/** Lines of an export of transfers: all received money, whether it pays an invoice or not. */

export const TRANSFER_HEADER = writeHeader([
  'network',
  'token',
  'amount',
  'from_address',
  'to_address',
  'tx',
  'index',
  'block_time',
  'seen_at',
  'in_chain',
  'pays',
  'reason',
  'attached_by_hand',
  'tid',
  'request_id',
  'store',
  'status',
  'late',
  'amount_usd',
  'price_usd',
  'price_at',
  'fee_usd',
]);

/** `storeCode`: of the invoice that the transfer pays or was probably meant for, if any. */
export function writeTransfer(networks: Networks, storeCode: string | null, row: TransferRow): string {
  return writeRecord([
    textCell(row.network),
    textCell(row.token),
    amountCell(networks, row),
    textCell(row.fromAddress),
    textCell(row.toAddress),
    textCell(row.txId),
    textCell(row.index),
    timeCell(row.blockTime),
    timeCell(row.seenAt),
    booleanCell(row.canonical),
    booleanCell(row.pays),
    textCell(row.reason),
    booleanCell(row.attached),
    textCell(row.transId),
    textCell(row.requestId),
    textCell(storeCode),
    textCell(row.status),
    booleanCell(row.late),
    numberCell(row.amountUsd),
    numberCell(row.priceUsd),
    timeCell(row.pricedAt),
    usdCell(row.feeMicroUsd),
  ]);
}
