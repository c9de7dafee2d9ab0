import { DAY_MS, MINUTE_MS } from '@counterfoil/core/duration.ts';
import { z } from 'zod';
import type { ExchangeNetwork } from '../../networks/exchange-networks.ts';
import { SourceError } from '../../sources/chain-source.ts';
import type { Charge, ExchangeOptions } from '../exchange/ask-platform.ts';
import { askPlatform, parseAnswer } from '../exchange/ask-platform.ts';
import { joinRows } from '../exchange/join-rows.ts';
import type { PlatformClock } from '../exchange/platform-clock.ts';
import { createPlatformClock } from '../exchange/platform-clock.ts';
import type { RangeAnswer } from '../exchange/read-whole-range.ts';
import { readWholeRange } from '../exchange/read-whole-range.ts';
import type { Quota } from '../exchange/request-gate.ts';
import type { ExchangeKey, KeyFacts, StatementRow, StatementSource } from '../statement-source.ts';
import { decodeKeyFacts } from './binance-key.ts';
import { BINANCE_DIALECT } from './binance-refusal.ts';
import { decodeDeposits, decodePay } from './binance-statement.ts';
import type { BinanceParameters } from './sign-binance.ts';
import { signBinance } from './sign-binance.ts';

/** The adapter of Binance. It reads Pay and internal deposits, and has no method that could move money. */

const RECEIVE_WINDOW_MS = 5_000;

/** An endpoint and its charge. Endpoints under /sapi have a quota each; those under /api share one. */
type Endpoint = Charge & { path: string };

const API_QUOTA: Quota = { name: '/api', limit: 6_000, windowMs: MINUTE_MS };
const TIME: Endpoint = { path: '/api/v3/time', quota: API_QUOTA, weight: 1, by: 'address' };
const ACCOUNT: Endpoint = { path: '/api/v3/account', quota: API_QUOTA, weight: 20, by: 'address' };

function ofAddress(path: string): Endpoint {
  return { path, quota: { name: path, limit: 12_000, windowMs: MINUTE_MS }, weight: 1, by: 'address' };
}
const RESTRICTIONS = ofAddress('/sapi/v1/account/apiRestrictions');

/** A list of rows: its endpoint, and the most rows per answer. */
type List = {
  endpoint: Endpoint;
  limit: number;
  slackMs: number;
  decode: (network: ExchangeNetwork, answer: unknown) => RangeAnswer<StatementRow>;
};

const DEPOSITS: List = {
  endpoint: ofAddress('/sapi/v1/capital/deposit/hisrec'),
  limit: 1_000,
  // Deposits have times in whole seconds, so ranges are a second wider at both ends.
  slackMs: 1_000,
  decode: decodeDeposits,
};

const PAY_PATH = '/sapi/v1/pay/transactions';

function payListOf(network: ExchangeNetwork): List {
  const quota = { name: PAY_PATH, limit: network.platform.requestsPerMinute, windowMs: MINUTE_MS };
  return {
    endpoint: { path: PAY_PATH, quota, weight: 1, by: 'account' },
    limit: 100,
    slackMs: 1,
    decode: decodePay,
  };
}

/** Binance refuses 90 days or more, for Pay and for internal deposits. */
const MAX_SPAN_MS = 89 * DAY_MS;
/** Pay shows 18 months, at least 540 days; older rows would be missing without an error. */
const MAX_AGE_MS = 540 * DAY_MS;

const timeSchema = z.object({ serverTime: z.int().positive() });

type Ask = (key: ExchangeKey, endpoint: Endpoint, parameters: BinanceParameters) => Promise<unknown>;

function createAsk(options: ExchangeOptions, clock: PlatformClock): Ask {
  return ({ baseUrl, credentials }, { path, quota, weight, by }, parameters) =>
    clock.withClock(baseUrl, (platform) =>
      askPlatform(options, BINANCE_DIALECT, {
        baseUrl,
        ...(by === 'account' && { account: credentials.apiKey }),
        charges: [{ quota, weight, by }],
        sign: () => {
          const times = { recvWindow: RECEIVE_WINDOW_MS, timestamp: platform.nowMs() };
          const { query, headers } = signBinance({ ...parameters, ...times }, credentials);
          return { path: `${path}?${query}`, headers };
        },
      }),
    );
}

function readList(
  network: ExchangeNetwork,
  { endpoint, limit, slackMs, decode }: List,
  [fromMs, toMs]: readonly [number, number],
  ask: (endpoint: Endpoint, parameters: BinanceParameters) => Promise<unknown>,
): Promise<StatementRow[]> {
  return readWholeRange({
    fromMs,
    toMs,
    limit,
    slackMs,
    maxSpanMs: MAX_SPAN_MS,
    ask: async (startTime, endTime) => decode(network, await ask(endpoint, { startTime, endTime, limit })),
  });
}

export function createBinanceSource(network: ExchangeNetwork, options: ExchangeOptions): StatementSource {
  const pay = payListOf(network);

  async function readTime(baseUrl: string): Promise<number> {
    const { path, ...charge } = TIME;
    const answer = await askPlatform(options, BINANCE_DIALECT, { baseUrl, charges: [charge], sign: () => ({ path }) });
    return parseAnswer(timeSchema, answer, 'time').serverTime;
  }

  const clock = createPlatformClock(options.clock, readTime);
  const ask = createAsk(options, clock);

  async function readKey(key: ExchangeKey): Promise<KeyFacts> {
    const restrictions = await ask(key, RESTRICTIONS, {});
    return decodeKeyFacts(restrictions, await ask(key, ACCOUNT, { omitZeroBalances: 'true' }));
  }

  async function readStatement(key: ExchangeKey, fromMs: number, toMs: number): Promise<StatementRow[]> {
    if (fromMs < options.clock.nowMs() - MAX_AGE_MS)
      throw new SourceError('unsupported', 'Binance shows payments of the last 18 months only.');
    const read = (list: List) =>
      readList(network, list, [fromMs, toMs], (endpoint, parameters) => ask(key, endpoint, parameters));
    // Both are awaited even if one fails, so that no request is sent after the read has failed.
    const lists = await Promise.allSettled([read(pay), read(DEPOSITS)]);
    const rows = lists.flatMap((list) => {
      if (list.status === 'rejected') throw list.reason;
      return list.value;
    });
    return joinRows(rows)
      .filter(({ atMs }) => atMs >= fromMs && atMs <= toMs)
      .sort((left, right) => left.atMs - right.atMs);
  }

  return { network, readTime, readKey, readStatement };
}
