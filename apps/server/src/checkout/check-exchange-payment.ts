import type { TransactionCheck } from '@counterfoil/checkout/checkout-view';
import type { FastifyBaseLogger } from 'fastify';
import type { AccountDemand } from '../accounts/demand-account.ts';
import { setBounded } from '../lib/bounded-map.ts';
import type { Clock } from '../lib/clock.ts';
import { dateFromUnix } from '../lib/clock.ts';
import type { Networks } from '../networks/networks.ts';
import { WINDOW_SKEW_SECONDS } from '../quotes/quote.ts';
import { readTransactionId } from './check-transaction.ts';
import type { CheckoutFacts, QuoteFact } from './checkout-facts-sql.ts';
import type { ExchangePayment } from './exchange-payment-sql.ts';
import { exchangeQuotes, judgeExchangePayments } from './exchange-verdict.ts';
import { judgeUnasked, NOTHING } from './transaction-verdict.ts';

/**
 * Answers "I have paid" for invoices that were quoted at exchange accounts, from payments that workers have recorded:
 * this process has no keys to ask platforms with. Where no payment is found, a worker is made to read the exchange
 * account now.
 */

/**
 * Checks a payment by its id. Undefined where the invoice has no quote at an exchange account, or the text names a
 * transaction of a chain: then nodes are asked.
 */
export type CheckExchangePayment = (
  facts: CheckoutFacts,
  text: string,
  log: FastifyBaseLogger,
) => Promise<TransactionCheck | undefined>;

/**
 * Ids of payments as the platforms' apps show them: digits, `P_...`, `C_P_...`, letters and digits with dashes, or at
 * Binance `Internal transfer ...`.
 */
const PAYMENT_ID = /^(?:Internal transfer )?[0-9A-Za-z_@.-]{1,64}$/;

export function readPaymentId(text: string): string | undefined {
  const id = text.trim();
  return PAYMENT_ID.test(id) ? id : undefined;
}

/** Least time between two demands of this process that the same exchange account be read, however many visitors ask. */
const DEMAND_EVERY_MS = 5_000;
const MAX_REMEMBERED = 1_000;

type CheckOptions = {
  networks: Networks;
  /** Business time: decides whether the invoice ended too long ago. */
  clock: Clock;
  /** Steady clock, which nobody sets: measures how long ago a read of an exchange account was last demanded. */
  steadyClock: Clock;
  find: (accounts: readonly { network: string; account: string }[], id: string) => Promise<ExchangePayment[]>;
  /** Demands that a worker read an exchange account now. */
  demand: (demand: AccountDemand) => Promise<unknown>;
};

export function createCheckExchangePayment({
  networks,
  clock,
  steadyClock,
  find,
  demand,
}: CheckOptions): CheckExchangePayment {
  const demandedAtMs = new Map<string, number>();

  /**
   * Demands that workers read the quoted exchange accounts now. A failed demand is only logged: workers read the
   * exchange accounts a little later anyway.
   */
  const demandReads = async (quotes: readonly QuoteFact[], openUntil: Date, log: FastifyBaseLogger) => {
    for (const { network, toAddress: account, createdAtSeconds } of quotes) {
      const key = `${network} ${account}`;
      const nowMs = steadyClock.nowMs();
      if (nowMs - (demandedAtMs.get(key) ?? Number.NEGATIVE_INFINITY) < DEMAND_EVERY_MS) continue;
      setBounded(demandedAtMs, key, nowMs, MAX_REMEMBERED);
      const startAt = dateFromUnix(Math.floor(createdAtSeconds) - WINDOW_SKEW_SECONDS);
      await demand({ network, account, startAt, openUntil }).catch((cause: unknown) =>
        log.error({ err: cause, network }, 'a read of an exchange account was not demanded'),
      );
    }
  };

  return async (facts, text, log) => {
    const quotes = exchangeQuotes(networks, facts);
    if (quotes.length === 0) return undefined;
    const unasked = judgeUnasked(facts, clock.nowMs());
    if (unasked) return unasked;
    const id = readPaymentId(text);
    const accounts = quotes.map(({ network, toAddress }) => ({ network, account: toAddress }));
    const judged = id === undefined ? undefined : judgeExchangePayments(networks, facts, await find(accounts, id));
    if (judged) return judged;
    // The id of a transaction on a chain is not looked up at exchange accounts: where the invoice also has quotes on
    // chains, `undefined` tells the caller to ask their nodes.
    if (id === undefined || readTransactionId(text))
      return quotes.length < facts.quotes.length ? undefined : { ...NOTHING, reason: 'malformed' };
    await demandReads(quotes, facts.expiresAt, log);
    return { ...NOTHING, reason: 'not-found' };
  };
}
