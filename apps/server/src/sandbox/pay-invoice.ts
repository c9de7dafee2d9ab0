import { randomBytes } from 'node:crypto';
import { rewindAccount } from '../accounts/account-sql.ts';
import type { Tx } from '../db/transaction.ts';
import type { Clock } from '../lib/clock.ts';
import type { Network, Token } from '../networks/network.ts';
import { findToken } from '../networks/network.ts';
import type { Networks } from '../networks/networks.ts';
import { chainUnits } from '../quotes/quote.ts';
import type { Act, PaymentKind } from './act.ts';
import type { ActOutcome } from './act-sql.ts';
import {
  confirmPayments,
  findLastPayment,
  insertTestPayment,
  movePayment,
  noteChange,
  removePayment,
} from './sandbox-transfer-sql.ts';
import { findTestQuote } from './test-invoice-sql.ts';
import { wakeAccount } from './wake-accounts.ts';

/** A test payer's and simulated chain's effects on a test invoice: pay, confirm, reorg. */

export type InvoiceAct = { tx: Tx; networks: Networks; clock: Clock; storeId: bigint; at: Date; invoiceId: bigint };

const TX_BYTES = 16;
/** Wrong payments differ by a hundredth: noticeable, and still explained by the quote. */
const DIFFERENCE = 100n;

const createTxId = () => `test-${randomBytes(TX_BYTES).toString('hex')}`;

/** The token of a mistaken payment, if the network has another. */
const otherToken = (network: Network, { symbol }: Token) => network.tokens.find((token) => token.symbol !== symbol);

function unitsOf(payment: PaymentKind, displayUnits: bigint, token: Token): bigint {
  const step = displayUnits / DIFFERENCE + 1n;
  const paid = {
    short: displayUnits - step,
    over: displayUnits + step,
    exact: displayUnits,
    wrong_token: displayUnits,
  };
  return chainUnits(paid[payment], token);
}

export async function payInvoice(
  { tx, networks, at, invoiceId }: InvoiceAct,
  { payment, slow }: Extract<Act, { kind: 'pay' }>,
): Promise<ActOutcome> {
  const quote = await findTestQuote(tx, invoiceId);
  const network = quote && networks.get(quote.network);
  const quoted = network && findToken(network, quote.token);
  if (!quote || !quoted) return { done: false, note: 'no payment method was chosen' };
  const token = payment === 'wrong_token' ? otherToken(network, quoted) : quoted;
  if (!token) return { done: false, note: 'the network has one token only' };
  const units = unitsOf(payment, quote.displayUnits, token);
  if (units <= 0n) return { done: false, note: 'the amount is too small' };
  const place = { network: quote.network, account: quote.account };
  const txId = createTxId();
  await insertTestPayment(tx, {
    ...place,
    invoiceId,
    txId,
    token: token.symbol,
    from: 'test-payer',
    units,
    final: !slow,
    at,
  });
  await wakeAccount(tx, place, at, quote.expiresAt);
  return { done: true, transactions: [txId] };
}

export async function confirmInvoice({ tx, at, invoiceId }: InvoiceAct): Promise<ActOutcome> {
  const confirmed = await confirmPayments(tx, invoiceId);
  for (const place of confirmed) {
    await noteChange(tx, place);
    await wakeAccount(tx, place, at);
  }
  if (confirmed.length === 0) return { done: false, note: 'no payment waits for its confirmation' };
  return { done: true, transactions: confirmed.map(({ txId }) => txId) };
}

/** A reorg of an invoice's last payment, even if settled. The account is rewound to below it and read again. */
export async function reorgInvoice(
  { tx, at, invoiceId }: InvoiceAct,
  { returns }: Extract<Act, { kind: 'reorg' }>,
): Promise<ActOutcome> {
  const payment = await findLastPayment(tx, invoiceId, returns ? 'all' : 'chain');
  if (!payment) return { done: false, note: 'no payment is in its chain' };
  const { network, account, height, txId } = payment;
  const below = { height: height - 1, time: Math.floor((height - 1) / 1_000) };
  await rewindAccount(tx, network, account, below);
  if (returns) await movePayment(tx, payment, at);
  else await removePayment(tx, payment.id);
  await noteChange(tx, payment);
  // An idle account starts at its wake time, and the payment's old block must be read again.
  await wakeAccount(tx, payment, new Date(Math.min(at.getTime(), height)));
  return { done: true, transactions: [txId] };
}
