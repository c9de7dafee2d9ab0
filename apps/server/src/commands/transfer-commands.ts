import { formatDecimal } from '@counterfoil/core/amount.ts';
import { z } from 'zod';
import { Refusal } from '../lib/refusal.ts';
import { command } from './command.ts';
import { requireToken } from '../networks/networks.ts';
import type { OperatorContext } from './operator-context.ts';
import { acceptTransfer } from '../invoices/accept-transfer.ts';
import { discardTransfer } from '../invoices/discard-transfer.ts';
import { readTransaction } from '../invoices/doubted-transfer-sql.ts';
import { nameTransaction } from '../invoices/name-transaction.ts';
import { findNameable, listRequests } from '../invoices/named-transaction-sql.ts';

/** Commands about doubted transfers and submitted transactions. */

const decision = z.object({
  network: z.string(),
  tx: z.string(),
  index: z.string(),
  reason: z.string().trim().min(1).max(500),
});
const options = {
  network: 'SYMBOL',
  tx: 'HASH',
  index: 'INDEX         as transfer show names it, for example USDT:0',
  reason: 'TEXT         why, for the audit',
};

const transaction = z.object({ network: z.string(), tx: z.string() });

const transferShow = command<OperatorContext, typeof transaction>('transfer show', {
  summary: 'Records of a transaction: who read it, who confirmed it, and what it pays.',
  options: { network: 'SYMBOL', tx: 'HASH' },
  input: transaction,
  run: async ({ database, networks }, { network: symbol, tx }) => {
    if (!networks.has(symbol)) throw new Refusal('NETWORK_UNKNOWN', { network: symbol });
    return (await readTransaction(database.queries, symbol, tx)).map((transfer) => ({
      index: transfer.index,
      amount: `${formatDecimal(BigInt(transfer.units), requireToken(networks, symbol, transfer.token).decimals)} ${transfer.token}`,
      to: transfer.to,
      height: transfer.height,
      in_chain: transfer.canonical,
      read_by: transfer.readBy,
      confirmed_by: transfer.provenBy,
      accepted_by: transfer.acceptedBy,
      named_by: transfer.namedBy,
      invoice: transfer.transId,
      reason: transfer.reason,
    }));
  },
});

const transferAccept = command<OperatorContext, typeof decision>('transfer accept', {
  summary: 'Confirm a transfer that no receipt proves or disproves: it settles, and reading continues. Audited.',
  options,
  input: decision,
  run: async (context, { network, tx, index, reason }) => {
    await acceptTransfer(context, context.actor, { network, txId: tx, index, reason });
    return { network, accepted: tx, index };
  },
});

const transferDiscard = command<OperatorContext, typeof decision>('transfer discard', {
  summary: 'Discard such a transfer: it is undone as a reorg would undo it. Audited.',
  options,
  input: decision,
  run: async (context, { network, tx, index, reason }) => {
    await discardTransfer(context, context.actor, { network, txId: tx, index, reason });
    return { network, discarded: tx, index };
  },
});

const naming = z.object({
  invoice: z.string(),
  network: z.string(),
  tx: z.string(),
  reason: z.string().trim().min(1).max(500),
});

const transferName = command<OperatorContext, typeof naming>('transfer name', {
  summary: 'Have a worker read one transaction for an invoice: also coins that no read shows. Audited.',
  options: { invoice: 'TRANS_ID', network: 'SYMBOL', tx: 'HASH', reason: 'TEXT         why, for the audit' },
  input: naming,
  run: async (context, { invoice, network, tx, reason }) => {
    await nameTransaction(context, context.actor, { transId: invoice, network, txId: tx, reason });
    return { invoice, named: tx, next: 'transfer named shows what became of it' };
  },
});

const invoiceNamed = z.object({ invoice: z.string() });

const transferNamed = command<OperatorContext, typeof invoiceNamed>('transfer named', {
  summary: 'Transaction hashes submitted for an invoice, by whom, and the result of each.',
  options: { invoice: 'TRANS_ID' },
  input: invoiceNamed,
  run: async ({ database }, { invoice: transId }) => {
    const invoice = await findNameable(database.queries, transId);
    if (!invoice) throw new Refusal('INVOICE_UNKNOWN', { transId });
    return (await listRequests(database.queries, invoice.invoiceId)).map((request) => ({
      network: request.network,
      tx: request.txId,
      named_by: request.namedBy,
      at: request.namedAt,
      tries: request.tries,
      outcome: request.outcome ?? 'waiting',
    }));
  },
});

export const transferCommands = [transferShow, transferAccept, transferDiscard, transferName, transferNamed];
