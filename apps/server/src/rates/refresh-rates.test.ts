import { formatDecimal } from '@counterfoil/core/amount.ts';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import type { TestDatabase } from '../../rig/database/test-database.ts';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import type { ExchangeMood, PriceServers } from '../../rig/fakes/price-servers.ts';
import { rateUrlsOf, startPriceServers } from '../../rig/fakes/price-servers.ts';
import { createManualClock } from '../lib/clock.ts';
import { PRICE_DECIMALS } from '../prices/price.ts';
import { refreshPrices } from '../prices/refresh-prices.ts';
import { createPriceSources } from '../prices/create-price-sources.ts';
import { createRateSources } from './create-rate-sources.ts';
import type { RatedCurrency } from './rate.ts';
import { RATED_CURRENCIES } from './rate.ts';
import { createReadRate } from './read-rate.ts';
import type { RefreshedRates } from './refresh-rates.ts';
import { createRefreshRates } from './refresh-rates.ts';

/** A Wednesday at noon. */
const START = Date.UTC(2026, 10, 18, 12);
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const ROUND_MS = 10_000;
const HANG_MS = 1_000;

let own: TestDatabase;
let clock: ReturnType<typeof createManualClock>;
let servers: PriceServers;
let logged: string[];
let refreshRates: () => Promise<RefreshedRates>;
beforeEach(async () => {
  own = await openTestDatabase(inject('template'), 4);
  clock = createManualClock(START);
  servers = await startPriceServers(clock);
  logged = [];
  start();
});
afterEach(async () => {
  await servers.close();
  await own.drop();
});

const log = pino({ base: null }, { write: (line: string) => void logged.push(line) });

function start(withKey = false, sourceTimeoutMs = ROUND_MS): void {
  const sources = createRateSources(rateUrlsOf(servers, withKey), clock);
  refreshRates = createRefreshRates({ database: own.as('worker'), clock, log, sources, sourceTimeoutMs });
}

async function refresh(): Promise<RefreshedRates> {
  const sources = createPriceSources(
    { binance: servers.binance.url, kraken: servers.kraken.url, coinbase: servers.coinbase.url },
    clock,
  );
  await refreshPrices({ database: own.as('worker'), clock, log, sources, sourceTimeoutMs: ROUND_MS });
  return refreshRates();
}

/** The rate with its sources, or the reason why there is none, as the API decides it. */
async function rate(currency: RatedCurrency): Promise<string> {
  const decision = await createReadRate(own.as('api').queries, clock)(currency);
  if (!decision.available) return decision.reason;
  const names = decision.sources.map(({ source }) => source).join(' ');
  return `${formatDecimal(decision.rateUnits, PRICE_DECIMALS, 2)} by ${names}`;
}

const alarms = async () =>
  (
    await own.database.pool.query<{ kind: string; subject: string; details: unknown }>(
      'select kind, subject, details from alarms order by id',
    )
  ).rows;

describe('all sources of rates answer', () => {
  test('nine currencies are on without a key, and four are off', async () => {
    const { failedSources } = await refresh();
    expect(failedSources).toEqual([]);
    const rates = await Promise.all(RATED_CURRENCIES.map(async (currency) => `${currency} ${await rate(currency)}`));
    expect(rates.map((text) => text.replace(/0\.0{0,3}\d+|\d\.\d+/, 'R'))).toEqual([
      'EUR R by binance coinbase kraken',
      'GBP R by coinbase kraken',
      'CHF R by coinbase kraken',
      'JPY R by coinbase kraken',
      'CAD R by coinbase kraken',
      'AUD R by coinbase independent-reserve kraken',
      'SGD R by coinbase independent-reserve',
      'BRL R by binance coinbase',
      'INR currency-off',
      'TRY R by binance coinbase',
      'CNY currency-off',
      'AED currency-off',
      'KWD currency-off',
    ]);
    expect(await rate('EUR')).toMatch(/^1\.10 by /);
    expect(await rate('JPY')).toMatch(/^0\.0068 by |^0\.00679999/);
  });

  test('a key of Open Exchange Rates turns the other four on', async () => {
    start(true);
    await refresh();
    for (const currency of ['INR', 'CNY', 'AED', 'KWD'] as const) {
      expect(await rate(currency)).toMatch(/ by coinbase openexchangerates$/);
    }
    expect(await alarms()).toEqual([]);
  });

  test('a currency that is off raises no alarm', async () => {
    for (let minute = 0; minute < 12; minute += 1) {
      await refresh();
      clock.advance(MINUTE_MS);
    }
    expect(await alarms()).toEqual([]);
  });

  test('sources that publish rarely are asked rarely', async () => {
    start(true);
    for (let minute = 0; minute < 61; minute += 1) {
      await refreshRates();
      clock.advance(MINUTE_MS);
    }
    expect(servers.ecb.requests).toHaveLength(2);
    expect(servers.openExchangeRates.requests).toHaveLength(7);
  });
});

type Faulty = 'kraken' | 'coinbaseRates' | 'binance' | 'independentReserve' | 'ecb';
const MOODS = ['dead', 'hanging', 'limited', 'html', 'garbage', 'odd', 'huge'] as const satisfies ExchangeMood[];

describe('a source of rates fails', () => {
  test.each(MOODS)('a source that is %s counts no longer than its last answer is fresh', async (mood) => {
    start(false, mood === 'hanging' ? HANG_MS : ROUND_MS);
    await refresh();
    servers.coinbaseRates.mood = mood;
    clock.advance(15 * MINUTE_MS);
    expect((await refresh()).failedSources).toEqual(['coinbase']);
    expect(await rate('JPY')).toMatch(/ by coinbase kraken$/);
    clock.advance(1);
    await refresh();
    expect(await rate('JPY')).toBe('no-fresh-sources');
    expect(await rate('EUR')).toMatch(/ by binance kraken$/);
  });

  test.each<[ExchangeMood, Faulty, RatedCurrency, string]>([
    ['lying', 'coinbaseRates', 'JPY', 'sources-disagree'],
    ['lying', 'kraken', 'JPY', 'sources-disagree'],
    ['lying', 'binance', 'TRY', 'sources-disagree'],
    ['lying', 'independentReserve', 'SGD', 'sources-disagree'],
    ['inverted', 'coinbaseRates', 'JPY', 'sources-disagree'],
    ['inverted', 'kraken', 'CHF', 'sources-disagree'],
    ['inverted', 'binance', 'BRL', 'sources-disagree'],
    ['inverted', 'independentReserve', 'SGD', 'sources-disagree'],
    ['stale', 'ecb', 'EUR', 'no-bound'],
    ['lying', 'ecb', 'EUR', 'out-of-bounds'],
  ])('%s %s: %s is refused as %s', async (mood, name, currency, reason) => {
    servers[name].mood = mood;
    if (name === 'ecb') servers.ecb.own.EUR = '1.12';
    await refresh();
    expect(await rate(currency)).toBe(reason);
  });

  test('a source that is 5 % off or inverted is outvoted by two others', async () => {
    await refresh();
    const honest = await rate('EUR');
    for (const mood of ['lying', 'inverted'] as const) {
      servers.coinbaseRates.mood = mood;
      clock.advance(MINUTE_MS);
      await refresh();
      expect(await rate('EUR')).toBe(honest.replace('coinbase ', ''));
    }
  });

  test('a source frozen over a weekend is not used on Monday', async () => {
    clock.advance(Date.UTC(2026, 10, 20, 21) - START);
    servers.coinbaseRates.mood = 'frozen';
    await refresh();
    servers.prices.JPY = '0.00681';
    for (const at of [Date.UTC(2026, 10, 21, 12), Date.UTC(2026, 10, 22, 12), Date.UTC(2026, 10, 23, 3, 1)]) {
      clock.advance(at - clock.nowMs());
      servers.prices.JPY = `${servers.prices.JPY}1`;
      await refresh();
    }
    expect(await rate('JPY')).toBe('no-fresh-sources');
  });

  test('a dead market keeps its closing rates over the weekend', async () => {
    clock.advance(Date.UTC(2026, 10, 20, 21, 59) - START);
    await refresh();
    for (const name of ['kraken', 'coinbaseRates', 'binance'] as const) servers[name].mood = 'dead';
    clock.advance(Date.UTC(2026, 10, 22, 21, 59) - clock.nowMs());
    await refresh();
    expect(await rate('GBP')).toMatch(/ by coinbase kraken$/);
    clock.advance(20 * MINUTE_MS);
    await refresh();
    expect(await rate('GBP')).toBe('no-fresh-sources');
  });

  test('a rate missing for five minutes raises one alarm an hour with its reason', async () => {
    await refresh();
    servers.kraken.mood = 'lying';
    for (let minute = 0; minute < 70; minute += 1) {
      await refresh();
      clock.advance(MINUTE_MS);
    }
    const ofJpy = (await alarms()).filter(({ subject }) => subject === 'currency:JPY');
    expect(ofJpy).toEqual([
      { kind: 'rate-unavailable', subject: 'currency:JPY', details: { reason: 'sources-disagree' } },
      { kind: 'rate-unavailable', subject: 'currency:JPY', details: { reason: 'sources-disagree' } },
    ]);
    expect((await alarms()).some(({ subject }) => subject === 'currency:EUR')).toBe(false);
  });

  test('a source that fails for less than five minutes raises no alarm', async () => {
    await refresh();
    servers.kraken.mood = 'lying';
    for (let minute = 0; minute < 5; minute += 1) {
      await refresh();
      clock.advance(MINUTE_MS);
    }
    servers.kraken.mood = 'good';
    await refresh();
    clock.advance(HOUR_MS);
    await refresh();
    expect(await alarms()).toEqual([]);
  });
});

describe('reading rates', () => {
  test('rates are read at most every five seconds, and still expire in between', async () => {
    await refresh();
    const { queries } = own.as('api');
    const readRate = createReadRate(queries, clock);
    const first = await readRate('EUR');
    await own.database.pool.query('delete from price_reports');
    clock.advance(4_999);
    expect(await readRate('EUR')).toMatchObject({ available: first.available });
    clock.advance(1);
    expect(await readRate('EUR')).toMatchObject({ available: false, reason: 'currency-off' });
  });
});
