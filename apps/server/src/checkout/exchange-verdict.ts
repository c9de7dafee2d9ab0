import type { TransactionCheck } from '@counterfoil/checkout/checkout-view';
import { formatDecimal } from '@counterfoil/core/amount.ts';
import { endOfWindow } from '../invoices/cancellation.ts';
import { isExchange } from '../networks/exchange-networks.ts';
import type { Network, Token } from '../networks/network.ts';
import { findToken } from '../networks/network.ts';
import type { Networks } from '../networks/networks.ts';
import { chainUnits, WINDOW_SKEW_SECONDS } from '../quotes/quote.ts';
import type { CheckoutFacts, QuoteFact } from './checkout-facts-sql.ts';
import type { ExchangePayment } from './exchange-payment-sql.ts';
import { NOTHING } from './transaction-verdict.ts';

/** Turns payments in exchange accounts into an answer that contains only what concerns this invoice. */

/** Most favourable first: an id may match two payments, and the payer meant the better one. */
const BY_NEARNESS: readonly TransactionCheck['reason'][] = [
  'matches',
  'pending',
  'late',
  'cancelled',
  'short',
  'over',
  'wrong-token',
  'early',
  'failed',
  'used',
];

export function exchangeQuotes(networks: Networks, { quotes }: Pick<CheckoutFacts, 'quotes'>): QuoteFact[] {
  return quotes.filter(({ network }) => {
    const listed = networks.get(network);
    return listed !== undefined && isExchange(listed);
  });
}

type Named = Pick<TransactionCheck, 'reason'> & Partial<TransactionCheck>;

/** Judges a payment by the quote in its token. The amount is shown only if it arrived in this invoice's time. */
function judgeByQuote(payment: ExchangePayment, quote: QuoteFact, token: Token, facts: CheckoutFacts): Named {
  const opensAt = Math.floor(quote.createdAtSeconds) - WINDOW_SKEW_SECONDS;
  const closesAt = Math.floor(endOfWindow(facts).getTime() / 1000);
  const { timeSeconds } = payment;
  if (timeSeconds < opensAt) return { reason: 'early', seconds: opensAt - timeSeconds };
  if (timeSeconds > closesAt && facts.cancelledAt) return { reason: 'cancelled' };
  if (timeSeconds > closesAt) return { reason: 'late', seconds: timeSeconds - closesAt };
  const byUnits = BigInt(payment.units) - chainUnits(BigInt(quote.displayUnits), token);
  if (byUnits < 0n) return { reason: 'short', amount: formatDecimal(-byUnits, token.decimals) };
  if (byUnits > 0n) return { reason: 'over', amount: formatDecimal(byUnits, token.decimals) };
  return { reason: payment.pending ? 'pending' : 'matches' };
}

function judge(network: Network, facts: CheckoutFacts, payment: ExchangePayment): Named {
  if (payment.invoiceId !== null && payment.invoiceId !== facts.id) return { reason: 'used' };
  if (!payment.canonical) return { reason: 'failed' };
  // A manually attached payment pays this invoice at any amount and time.
  if (payment.invoiceId === facts.id && payment.reason === null)
    return { reason: payment.pending ? 'pending' : 'matches' };
  const token = findToken(network, payment.token);
  const quote = facts.quotes.find(
    (one) => one.network === network.id && one.token === payment.token && one.toAddress === payment.account,
  );
  return token && quote ? judgeByQuote(payment, quote, token, facts) : { reason: 'wrong-token' };
}

/** The most favourable answer for an id; undefined when there is no payment. */
export function judgeExchangePayments(
  networks: Networks,
  facts: CheckoutFacts,
  payments: readonly ExchangePayment[],
): TransactionCheck | undefined {
  const answers = payments.flatMap((payment): TransactionCheck[] => {
    const network = networks.get(payment.network);
    const of = network && { ...NOTHING, token: payment.token, networkName: network.name };
    return of ? [{ ...of, ...judge(network, facts, payment) }] : [];
  });
  return answers.toSorted((left, right) => BY_NEARNESS.indexOf(left.reason) - BY_NEARNESS.indexOf(right.reason))[0];
}
