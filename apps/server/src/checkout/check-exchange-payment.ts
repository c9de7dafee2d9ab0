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
 * Answers "I have paid" for exchange quotes from payments that workers recorded, because this process has no keys. If
 * none is found, a worker is made to read the account now.
 */

/** Checks a payment id. Undefined without an exchange quote, or for a transaction of a chain: then nodes are asked. */
export type CheckExchangePayment = (
  facts: CheckoutFacts,
  text: string,
  log: FastifyBaseLogger,
) => Promise<TransactionCheck | undefined>;

/**
 * Payment ids in the platforms' apps: digits, `P_...`, `C_P_...`, letters and digits with dashes, or at Binance
 * `Internal transfer ...`.
 */
const PAYMENT_ID = /^(?:Internal transfer )?[0-9A-Za-z_@.-]{1,64}$/;

export function readPaymentId(text: string): string | undefined {
  const id = text.trim();
  return PAYMENT_ID.test(id) ? id : undefined;
}

/** Minimum interval of demanded reads per account and process, for all visitors. */
const DEMAND_EVERY_MS = 5_000;
const MAX_REMEMBERED = 1_000;

type CheckOptions = {
  networks: Networks;
  /** Decides whether the invoice ended too long ago. */
  clock: Clock;
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

  /** Demands reads of the quoted accounts. Failures are only logged: workers read them soon anyway. */
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
    // A chain transaction id is not looked up here: with quotes on chains, `undefined` makes the caller ask nodes.
    if (id === undefined || readTransactionId(text))
      return quotes.length < facts.quotes.length ? undefined : { ...NOTHING, reason: 'malformed' };
    await demandReads(quotes, facts.expiresAt, log);
    return { ...NOTHING, reason: 'not-found' };
  };
}
