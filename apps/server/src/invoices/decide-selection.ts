import type { Clock } from '../lib/clock.ts';
import { USD_DECIMALS } from '../ledger/fee.ts';
import { isExchange } from '../networks/exchange-networks.ts';
import type { Network, Token } from '../networks/network.ts';
import { isSandboxId } from '../networks/network-id.ts';
import { findToken } from '../networks/network.ts';
import type { Networks } from '../networks/networks.ts';
import { PRICE_DECIMALS } from '../prices/price.ts';
import type { QuoteRow } from '../quotes/quote.ts';
import { amountBand, countAmounts, SELECTION_CLOSES_SECONDS, VOLATILE_MAX_LIFE_SECONDS } from '../quotes/quote.ts';
import type { HeadFact } from '../chains/judge-clock.ts';
import { isPlatformOff, judgeClock } from '../chains/judge-clock.ts';
import type { ReadingFact } from '../chains/reading.ts';
import { isNetworkOffered } from '../chains/reading.ts';
import type { ExchangeAccountHealth } from '../wallets/exchange-account.ts';
import { isOffered } from '../wallets/exchange-account.ts';
import type { InvoiceStatus } from './invoice.ts';

/**
 * Decides a selection of token and network. Pure: facts, choice and time in, decision out; only the price is read
 * elsewhere.
 */

export type SelectionRefusal =
  | 'invoice-not-found'
  | 'not-waiting'
  | 'closing'
  | 'not-offered'
  | 'below-minimum'
  | 'volatile-too-long'
  | 'network-unavailable'
  | 'price-unavailable'
  | 'clock-wrong'
  | 'amounts-exhausted';

export type FollowedNetwork = HeadFact & ReadingFact & { frozen: boolean };

export type SelectionFacts = {
  id: bigint;
  storeId: bigint;
  /** Whether the store is live: an invoice of a test store offers the networks of the sandbox alone. */
  live: boolean;
  status: InvoiceStatus;
  amountUnits: bigint;
  expiresAt: Date;
  quotes: readonly QuoteRow[];
  /**
   * Until when prices are unavailable for a test store that asked for this fault; null for a store that never asked.
   */
  pricesGoneUntil: Date | null;
  /** The store's addresses, in the order in which they are used. */
  wallets: readonly (MethodPlace & {
    exchange: ExchangeAccountHealth | null;
    /** Whether the followed account is stopped, in the sandbox. */
    stopped?: boolean;
  })[];
  /** Networks that are followed and not retired. */
  followed: readonly FollowedNetwork[];
};

/** A network and receiving address where the store receives. */
type MethodPlace = { network: string; address: string };

export type MethodChoice = { network: string; token: string };

/** Parts of a new quote, except its price. */
export type Offer = { network: Network; token: Token; addresses: readonly string[]; amountUnits: bigint };

type SelectionDecision = { refusal: SelectionRefusal } | { show: QuoteRow } | { open: Offer };

/** The price of a token that is worth one dollar: exchange platforms are paid only in such tokens. */
const ONE_USD = 10n ** BigInt(PRICE_DECIMALS);
/**
 * Fewest amounts from which a quote at an exchange platform must be able to choose: with fewer amounts, payers of one
 * exchange account could not be told apart.
 */
const LEAST_AMOUNTS = 100n;
const CENT_UNITS = 10n ** BigInt(USD_DECIMALS - 2);

function secondsLeft(expiresAt: Date, nowMs: number): number {
  return Math.floor((expiresAt.getTime() - nowMs) / 1000);
}

/** Why the invoice's amount or remaining time excludes a token; undefined when the token may be selected. */
export function checkLimits(
  invoice: Pick<SelectionFacts, 'amountUnits' | 'expiresAt'>,
  network: Network,
  token: Token,
  nowMs: number,
): 'below-minimum' | 'volatile-too-long' | undefined {
  if (invoice.amountUnits < BigInt(network.minimumCents) * CENT_UNITS) return 'below-minimum';
  const isLong = secondsLeft(invoice.expiresAt, nowMs) > VOLATILE_MAX_LIFE_SECONDS;
  return !token.stable && isLong ? 'volatile-too-long' : undefined;
}

/** Whether the invoice can be quoted enough different amounts at an exchange platform; always true for chains. */
export function hasEnoughAmounts(amountUnits: bigint, network: Network, token: Token): boolean {
  return !isExchange(network) || countAmounts(amountBand(amountUnits, ONE_USD, token)) >= LEAST_AMOUNTS;
}

function checkNetwork(
  followed: readonly FollowedNetwork[],
  symbol: string,
  now: Clock,
): 'network-unavailable' | 'clock-wrong' | undefined {
  const chain = followed.find(({ network }) => network === symbol);
  if (!chain || chain.frozen) return 'network-unavailable';
  // A selection is refused while our clock or the platform's clock is wrong: a payment would seem to come before its
  // quote or after the invoice's end.
  if (!judgeClock(followed, now).right || isPlatformOff(chain, now)) return 'clock-wrong';
  return isNetworkOffered(chain, now) ? undefined : 'network-unavailable';
}

/** Whether the time `until` has not come yet; false when `until` is null. */
export function isStill(until: Date | null, nowMs: number): boolean {
  return until !== null && nowMs < until.getTime();
}

/** Decides a selection. `now` is read several times: pass a stopped clock, so that the whole decision has one time. */
export function decideSelection(
  networks: Networks,
  facts: SelectionFacts | undefined,
  choice: MethodChoice,
  now: Clock,
): SelectionDecision {
  if (!facts) return { refusal: 'invoice-not-found' };
  if (facts.live === isSandboxId(choice.network)) return { refusal: 'not-offered' };
  const quote = facts.quotes.find(({ network, token }) => network === choice.network && token === choice.token);
  // Only a waiting invoice may show another quote: a completed invoice shows the quote that was paid.
  if (quote) return facts.status === 'waiting' ? { show: quote } : { refusal: 'not-waiting' };
  const network = networks.get(choice.network);
  const token = network && findToken(network, choice.token);
  if (!network || !token) return { refusal: 'not-offered' };
  if (facts.status !== 'waiting') return { refusal: 'not-waiting' };
  if (secondsLeft(facts.expiresAt, now.nowMs()) < SELECTION_CLOSES_SECONDS) return { refusal: 'closing' };
  const wallets = facts.wallets.filter((wallet) => wallet.network === network.id);
  if (wallets.length === 0) return { refusal: 'not-offered' };
  if (!hasEnoughAmounts(facts.amountUnits, network, token)) return { refusal: 'not-offered' };
  const usable = wallets.filter(
    ({ exchange, stopped }) => stopped !== true && (exchange === null || isOffered(exchange, now.nowMs())),
  );
  if (usable.length === 0) return { refusal: 'network-unavailable' };
  const addresses = usable.map(({ address }) => address);
  const refusal =
    checkLimits(facts, network, token, now.nowMs()) ??
    checkNetwork(facts.followed, network.id, now) ??
    (isStill(facts.pricesGoneUntil, now.nowMs()) ? 'price-unavailable' : undefined);
  return refusal ? { refusal } : { open: { network, token, addresses, amountUnits: facts.amountUnits } };
}
