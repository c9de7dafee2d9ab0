import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { divideHalfUp, parseDecimal } from '@counterfoil/core/amount.ts';
import type { Clock } from '../../src/lib/clock.ts';
import { isCurrency } from '@counterfoil/core/currency.ts';
import type { PricedToken } from '../../src/prices/price.ts';
import type { RateUrls } from '../../src/rates/create-rate-sources.ts';
import type { RatedCurrency } from '../../src/rates/rate.ts';
import { closeServer, listen, LOOPBACK } from './listen.ts';
import type { Dialect } from './price-dialect.ts';
import { DECIMALS, shown } from './price-dialect.ts';
import {
  invert,
  speakBinanceBooks,
  speakCoinbaseRates,
  speakEcb,
  speakIndependentReserve,
  speakOpenExchangeRates,
} from './rate-dialects.ts';

/**
 * Fake exchanges and sources of exchange rates on loopback: dialects of one table of prices, with many ways to misbehave.
 */

export type ExchangeMood =
  | 'good'
  /** Answers with old trades; only Coinbase's dialect shows the time of trades, the other dialects answer as usual. */
  | 'stale'
  /** Answers prices that are 5 % too high. */
  | 'lying'
  /** Answers rates of currencies the wrong way round. */
  | 'inverted'
  /** Answers what it answered first in this mood, at its time then. */
  | 'frozen'
  /** Resets the connection. */
  | 'dead'
  /** Takes the request and never answers. */
  | 'hanging'
  /** Answers 429 with Retry-After. */
  | 'limited'
  | 'html'
  /** Answers broken JSON. */
  | 'garbage'
  /** Answers JSON of another shape. */
  | 'odd'
  | 'huge';

type Asset = PricedToken | RatedCurrency;

export type FakeExchange = {
  url: string;
  mood: ExchangeMood;
  /** Paths of all requests so far. */
  requests: string[];
  /** USD per token or currency at this exchange only; those not listed here have the price of all exchanges. */
  own: Partial<Record<Asset, string>>;
  close(): Promise<void>;
};

export type PriceServers = {
  /** USD per token or currency at all exchanges; a missing one is listed at no exchange. */
  prices: Partial<Record<Asset, string>>;
  binance: FakeExchange;
  kraken: FakeExchange;
  coinbase: FakeExchange;
  coinbaseRates: FakeExchange;
  independentReserve: FakeExchange;
  openExchangeRates: FakeExchange;
  ecb: FakeExchange;
  close(): Promise<void>;
};

export const RETRY_AFTER_SECONDS = 7;
const STALE_MS = 31_000;
const STALE_RATES_MS = 2 * 3_600_000;
const STALE_REFERENCE_MS = 10 * 86_400_000;
const HUGE_BYTES = 1_000_000;
const LIE_PERCENT = 105n;

const KRAKEN_NAMES: Record<string, string> = { ETHUSD: 'XETHZUSD', USDTUSD: 'USDTZUSD' };

/** Binance's dialect: one unknown symbol refuses the whole request. */
const speakBinance: Dialect = (request, priceOf, at) => {
  if (request.pathname === '/api/v3/ticker/bookTicker') return speakBinanceBooks(request, priceOf, at);
  const symbols = JSON.parse(request.searchParams.get('symbols') ?? '[]') as string[];
  const usdt = priceOf('USDT');
  const tickers = symbols.map((symbol) => {
    const units = priceOf(symbol.replace(/USDT$/, ''));
    if (units === undefined || usdt === undefined) return undefined;
    return { symbol, price: shown(divideHalfUp(units * 10n ** BigInt(DECIMALS), usdt)) };
  });
  if (tickers.includes(undefined)) return { status: 400, body: { code: -1121, msg: 'Invalid symbol.' } };
  return { body: tickers };
};

/**
 * Kraken's dialect: one unknown pair refuses the whole request, with status 200. The last trade has a senseless price
 * on purpose, because nothing may use the last trade.
 */
const speakKraken: Dialect = (request, priceOf) => {
  const pairs = (request.searchParams.get('pair') ?? '').split(',');
  const result: Record<string, unknown> = {};
  for (const pair of pairs) {
    const base = priceOf(pair.slice(3));
    const units = pair.startsWith('USD') && base !== undefined ? invert(base) : priceOf(pair.replace(/USD$/, ''));
    if (units === undefined) return { body: { error: ['EQuery:Unknown asset pair'] } };
    result[KRAKEN_NAMES[pair] ?? pair] = {
      a: [shown(units + 1n), '1', '1.000'],
      b: [shown(units - 1n), '1', '1.000'],
      c: ['0.01', '0.1'],
    };
  }
  return { body: { error: [], result } };
};

const speakCoinbase: Dialect = (request, priceOf, at) => {
  const product = /^\/products\/([A-Z]+)-USD\/ticker$/.exec(request.pathname)?.[1] ?? '';
  const units = priceOf(product);
  if (units === undefined) return { status: 404, body: { message: 'NotFound' } };
  return { body: { trade_id: 1, price: shown(units), size: '1', time: at.toISOString().replace('Z', '123Z') } };
};

function send(response: ServerResponse, status: number, type: string, text: string): void {
  response.writeHead(status, { 'content-type': type }).end(text);
}

/** Answers as the server's mood says, where the mood prevents a normal answer; returns true when it did. */
function misbehave(mood: ExchangeMood, response: ServerResponse): boolean {
  switch (mood) {
    case 'good':
    case 'stale':
    case 'lying':
    case 'inverted':
    case 'frozen':
      return false;
    case 'dead':
      response.socket?.resetAndDestroy();
      return true;
    case 'hanging':
      return true;
    case 'limited':
      response.setHeader('retry-after', RETRY_AFTER_SECONDS);
      send(response, 429, 'application/json', '{"message":"Too many requests"}');
      return true;
    case 'html':
      send(response, 200, 'text/html', '<html><body>We will be back soon.</body></html>');
      return true;
    case 'garbage':
      send(response, 200, 'application/json', '[{"symbol":"ETHUSDT","price":"2');
      return true;
    case 'odd':
      send(response, 200, 'application/json', '{"result":{"XETHZUSD":{"a":[2500],"b":null}},"price":-1}');
      return true;
    case 'huge':
      send(response, 200, 'application/json', JSON.stringify('x'.repeat(HUGE_BYTES)));
      return true;
  }
}

/** The token in which an exchange quotes its prices: a lying exchange leaves the price of this token unchanged. */
const COUNTED_IN: ReadonlyMap<Dialect, string> = new Map([[speakBinance, 'USDT']]);

const isRated = (asset: string) => isCurrency(asset) && asset !== 'USD';

async function startExchange(
  dialect: Dialect,
  shared: PriceServers['prices'],
  clock: Clock,
  staleMs = STALE_MS,
): Promise<FakeExchange> {
  let frozen: { prices: Partial<Record<string, string>>; nowMs: number } | undefined;
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const target = new URL(request.url ?? '/', exchange.url);
    exchange.requests.push(target.pathname);
    if (misbehave(exchange.mood, response)) return;
    if (exchange.mood !== 'frozen') frozen = undefined;
    else frozen ??= { prices: { ...shared, ...exchange.own }, nowMs: clock.nowMs() };
    const prices: Partial<Record<string, string>> = frozen?.prices ?? { ...shared, ...exchange.own };
    const priceOf = (token: string) => {
      const text = prices[token];
      const units = text === undefined ? undefined : parseDecimal(text, DECIMALS);
      if (units !== undefined && exchange.mood === 'inverted' && isRated(token)) return invert(units);
      const lies = exchange.mood === 'lying' && COUNTED_IN.get(dialect) !== token;
      return units !== undefined && lies ? divideHalfUp(units * LIE_PERCENT, 100n) : units;
    };
    const at = new Date((frozen?.nowMs ?? clock.nowMs()) - (exchange.mood === 'stale' ? staleMs : 0));
    const { status = 200, body } = dialect(target, priceOf, at);
    if (typeof body === 'string') send(response, status, 'text/xml', body);
    else send(response, status, 'application/json', JSON.stringify(body));
  });
  const port = await listen(server);
  const exchange: FakeExchange = {
    url: `http://${LOOPBACK}:${port}`,
    mood: 'good',
    requests: [],
    own: {},
    close: () => closeServer(server),
  };
  return exchange;
}

const USUAL_PRICES: Readonly<Record<Asset, string>> = {
  BNB: '600.5',
  ETH: '2500',
  SOL: '150.25',
  TRX: '0.31234',
  POL: '0.25',
  AVAX: '25.75',
  USDT: '1',
  USDC: '1',
  EUR: '1.10',
  GBP: '1.30',
  CHF: '1.15',
  JPY: '0.0068',
  CAD: '0.72',
  AUD: '0.65',
  SGD: '0.75',
  BRL: '0.18',
  INR: '0.0119',
  TRY: '0.026',
  CNY: '0.14',
  AED: '0.2723',
  KWD: '3.26',
};

export async function startPriceServers(clock: Clock): Promise<PriceServers> {
  const prices: PriceServers['prices'] = { ...USUAL_PRICES };
  const [binance, kraken, coinbase, coinbaseRates, independentReserve, openExchangeRates, ecb] = await Promise.all([
    startExchange(speakBinance, prices, clock),
    startExchange(speakKraken, prices, clock),
    startExchange(speakCoinbase, prices, clock),
    startExchange(speakCoinbaseRates, prices, clock),
    startExchange(speakIndependentReserve, prices, clock),
    startExchange(speakOpenExchangeRates, prices, clock, STALE_RATES_MS),
    startExchange(speakEcb, prices, clock, STALE_REFERENCE_MS),
  ]);
  const servers = { binance, kraken, coinbase, coinbaseRates, independentReserve, openExchangeRates, ecb };
  return {
    prices,
    ...servers,
    close: async () => {
      await Promise.all(Object.values(servers).map((server) => server.close()));
    },
  };
}

/** Where a test asks these servers for exchange rates; Open Exchange Rates only `withKey`. */
export function rateUrlsOf(servers: PriceServers, withKey = false): RateUrls {
  return {
    binance: servers.binance.url,
    kraken: servers.kraken.url,
    coinbase: servers.coinbaseRates.url,
    independentReserve: servers.independentReserve.url,
    ecb: servers.ecb.url,
    openExchangeRates: withKey ? `${servers.openExchangeRates.url}/api/latest.json?app_id=test` : undefined,
  };
}

/** Settings with which a worker asks these servers for prices. */
export function priceSettings({ binance, kraken, coinbase, ...rates }: PriceServers): Record<string, string> {
  return {
    COUNTERFOIL_PRICE_BINANCE_URL: binance.url,
    COUNTERFOIL_PRICE_KRAKEN_URL: kraken.url,
    COUNTERFOIL_PRICE_COINBASE_URL: coinbase.url,
    COUNTERFOIL_RATE_COINBASE_URL: rates.coinbaseRates.url,
    COUNTERFOIL_RATE_INDEPENDENT_RESERVE_URL: rates.independentReserve.url,
    COUNTERFOIL_RATE_ECB_URL: rates.ecb.url,
  };
}

/** URL of a port at which nothing listens. */
const NOWHERE = `http://${LOOPBACK}:9`;

/** Settings for workers that need no prices: such workers never ask a real host. */
export const NO_PRICES = {
  COUNTERFOIL_PRICE_BINANCE_URL: NOWHERE,
  COUNTERFOIL_PRICE_KRAKEN_URL: NOWHERE,
  COUNTERFOIL_PRICE_COINBASE_URL: NOWHERE,
  COUNTERFOIL_RATE_COINBASE_URL: NOWHERE,
  COUNTERFOIL_RATE_INDEPENDENT_RESERVE_URL: NOWHERE,
  COUNTERFOIL_RATE_ECB_URL: NOWHERE,
};
