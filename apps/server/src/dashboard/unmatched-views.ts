import { formatDecimal } from '@counterfoil/core/amount.ts';
import { unixSeconds } from '../lib/clock.ts';
import type { Claim } from '../invoices/claim-sql.ts';
import { listClaims } from '../invoices/claim-sql.ts';
import { findCandidates } from '../invoices/unmatched-list-sql.ts';
import type { ListedTransfer } from '../invoices/unmatched-list-sql.ts';
import { soughtAmounts } from '../invoices/sought-amounts.ts';
import type { Suggestion } from '../invoices/suggest-invoices.ts';
import { suggestInvoices } from '../invoices/suggest-invoices.ts';
import { findToken } from '../networks/network.ts';
import { requireToken } from '../networks/networks.ts';
import type { DashboardContext } from './dashboard-context.ts';

/** Unmatched payments as the dashboard shows them. */

const viewSuggestion = (one: Suggestion, decimals: number) => ({
  invoice: one.transId,
  store: one.merchantId,
  name: one.name,
  request_id: one.requestId,
  status: one.status,
  amount_usd: one.amountUsd,
  reasons: one.reasons,
  difference: one.differenceUnits === null ? null : formatDecimal(one.differenceUnits, decimals),
});

const viewClaim = ({ transId, name, requestId, status, at }: Claim) => ({
  invoice: transId,
  name,
  request_id: requestId,
  status,
  at: unixSeconds(at),
});

/** Transfers with customers' claims and possible invoices of these stores; unknown tokens have no amount and no comparison. */
export async function viewTransfers(
  { views, networks }: Pick<DashboardContext, 'views' | 'networks'>,
  storeIds: readonly bigint[],
  transfers: readonly ListedTransfer[],
) {
  const sought = transfers.flatMap((one) => {
    const network = networks.get(one.network);
    return network ? soughtAmounts(network, one) : [];
  });
  const found = await findCandidates(views.queries, storeIds, sought);
  const candidates = Map.groupBy(found, ({ transferId }) => transferId);
  const claimed = await listClaims(
    views.queries,
    storeIds,
    transfers.map(({ id }) => id),
  );
  const claims = Map.groupBy(claimed, ({ transferId }) => transferId);
  return transfers.map((one) => {
    const units = BigInt(one.units);
    const network = networks.get(one.network);
    const token = network && findToken(network, one.token);
    const ofOne = claims.get(one.id) ?? [];
    const money = { token: one.token, units, at: one.blockTime, claims: new Set(ofOne.map(({ transId }) => transId)) };
    const tokenOf = (symbol: string) => requireToken(networks, one.network, symbol);
    const valued = token && {
      amount: formatDecimal(units, token.decimals),
      suggestions: suggestInvoices(money, candidates.get(one.id) ?? [], tokenOf).map((suggestion) =>
        viewSuggestion(suggestion, token.decimals),
      ),
    };
    return {
      transfer: String(one.id),
      network: one.network,
      transaction: one.txId,
      index: one.index,
      token: one.token,
      amount: valued?.amount ?? null,
      from: one.from,
      to: one.to,
      at: unixSeconds(one.blockTime),
      reason: one.reason,
      named_by: one.namedBy,
      invoice: one.transId,
      invoice_status: one.invoiceStatus,
      note: one.note,
      asked_for: one.askedFor,
      claims: ofOne.map(viewClaim),
      suggestions: valued?.suggestions ?? [],
    };
  });
}
