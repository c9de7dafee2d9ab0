import { formatDecimal } from '@counterfoil/core/amount.ts';
import { publicSymbol } from '@counterfoil/core/network-id.ts';
import { unixSeconds } from '../lib/clock.ts';
import type { Networks } from '../networks/networks.ts';
import { requireToken } from '../networks/networks.ts';
import type { AskedAct, KnownAct } from '../sandbox/act-sql.ts';
import type { ExplainedInvoice } from '../sandbox/explain-test-invoice.ts';
import type { TestEvent, TestTransfer } from '../sandbox/test-invoice-sql.ts';

/** Test invoices in the sandbox API's terms. */

const viewTransfer = (networks: Networks, { network, token, units, ...one }: TestTransfer) => ({
  transaction_hash: one.txId,
  network_symbol: publicSymbol(network),
  token_symbol: token,
  amount: formatDecimal(BigInt(units), requireToken(networks, network, token).decimals),
  at: unixSeconds(one.at),
  in_chain: one.canonical,
  pays: one.pays,
  ...(one.reason !== null && { reason: one.reason }),
});

const viewEvent = ({ eventId, type, sequence, state, attempts }: TestEvent) => ({
  event_id: eventId,
  type,
  sequence,
  delivery: state,
  attempts,
});

const viewAct = ({ act, dueAt, outcome }: AskedAct & Partial<Pick<KnownAct, 'outcome'>>) => ({
  act,
  due_at: unixSeconds(dueAt),
  ...outcome,
});

export function viewActs(acts: readonly AskedAct[]) {
  return { status: 'success' as const, data: { acts: acts.map(viewAct) } };
}

export function viewExplanation(networks: Networks, explained: ExplainedInvoice) {
  const { transId, status, late, transfers, events, acts } = explained;
  return {
    status: 'success' as const,
    data: {
      trans_id: transId,
      status,
      late,
      transfers: transfers.map((transfer) => viewTransfer(networks, transfer)),
      events: events.map(viewEvent),
      acts: acts.map(viewAct),
    },
  };
}
