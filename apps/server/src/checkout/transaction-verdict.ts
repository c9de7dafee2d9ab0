import type { TransactionCheck } from '@counterfoil/checkout/checkout-view';
import { formatDecimal } from '@counterfoil/core/amount.ts';
import { dateFromUnix } from '../lib/clock.ts';
import { isExchange } from '../networks/exchange-networks.ts';
import { parseTier } from '../networks/finality.ts';
import type { Network } from '../networks/network.ts';
import type { Networks } from '../networks/networks.ts';
import { QUARANTINE_HOURS, WINDOW_SKEW_SECONDS } from '../quotes/quote.ts';
import { endOfWindow } from '../invoices/cancellation.ts';
import type { ExplainedQuote, Explanation } from '../invoices/transaction-explanation.ts';
import { explainTransaction } from '../invoices/transaction-explanation.ts';
import type { InspectedTransaction } from '../sources/inspected-transaction.ts';
import type { CheckoutFacts, QuoteFact } from './checkout-facts-sql.ts';

/** Turns nodes' answers about a transaction into one with only what concerns this invoice's addresses. */

export type Found = { network: Network; transaction: InspectedTransaction | null | 'unavailable' };

export const NOTHING = { token: null, networkName: null, amount: null, seconds: null, blocks: null };

/** Most favourable first: of several quotes, the payer meant the best match. */
const BY_NEARNESS: readonly Explanation['reason'][] = [
  'matches',
  'late',
  'early',
  'short',
  'over',
  'wrong-token',
  'unlisted-token',
  'failed',
  'through-contract',
  'other-address',
  'not-found',
];

/** Reasons where something reached the quote's address. */
const REACHED: ReadonlySet<Explanation['reason']> = new Set(BY_NEARNESS.slice(0, BY_NEARNESS.indexOf('failed')));

function explained(quote: QuoteFact): ExplainedQuote {
  return {
    ...quote,
    id: BigInt(quote.id),
    displayUnits: BigInt(quote.displayUnits),
    createdAt: dateFromUnix(quote.createdAtSeconds),
  };
}

export type Heads = (network: string) => number | undefined;

function blocksWanted(quote: QuoteFact, height: number, head: number | undefined): number | null {
  const rule = parseTier(quote.finality);
  if (rule.kind !== 'confirmations' || head === undefined) return null;
  return Math.max(0, rule.count - Math.max(0, head - height + 1));
}

type Candidate = { explanation: Explanation; quote: QuoteFact; network: Network };

function answer({ explanation, quote, network }: Candidate, facts: CheckoutFacts, heads: Heads): TransactionCheck {
  const { reason } = explanation;
  const of = { ...NOTHING, reason, token: quote.token, networkName: network.name };
  switch (reason) {
    case 'short':
    case 'over':
      return { ...of, amount: formatDecimal(explanation.byUnits, explanation.token.decimals) };
    case 'late':
      return facts.cancelledAt ? { ...of, reason: 'cancelled' } : { ...of, seconds: explanation.bySeconds };
    case 'early':
      return { ...of, seconds: explanation.bySeconds };
    case 'wrong-token':
      return { ...of, token: explanation.token };
    case 'matches':
      return { ...of, blocks: blocksWanted(quote, explanation.height, heads(network.id)) };
    case 'not-found':
    case 'failed':
    case 'other-address':
    case 'unlisted-token':
    case 'through-contract':
      return of;
  }
}

/** Without exchange platforms, where payments have no transaction hash. */
const listed = (networks: Networks, ids: Iterable<string>) =>
  [...new Set(ids)].flatMap((id) => networks.get(id) ?? []).filter((network) => !isExchange(network));

/** Quoted networks first, then the store's others. */
export function askedNetworks(
  networks: Networks,
  { quotes, walletNetworks }: Pick<CheckoutFacts, 'quotes' | 'walletNetworks'>,
): { quoted: Network[]; others: Network[] } {
  const quoted = listed(
    networks,
    quotes.map((quote) => quote.network),
  );
  return { quoted, others: listed(networks, walletNetworks).filter((network) => !quoted.includes(network)) };
}

/** Later, the payer has to contact the store. */
const ASKED_AFTER_END_MS = 24 * 3_600_000;

/** The answer that needs no node; undefined when nodes must be asked. */
export function judgeUnasked(facts: CheckoutFacts, nowMs: number): TransactionCheck | undefined {
  if (nowMs > facts.expiresAt.getTime() + ASKED_AFTER_END_MS) return { ...NOTHING, reason: 'ended' };
  return facts.quotes.length === 0 ? { ...NOTHING, reason: 'not-found' } : undefined;
}

/** The best explanation on quoted networks; `unavailable` if one could not be asked, undefined if none knows it. */
export function judgeQuoted(facts: CheckoutFacts, found: readonly Found[], heads: Heads): TransactionCheck | undefined {
  const candidates = found.flatMap(({ network, transaction }) => {
    if (transaction === null || transaction === 'unavailable') return [];
    return facts.quotes
      .filter((quote) => quote.network === network.id)
      .map((quote) => ({
        quote,
        network,
        explanation: explainTransaction(network, explained(quote), endOfWindow(facts), transaction),
      }));
  });
  const [best] = candidates.toSorted(
    (left, right) => BY_NEARNESS.indexOf(left.explanation.reason) - BY_NEARNESS.indexOf(right.explanation.reason),
  );
  if (best) return answer(best, facts, heads);
  return found.some(({ transaction }) => transaction === 'unavailable')
    ? { ...NOTHING, reason: 'unavailable' }
    : undefined;
}

/**
 * Whether the transaction is stored as the customer's claim, which a worker reads where readers may miss it: something
 * reached the invoice's address, or a contract may have passed coins on.
 */
export function isClaim(facts: CheckoutFacts, { network, transaction }: Found): boolean {
  if (transaction === null || transaction === 'unavailable' || !transaction.succeeded) return false;
  const closesAt = facts.expiresAt.getTime() / 1000 + QUARANTINE_HOURS * 3_600;
  const open = facts.quotes.filter(
    (quote) =>
      quote.network === network.id &&
      transaction.time >= Math.floor(quote.createdAtSeconds) - WINDOW_SKEW_SECONDS &&
      transaction.time < closesAt,
  );
  const reached = (quote: QuoteFact) =>
    REACHED.has(explainTransaction(network, explained(quote), endOfWindow(facts), transaction).reason);
  return open.length > 0 && (transaction.coin.throughContract === true || open.some(reached));
}

/** Whether a transaction on another network reached an address of the invoice there. */
export function judgeElsewhere(facts: CheckoutFacts, found: readonly Found[]): TransactionCheck {
  for (const { network, transaction } of found) {
    if (transaction === null || transaction === 'unavailable') continue;
    const reached = facts.quotes.some((quote) =>
      REACHED.has(explainTransaction(network, explained(quote), endOfWindow(facts), transaction).reason),
    );
    if (reached) return { ...NOTHING, reason: 'wrong-network', networkName: network.name };
  }
  return { ...NOTHING, reason: 'not-found' };
}
