import { unixSeconds } from '../lib/clock.ts';
import { findCandidates } from '../invoices/unmatched-list-sql.ts';
import type { ListedTransfer } from '../invoices/unmatched-list-sql.ts';
import { soughtAmounts } from '../invoices/sought-amounts.ts';
import type { Suggestion } from '../invoices/suggest-invoices.ts';
import { suggestInvoices } from '../invoices/suggest-invoices.ts';
import { formatDecimal } from '../lib/amount.ts';
import { requireNetwork, requireToken } from '../networks/networks.ts';
import type { DashboardContext } from './dashboard-context.ts';

/** Money that pays nothing, as the dashboard shows it. */

const viewSuggestion = (one: Suggestion, decimals: number) => ({
  invoice: one.transId,
  store: one.merchantId,
  status: one.status,
  amount_usd: one.amountUsd,
  reasons: one.reasons,
  difference: one.differenceUnits === null ? null : formatDecimal(one.differenceUnits, decimals),
});

/** Views of transfers, each with the invoices of these stores that it may have been meant for. */
export async function viewTransfers(
  { views, networks }: Pick<DashboardContext, 'views' | 'networks'>,
  storeIds: readonly bigint[],
  transfers: readonly ListedTransfer[],
) {
  const sought = transfers.flatMap((one) => soughtAmounts(requireNetwork(networks, one.network), one));
  const found = await findCandidates(views.queries, storeIds, sought);
  const candidates = Map.groupBy(found, ({ transferId }) => transferId);
  return transfers.map((one) => {
    const units = BigInt(one.units);
    const { decimals } = requireToken(networks, one.network, one.token);
    const money = { token: one.token, units, at: one.blockTime };
    const tokenOf = (symbol: string) => requireToken(networks, one.network, symbol);
    return {
      transfer: String(one.id),
      network: one.network,
      transaction: one.txId,
      index: one.index,
      token: one.token,
      amount: formatDecimal(units, decimals),
      from: one.from,
      to: one.to,
      at: unixSeconds(one.blockTime),
      reason: one.reason,
      named_by: one.namedBy,
      invoice: one.transId,
      invoice_status: one.invoiceStatus,
      note: one.note,
      asked_for: one.askedFor,
      suggestions: suggestInvoices(money, candidates.get(one.id) ?? [], tokenOf).map((suggestion) =>
        viewSuggestion(suggestion, decimals),
      ),
    };
  });
}
