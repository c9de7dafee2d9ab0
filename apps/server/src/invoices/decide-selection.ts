import { isSandboxId, publicMethod } from '@counterfoil/core/network-id.ts';
import { USD_UNITS_PER_CENT } from '@counterfoil/core/usd.ts';
import type { Clock } from '../lib/clock.ts';
import { isExchange } from '../networks/exchange-networks.ts';
import type { Network, Token } from '../networks/network.ts';
import { findToken } from '../networks/network.ts';
import type { Networks } from '../networks/networks.ts';
import { PRICE_DECIMALS } from '../prices/price.ts';
import type { AmountShare, QuoteRow } from '../quotes/quote.ts';
import { amountBand, countAmounts, SELECTION_CLOSES_SECONDS, VOLATILE_MAX_LIFE_SECONDS } from '../quotes/quote.ts';
import type { HeadFact } from '../chains/judge-clock.ts';
import { isPlatformOff, judgeClock } from '../chains/judge-clock.ts';
import type { ReadingFact } from '../chains/reading.ts';
import { isNetworkOffered } from '../chains/reading.ts';
import type { ExchangeAccountHealth } from '../wallets/exchange-account.ts';
import { isOffered } from '../wallets/exchange-account.ts';
import type { InvoiceStatus } from './invoice.ts';

/** Decides a selection of token and network from facts, choice and time. Only the price is read elsewhere. */

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
  | 'quoting-paused'
  | 'amounts-exhausted';

export type FollowedNetwork = HeadFact & ReadingFact & { frozen: boolean };

export type SelectionFacts = {
  id: bigint;
  storeId: bigint;
  /** Test stores offer only sandbox networks. */
  live: boolean;
  status: InvoiceStatus;
  amountUnits: bigint;
  expiresAt: Date;
  /** The only payment methods that the invoice offers; null: all of its store. */
  methods: readonly string[] | null;
  quotes: readonly QuoteRow[];
  /** Which amounts may be quoted; null while no worker confirms that the database is complete. */
  quotedShare: AmountShare | null;
  /** The end of a price outage that a test store requested, if any. */
  pricesGoneUntil: Date | null;
  wallets: readonly (MethodPlace & {
    exchange: ExchangeAccountHealth | null;
    /** Whether the account is stopped (sandbox). */
    stopped?: boolean;
  })[];
  /** Networks that are followed and not retired. */
  followed: readonly FollowedNetwork[];
};

type MethodPlace = { network: string; address: string };

export type MethodChoice = { network: string; token: string };

/** Parts of a new quote, except its price. */
export type Offer = {
  network: Network;
  token: Token;
  addresses: readonly string[];
  amountUnits: bigint;
  share: AmountShare;
};

type SelectionDecision = { refusal: SelectionRefusal } | { show: QuoteRow } | { open: Offer };

/** Exchange platforms are paid only in tokens worth one dollar. */
const ONE_USD = 10n ** BigInt(PRICE_DECIMALS);
/** Fewest amounts of a quote at an exchange platform: with fewer, payers could not be distinguished. */
const LEAST_AMOUNTS = 100n;

function secondsLeft(expiresAt: Date, nowMs: number): number {
  return Math.floor((expiresAt.getTime() - nowMs) / 1000);
}

/** Why the invoice's amount or remaining time excludes a token, if so. */
export function checkLimits(
  invoice: Pick<SelectionFacts, 'amountUnits' | 'expiresAt'>,
  network: Network,
  token: Token,
  nowMs: number,
): 'below-minimum' | 'volatile-too-long' | undefined {
  if (invoice.amountUnits < BigInt(network.minimumCents) * USD_UNITS_PER_CENT) return 'below-minimum';
  const isLong = secondsLeft(invoice.expiresAt, nowMs) > VOLATILE_MAX_LIFE_SECONDS;
  return !token.stable && isLong ? 'volatile-too-long' : undefined;
}

/** Whether an invoice offers a payment method, by what its creation asked for. */
export function isMethodOf({ methods }: Pick<SelectionFacts, 'methods'>, { network, token }: MethodChoice): boolean {
  return methods === null || methods.includes(publicMethod(network, token));
}

/** Whether enough different amounts exist at an exchange platform; always true for chains. */
export function hasEnoughAmounts(
  amountUnits: bigint,
  network: Network,
  token: Token,
  share: AmountShare = 'usual',
): boolean {
  return !isExchange(network) || countAmounts(amountBand(amountUnits, ONE_USD, token, share), share) >= LEAST_AMOUNTS;
}

function checkNetwork(
  followed: readonly FollowedNetwork[],
  symbol: string,
  now: Clock,
): 'network-unavailable' | 'clock-wrong' | undefined {
  const chain = followed.find(({ network }) => network === symbol);
  if (!chain || chain.frozen) return 'network-unavailable';
  // With a wrong clock, ours or the platform's, a payment would seem to be before its quote or after the invoice's end.
  if (!judgeClock(followed, now).right || isPlatformOff(chain, now)) return 'clock-wrong';
  return isNetworkOffered(chain, now) ? undefined : 'network-unavailable';
}

/** False when `until` is null. */
export function isStill(until: Date | null, nowMs: number): boolean {
  return until !== null && nowMs < until.getTime();
}

/** Reads `now` several times: pass a stopped clock. */
export function decideSelection(
  networks: Networks,
  facts: SelectionFacts | undefined,
  choice: MethodChoice,
  now: Clock,
): SelectionDecision {
  if (!facts) return { refusal: 'invoice-not-found' };
  if (facts.live === isSandboxId(choice.network)) return { refusal: 'not-offered' };
  if (!isMethodOf(facts, choice)) return { refusal: 'not-offered' };
  const quote = facts.quotes.find(({ network, token }) => network === choice.network && token === choice.token);
  if (quote) return facts.status === 'waiting' ? { show: quote } : { refusal: 'not-waiting' };
  const network = networks.get(choice.network);
  const token = network && findToken(network, choice.token);
  if (!network || !token) return { refusal: 'not-offered' };
  if (facts.status !== 'waiting') return { refusal: 'not-waiting' };
  if (secondsLeft(facts.expiresAt, now.nowMs()) < SELECTION_CLOSES_SECONDS) return { refusal: 'closing' };
  const wallets = facts.wallets.filter((wallet) => wallet.network === network.id);
  if (wallets.length === 0) return { refusal: 'not-offered' };
  const share = facts.quotedShare;
  if (!hasEnoughAmounts(facts.amountUnits, network, token, share ?? 'usual')) return { refusal: 'not-offered' };
  const usable = wallets.filter(
    ({ exchange, stopped }) => stopped !== true && (exchange === null || isOffered(exchange, now.nowMs())),
  );
  if (usable.length === 0) return { refusal: 'network-unavailable' };
  const addresses = usable.map(({ address }) => address);
  const refusal =
    checkLimits(facts, network, token, now.nowMs()) ??
    checkNetwork(facts.followed, network.id, now) ??
    (isStill(facts.pricesGoneUntil, now.nowMs()) ? 'price-unavailable' : undefined);
  if (refusal) return { refusal };
  if (share === null) return { refusal: 'quoting-paused' };
  return { open: { network, token, addresses, amountUnits: facts.amountUnits, share } };
}
