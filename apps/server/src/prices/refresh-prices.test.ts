import { formatDecimal } from '@counterfoil/core/amount.ts';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import type { PriceServers } from '../../rig/fakes/price-servers.ts';
import { startPriceServers } from '../../rig/fakes/price-servers.ts';
import type { TestDatabase } from '../../rig/database/test-database.ts';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import { createManualClock } from '../lib/clock.ts';
import { getPrice } from './get-price.ts';
import type { PricedToken } from './price.ts';
import { PRICE_DECIMALS, PRICED_TOKENS } from './price.ts';
import type { PriceSource } from './price-source.ts';
import { refreshPrices } from './refresh-prices.ts';
import { createBinanceSource } from './sources/binance.ts';
import { createCoinbaseSource } from './sources/coinbase.ts';
import { createKrakenSource } from './sources/kraken.ts';

const START = Date.UTC(2026, 10, 15, 12);
const ROUND_MS = 10_000;
// Time-out long enough for the sources that do answer, also on a busy machine.
const HANG_MS = 1_000;
const CONNECTIONS = 4;

let own: TestDatabase;
let clock: ReturnType<typeof createManualClock>;
let servers: PriceServers;
let sources: PriceSource[];
let logged: string[];
beforeEach(async () => {
  own = await openTestDatabase(inject('template'), CONNECTIONS);
  clock = createManualClock(START);
  servers = await startPriceServers(clock);
  sources = [
    createBinanceSource(servers.binance.url, clock),
    createKrakenSource(servers.kraken.url, clock),
    createCoinbaseSource(servers.coinbase.url),
  ];
  logged = [];
});
afterEach(async () => {
  await servers.close();
  await own.drop();
});

function refresh(sourceTimeoutMs = ROUND_MS) {
  const log = pino({ base: null }, { write: (line: string) => void logged.push(line) });
  return refreshPrices({ database: own.database, clock, log, sources, sourceTimeoutMs });
}

/** The price with its sources, or the reason why there is none. */
async function price(token: PricedToken): Promise<string> {
  const decision = await getPrice(own.database.queries, clock, token);
  if (!decision.available) return decision.reason;
  const names = decision.sources.map((one) => one.source).join(' ');
  return `${formatDecimal(decision.priceUnits, PRICE_DECIMALS)} by ${names}`;
}

async function rowsOf(statement: string): Promise<Record<string, unknown>[]> {
  return (await own.database.pool.query<Record<string, unknown>>(statement)).rows;
}

const historyOf = async (token: PricedToken) =>
  (await rowsOf(`select usd, decided_at from price_history where token = '${token}' order by decided_at`)).map(
    (row) => `${String(row['usd'])} at ${((row['decided_at'] as Date).getTime() - START) / 1000}`,
  );

describe('all sources are well', () => {
  test('every token has a price, by every source that lists it', async () => {
    expect(await refresh()).toEqual({
      stored: { binance: 7, kraken: 8, coinbase: 6 },
      failedSources: [],
      agreedTokens: [...PRICED_TOKENS],
    });
    expect(await price('ETH')).toBe('2500 by binance coinbase kraken');
    expect(await price('TRX')).toBe('0.31234 by binance kraken');
    expect(await price('USDT')).toBe('1 by coinbase kraken');
    expect(await price('USDC')).toBe('1 by binance kraken');
    expect(logged).toEqual([]);
  });

  test('before the first round nothing has a price', async () => {
    expect(await price('ETH')).toBe('no-fresh-sources');
    expect(await price('USDT')).toBe('no-fresh-sources');
  });

  test('a round replaces the reports of the round before', async () => {
    await refresh();
    servers.prices.ETH = '2510.12345678';
    clock.advance(5_000);
    await refresh();
    expect(await price('ETH')).toBe('2510.12345678 by binance coinbase kraken');
    expect(await rowsOf('select count(*)::int as rows from price_reports')).toEqual([{ rows: 21 }]);
  });

  test('a slower process does not put an older report back', async () => {
    await refresh();
    clock.advance(-10_000);
    servers.prices.ETH = '2400';
    await refresh();
    clock.advance(10_000);
    expect(await price('ETH')).toBe('2500 by binance coinbase kraken');
  });

  test('processes that refresh at the same moment do not disturb one another', async () => {
    const rounds = await Promise.all(Array.from({ length: CONNECTIONS }, () => refresh()));
    expect(rounds.every((round) => round.failedSources.length === 0)).toBe(true);
    expect(await historyOf('ETH')).toEqual(['2500.000000000000 at 0']);
  });
});

describe('a source is not well', () => {
  test.each([
    ['binance', 'coinbase kraken'],
    ['kraken', 'binance coinbase'],
    ['coinbase', 'binance kraken'],
  ] as const)('%s lies: it is outvoted by %s', async (liar, honest) => {
    servers[liar].mood = 'lying';
    await refresh();
    expect(await price('ETH')).toBe(`2500 by ${honest}`);
  });

  test.each(['kraken', 'coinbase'] as const)('%s lies about USDT: without agreement it has no price', async (name) => {
    servers[name].mood = 'lying';
    await refresh();
    expect(await price('USDT')).toBe('sources-disagree');
  });

  test('one source lies and one is dead: the two who are left disagree', async () => {
    servers.kraken.mood = 'lying';
    servers.coinbase.mood = 'dead';
    await refresh();
    // The liar's USDT is off its peg and has no second source, so it cannot distort Binance's prices.
    expect(await price('ETH')).toBe('no-fresh-sources');
    servers.coinbase.mood = 'good';
    servers.binance.mood = 'dead';
    await refresh();
    expect(await price('ETH')).toBe('sources-disagree');
  });

  test.each(['dead', 'hanging', 'limited', 'html', 'garbage', 'odd', 'huge'] as const)(
    'a source that is %s is logged and counted, and the others go on',
    async (mood) => {
      servers.coinbase.mood = mood;
      expect(await refresh(mood === 'hanging' ? HANG_MS : ROUND_MS)).toMatchObject({
        stored: { binance: 7, kraken: 8, coinbase: 0 },
        failedSources: ['coinbase'],
      });
      expect(logged).toHaveLength(1);
      expect(JSON.parse(logged[0] ?? '')).toMatchObject({ source: 'coinbase', msg: 'price source failed' });
      expect(await price('ETH')).toBe('2500 by binance kraken');
      expect(await price('USDC')).toBe('1 by binance kraken');
      // One source alone does not prove the peg.
      expect(await price('USDT')).toBe('no-fresh-sources');
    },
  );

  test('kraken is dead: coins live on, also those quoted in USDT', async () => {
    servers.kraken.mood = 'dead';
    await refresh();
    expect(await price('ETH')).toBe('2500 by binance coinbase');
    expect(await price('TRX')).toBe('no-fresh-sources');
  });

  test('a source that fails once is still heard while its last report is fresh', async () => {
    await refresh();
    servers.coinbase.mood = 'dead';
    clock.advance(30_000);
    await refresh();
    expect(await price('USDT')).toBe('1 by coinbase kraken');
    clock.advance(1);
    await refresh();
    expect(await price('USDT')).toBe('no-fresh-sources');
  });

  test('a source that tells a time in the future fails, and cannot block what it says later', async () => {
    const ahead = createManualClock(START + 3_600_000);
    const other = await startPriceServers(ahead);
    sources[2] = createCoinbaseSource(other.coinbase.url);
    expect((await refresh()).failedSources).toEqual(['coinbase']);
    ahead.advance(-3_600_000);
    expect((await refresh()).failedSources).toEqual([]);
    expect(await price('ETH')).toBe('2500 by binance coinbase kraken');
    await other.close();
  });

  test('a source that neither answers nor listens to its signal does not hold up the round', async () => {
    sources.push({ name: 'deaf', fetchReports: () => new Promise(() => {}) });
    expect((await refresh(HANG_MS)).failedSources).toEqual(['deaf']);
    expect(await price('ETH')).toBe('2500 by binance coinbase kraken');
  });

  test('stale trades have no vote', async () => {
    servers.coinbase.mood = 'stale';
    await refresh();
    expect(await price('ETH')).toBe('2500 by binance kraken');
    expect(await price('USDT')).toBe('no-fresh-sources');
  });
});

describe('nobody is well', () => {
  test('all reports are stale after 30 s: nothing has a price, stablecoins neither', async () => {
    await refresh();
    clock.advance(30_000);
    expect(await price('ETH')).toBe('2500 by binance coinbase kraken');
    clock.advance(1);
    for (const token of PRICED_TOKENS) expect(await price(token)).toBe('no-fresh-sources');
  });

  test('all sources are down: the round ends, says so and leaves no history', async () => {
    for (const server of [servers.binance, servers.kraken, servers.coinbase]) server.mood = 'dead';
    expect(await refresh()).toEqual({
      stored: { binance: 0, kraken: 0, coinbase: 0 },
      failedSources: ['binance', 'kraken', 'coinbase'],
      agreedTokens: [],
    });
    for (const token of PRICED_TOKENS) expect(await price(token)).toBe('no-fresh-sources');
    expect(await historyOf('USDT')).toEqual([]);
  });
});

describe('the peg of USDT', () => {
  test.each([
    ['0.996', '1 by coinbase kraken'],
    ['0.994', '0.994 by coinbase kraken'],
    ['0.969', 'depegged'],
    ['1.031', 'depegged'],
  ])('at %s it is %s', async (usdt, expected) => {
    servers.prices.USDT = usdt;
    await refresh();
    expect(await price('USDT')).toBe(expected);
    // Prices in USDT are converted at the market rate, also when USDT itself is not offered.
    expect(await price('BNB')).toBe('600.5 by binance coinbase kraken');
  });

  test('a quote in USDT is converted exactly and rounded once', async () => {
    servers.prices.USDT = '0.9985';
    await refresh();
    // 2500 / 0.9985 has eight decimals at Binance: 2503.75563345.
    expect(await rowsOf(`select usd from price_reports where source = 'binance' and token = 'ETH'`)).toEqual([
      { usd: '2499.999999999825' },
    ]);
  });

  test('a converted quote is as old as its older leg', async () => {
    await refresh();
    for (const server of [servers.kraken, servers.coinbase]) server.mood = 'dead';
    clock.advance(20_000);
    await refresh();
    expect(await rowsOf(`select observed_at from price_reports where source = 'binance' and token = 'ETH'`)).toEqual([
      { observed_at: new Date(START) },
    ]);
  });
});

describe('a jump', () => {
  test('a jump stops a price until it has been calm for a minute', async () => {
    await refresh();
    servers.prices.ETH = '2800';
    clock.advance(10_000);
    await refresh();
    expect(await price('ETH')).toBe('jumped');
    expect(await price('SOL')).toBe('150.25 by binance coinbase kraken');
    clock.advance(50_000);
    await refresh();
    expect(await price('ETH')).toBe('jumped');
    clock.advance(1);
    await refresh();
    expect(await price('ETH')).toBe('2800 by binance coinbase kraken');
  });

  test('a second jump starts the minute again', async () => {
    await refresh();
    servers.prices.ETH = '2800';
    clock.advance(50_000);
    await refresh();
    servers.prices.ETH = '3100';
    clock.advance(20_000);
    await refresh();
    // The first price is 70 s old; the second, which was never offered, is 20 s old.
    expect(await price('ETH')).toBe('jumped');
  });

  test('a change of up to 10 % is no jump', async () => {
    await refresh();
    servers.prices.ETH = '2750';
    clock.advance(5_000);
    await refresh();
    expect(await price('ETH')).toBe('2750 by binance coinbase kraken');
  });
});

describe('history', () => {
  test('the history has at most one price per token in 10 s', async () => {
    for (const usd of ['2500', '2501', '2502', '2503']) {
      servers.prices.ETH = usd;
      await refresh();
      clock.advance(5_000);
    }
    expect(await historyOf('ETH')).toEqual(['2500.000000000000 at 0', '2502.000000000000 at 10']);
  });

  test('the history is kept for ten minutes', async () => {
    await refresh();
    clock.advance(600_000);
    await refresh();
    expect(await historyOf('SOL')).toHaveLength(2);
    clock.advance(1);
    await refresh();
    expect(await historyOf('SOL')).toEqual(['150.250000000000 at 600']);
  });
});
