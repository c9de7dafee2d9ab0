import { formatDecimal } from '@counterfoil/core/amount.ts';
import { z } from 'zod';
import { CommandError } from './command-error.ts';
import { command } from './command.ts';
import { requireToken } from '../networks/networks.ts';
import type { OperatorContext } from './operator-context.ts';
import { storeForOperator } from '../stores/store-for-operator.ts';
import { attachTransfer } from '../invoices/attach-transfer.ts';
import { cancelInvoice } from '../invoices/cancel-invoice.ts';
import { endInvoice } from '../invoices/end-invoice.ts';
import type { StuckInvoice } from '../invoices/end-invoice-sql.ts';
import { listStuck } from '../invoices/end-invoice-sql.ts';
import { listInbox } from '../invoices/inbox-sql.ts';
import { reconcileSince } from '../invoices/reconcile-events.ts';
import { selectPaymentMethod } from '../invoices/select-payment-method.ts';

const MAX_LISTED = 200;

const storeChoice = z.object({ store: z.string() });

const inboxList = command<OperatorContext, typeof storeChoice>('inbox list', {
  summary: 'Transfers that reached a merchant but pay nothing, and why.',
  options: { store: 'MERCHANT_ID' },
  input: storeChoice,
  run: async (context, { store }) => {
    const { merchantAccountId } = await storeForOperator(context, context.actor, store);
    const transfers = await listInbox(context.database.queries, merchantAccountId, MAX_LISTED);
    return transfers.map((transfer) => {
      const { decimals } = requireToken(context.networks, transfer.network, transfer.token);
      return {
        reason: transfer.reason,
        named_by: transfer.namedBy,
        amount: `${formatDecimal(BigInt(transfer.units), decimals)} ${transfer.token}`,
        network: transfer.network,
        tx: transfer.txId,
        index: transfer.index,
        from: transfer.from,
        to: transfer.to,
        at: transfer.blockTime,
        invoice: transfer.transId,
      };
    });
  },
});

const attachment = z.object({ invoice: z.string(), network: z.string(), tx: z.string(), index: z.string() });

const inboxAttach = command<OperatorContext, typeof attachment>('inbox attach', {
  summary: 'Decide that a transfer pays an invoice. Audited.',
  options: {
    invoice: 'TRANS_ID',
    network: 'SYMBOL',
    tx: 'HASH',
    index: 'INDEX         as inbox list shows it, for example USDT:0',
  },
  input: attachment,
  run: async (context, { invoice, network, tx, index }) => {
    await attachTransfer(context, context.actor, { transId: invoice, network, txId: tx, index });
    return { invoice, attached: tx };
  },
});

const selection = z.object({ invoice: z.string(), network: z.string(), token: z.string() });

const invoiceSelect = command<OperatorContext, typeof selection>('invoice select', {
  summary: 'Select token and network for an invoice, as its customer would.',
  options: { invoice: 'TRANS_ID', network: 'SYMBOL', token: 'SYMBOL' },
  input: selection,
  run: async (context, { invoice, network, token }) => {
    const selected = await selectPaymentMethod(context, context.actor, { transId: invoice, network, token });
    if (!selected.selected) throw new CommandError(`It cannot be selected: ${selected.refusal}.`);
    const { quote } = selected;
    return {
      send: `${quote.tokenAmount} ${quote.token}`,
      network: quote.network,
      to: quote.toAddress,
      price: quote.tokenPriceUsd,
    };
  },
});

const ending = z.object({
  'trans-id': z.string(),
  outcome: z.enum(['completed', 'expired']),
  reason: z.string().trim().min(1).max(500),
});

const invoiceEnd = command<OperatorContext, typeof ending>('invoice end', {
  summary: 'End an invoice whose payment is on a retired network (chain retire). Audited.',
  options: {
    'trans-id': 'TRANS_ID',
    outcome: 'completed|expired',
    reason: 'TEXT         why, for the audit',
  },
  input: ending,
  run: async (context, { 'trans-id': transId, outcome, reason }) => {
    await endInvoice(context, context.actor, { transId, outcome, reason });
    return { invoice: transId, status: outcome };
  },
});

const cancelled = z.object({ 'trans-id': z.string() });

const invoiceCancel = command<OperatorContext, typeof cancelled>('invoice cancel', {
  summary: 'Cancel an invoice that nobody has paid. Audited.',
  options: { 'trans-id': 'TRANS_ID' },
  input: cancelled,
  run: async (context, { 'trans-id': transId }) => {
    await cancelInvoice(context, context.actor, { transId });
    return { invoice: transId, status: 'expired', cancelled: true };
  },
});

const nothing = z.object({});

function whyStuck({ frozen, retired }: StuckInvoice): string {
  if (retired) return 'its network was retired: invoice end';
  if (frozen) return 'its network is frozen: chain unfreeze';
  return 'its payment is not confirmed yet: chain status; transfer accept or discard, if it is disputed';
}

const invoiceStuck = command<OperatorContext, typeof nothing>('invoice stuck', {
  summary: 'Invoices that are past their end and wait for a payment to settle, and what they wait for.',
  options: {},
  input: nothing,
  run: async ({ database, clock }) => {
    const stuck = await listStuck(database.queries, new Date(clock.nowMs()), MAX_LISTED);
    return stuck.map((invoice) => ({
      invoice: invoice.transId,
      ended: invoice.expiresAt,
      why: whyStuck(invoice),
      network: invoice.network,
      tx: invoice.txId,
      index: invoice.index,
    }));
  },
});

const moment = z.object({ since: z.iso.datetime({ offset: true }).transform((text) => new Date(text)) });

const webhookReconcile = command<OperatorContext, typeof moment>('webhook reconcile', {
  summary: 'Check that what ended since a moment has its events and deliveries; write what is missing.',
  options: { since: 'TIME           for example 2026-11-15T00:00:00Z' },
  input: moment,
  run: (context, choice) => reconcileSince(context, context.actor, choice),
});

export const invoiceCommands = [
  inboxList,
  inboxAttach,
  invoiceSelect,
  invoiceCancel,
  invoiceStuck,
  invoiceEnd,
  webhookReconcile,
];
