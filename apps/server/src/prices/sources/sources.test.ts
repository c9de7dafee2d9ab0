import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ExchangeMood, FakeExchange, PriceServers } from '../../../rig/fakes/price-servers.ts';
import { RETRY_AFTER_SECONDS, startPriceServers } from '../../../rig/fakes/price-servers.ts';
import { createManualClock } from '../../lib/clock.ts';
import { FetchError } from '../../lib/fetch-json.ts';
import { pauseSource } from '../pause-source.ts';
import type { PricedToken } from '../price.ts';
import { PRICED_TOKENS, quantizePrice } from '../price.ts';
import type { PriceReport, PriceSource } from '../price-source.ts';
import { PriceSourceError } from '../price-source.ts';
import { createBinanceSource } from './binance.ts';
import { createCoinbaseSource } from './coinbase.ts';
import { createKrakenSource } from './kraken.ts';
import { findMiddlePrice } from './middle-price.ts';

const START = Date.UTC(2026, 10, 15, 12);
const ROUND_MS = 60_000;
const HANG_MS = 200;

let clock: ReturnType<typeof createManualClock>;
let servers: PriceServers;
let sources: Record<'binance' | 'kraken' | 'coinbase', { source: PriceSource; server: FakeExchange }>;
beforeEach(async () => {
  clock = createManualClock(START);
  servers = await startPriceServers(clock);
  const { binance, kraken, coinbase } = servers;
  sources = {
    binance: { source: createBinanceSource(binance.url, clock), server: binance },
    kraken: { source: createKrakenSource(kraken.url, clock), server: kraken },
    coinbase: { source: createCoinbaseSource(coinbase.url), server: coinbase },
  };
});
afterEach(() => servers.close());

const NAMES = ['binance', 'kraken', 'coinbase'] as const;
const ask = (source: PriceSource, tokens: readonly PricedToken[] = PRICED_TOKENS, timeoutMs = ROUND_MS) =>
  source.fetchReports(tokens, AbortSignal.timeout(timeoutMs));
const pricesOf = (reports: readonly PriceReport[]) =>
  Object.fromEntries(reports.map((report) => [report.token, quantizePrice(report.price)]));

describe('binance', () => {
  test('binance is asked once for all and reports in USDT, at the time of the question', async () => {
    servers.prices.USDT = '0.5';
    const reports = await ask(sources.binance.source);
    expect(servers.binance.requests).toEqual(['/api/v3/ticker/price']);
    expect(new Set(reports.map((report) => `${report.quote} ${report.at.getTime()}`))).toEqual(
      new Set([`USDT ${START}`]),
    );
    expect(pricesOf(reports)).toEqual({
      BNB: 1_201_000_000_000_000n,
      ETH: 5_000_000_000_000_000n,
      SOL: 300_500_000_000_000n,
      TRX: 624_680_000_000n,
      POL: 500_000_000_000n,
      AVAX: 51_500_000_000_000n,
      USDC: 2_000_000_000_000n,
    });
  });

  test('binance is not asked for USDT, which it counts in', async () => {
    expect(await ask(sources.binance.source, ['USDT'])).toEqual([]);
    expect(servers.binance.requests).toEqual([]);
  });

  test('binance refuses everything for one symbol that it does not list', async () => {
    delete servers.prices.POL;
    await expect(ask(sources.binance.source)).rejects.toMatchObject({ kind: 'status', status: 400 });
  });
});

describe('kraken', () => {
  test('kraken is asked once for all and finds ETH and USDT under their old names', async () => {
    const reports = await ask(sources.kraken.source);
    expect(servers.kraken.requests).toEqual(['/0/public/Ticker']);
    expect(reports.map((report) => report.token)).toEqual([...PRICED_TOKENS]);
    expect(pricesOf(reports)).toMatchObject({ ETH: 2_500_000_000_000_000n, USDT: 1_000_000_000_000n });
    expect(reports.every((report) => report.quote === 'USD' && report.at.getTime() === START)).toBe(true);
  });

  test.each([
    ['2501', '2499', 2_500_000_000_000_000n],
    ['0.3', '0.29999999', 299_999_995_000n],
    ['102', '100', 101_000_000_000_000n],
    ['102.00000001', '100', undefined],
    ['2501', '0.00000', undefined],
    ['0', '2499', undefined],
  ])('offers of %s and %s have %s in the middle', (sold, bought, expected) => {
    const middle = findMiddlePrice('kraken', { a: sold, b: bought });
    expect(middle && quantizePrice(middle)).toBe(expected);
  });

  test('kraken refuses with status 200, which is a failure', async () => {
    delete servers.prices.POL;
    await expect(ask(sources.kraken.source)).rejects.toThrow('kraken refused: EQuery:Unknown asset pair');
  });
});

describe('coinbase', () => {
  test('coinbase is asked for each product and reports the time of its last trade', async () => {
    servers.coinbase.mood = 'stale';
    const reports = await ask(sources.coinbase.source);
    expect(servers.coinbase.requests.toSorted((left, right) => (left < right ? -1 : 1))).toEqual(
      ['AVAX', 'BNB', 'ETH', 'POL', 'SOL', 'USDT'].map((token) => `/products/${token}-USD/ticker`),
    );
    expect(new Set(reports.map((report) => report.at.getTime()))).toEqual(new Set([START - 31_000]));
  });

  test('coinbase may not list a token: the others are reported', async () => {
    delete servers.prices.POL;
    const reports = await ask(sources.coinbase.source);
    expect(reports.map((report) => report.token)).toEqual(['BNB', 'ETH', 'SOL', 'AVAX', 'USDT']);
  });

  test('coinbase may stumble over one token: the others are reported', async () => {
    servers.coinbase.own.SOL = '0';
    const reports = await ask(sources.coinbase.source);
    expect(reports.map((report) => report.token)).toEqual(['BNB', 'ETH', 'POL', 'AVAX', 'USDT']);
  });
});

describe.each(NAMES)('%s', (name) => {
  test.each<[ExchangeMood, string]>([
    ['dead', 'network'],
    ['limited', 'status'],
    ['html', 'not-json'],
    ['garbage', 'not-json'],
    ['huge', 'too-large'],
  ])('when it is %s fails as %s', async (mood, kind) => {
    sources[name].server.mood = mood;
    await expect(ask(sources[name].source)).rejects.toMatchObject({ name: FetchError.name, kind });
  });

  test('when it hangs fails as soon as the round says so', async () => {
    sources[name].server.mood = 'hanging';
    await expect(ask(sources[name].source, PRICED_TOKENS, HANG_MS)).rejects.toMatchObject({ kind: 'timeout' });
  });

  test('when it answers in another shape fails and says where', async () => {
    sources[name].server.mood = 'odd';
    const failure = ask(sources[name].source);
    await expect(failure).rejects.toBeInstanceOf(PriceSourceError);
    await expect(failure).rejects.toThrow(`${name} answered in an unknown shape`);
  });

  test('that had too many requests is left alone for as long as it asks', async () => {
    const { source, server } = sources[name];
    const paused = pauseSource(source, clock);
    server.mood = 'limited';
    await expect(ask(paused)).rejects.toMatchObject({ status: 429 });
    server.mood = 'good';
    const asked = server.requests.length;
    clock.advance(RETRY_AFTER_SECONDS * 1000 - 1);
    await expect(ask(paused)).rejects.toThrow(`${name} had too many requests and rests.`);
    expect(server.requests).toHaveLength(asked);
    clock.advance(1);
    expect((await ask(paused)).length).toBeGreaterThan(0);
  });
});
