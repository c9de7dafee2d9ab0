import { DAY_MS } from '@counterfoil/core/duration.ts';
import { setBounded } from '../../lib/bounded-map.ts';
import type { Token } from '../../networks/network.ts';
import { askEnvelope } from '../exchange/ask-envelope.ts';
import type { Charge, ExchangeOptions } from '../exchange/ask-platform.ts';
import type { PlatformClock } from '../exchange/platform-clock.ts';
import type { RangeAnswer } from '../exchange/read-whole-range.ts';
import { readWholeRange } from '../exchange/read-whole-range.ts';
import type { Quota } from '../exchange/request-gate.ts';
import type { ExchangeKey } from '../statement-source.ts';
import { kucoinDialect, refusesVersion } from './kucoin-dialect.ts';
import type { KucoinDeposit, KucoinEntry } from './kucoin-statement.ts';
import { decodeDeposits, decodeEntries, decodeTradingEntries } from './kucoin-statement.ts';
import type { KeyVersion } from './sign-kucoin.ts';
import { KEY_VERSIONS, signKucoin } from './sign-kucoin.ts';

/** Reads whole ranges of KuCoin's first pages, because pages shift: halves a range until one page holds it. */

/** Quotas of the lowest account level, and of our IP address. The trading account has its own pool. */
const MANAGEMENT: Quota = { name: 'KuCoin management', limit: 2_000, windowMs: 30_000 };
const TRADING: Quota = { name: 'KuCoin spot', limit: 2_000, windowMs: 30_000 };
const ADDRESS: Quota = { name: 'KuCoin address', limit: 500, windowMs: 10_000 };
export const OF_ADDRESS: Charge = { quota: ADDRESS, weight: 1, by: 'address' };

/** The ledger answers at most 24 hours. */
const MAX_SPAN_MS = DAY_MS;
/** KuCoin shows times in whole seconds. */
const SLACK_MS = 1_000;
/** Most keys whose version is remembered. */
const MAX_KEYS = 10_000;

type List<Row> = {
  path: string;
  charge: Charge;
  query: string;
  /** Most rows per answer. */
  limit: number;
  decode: (raw: unknown, token: Token, limit: number) => RangeAnswer<Row>;
  timeOf: (row: Row) => number;
};

const managed = (weight: number): Charge => ({ quota: MANAGEMENT, weight, by: 'account' });

export const KEY_CHARGE = managed(20);

const PAGE = 500;
export const DEPOSITS: List<KucoinDeposit> = {
  path: '/api/v1/deposits',
  charge: managed(5),
  query: `&currentPage=1&pageSize=${PAGE}`,
  limit: PAGE,
  decode: decodeDeposits,
  timeOf: ({ createdMs }) => createdMs,
};
export const ENTRIES: List<KucoinEntry> = {
  path: '/api/v1/accounts/ledgers',
  charge: managed(2),
  query: `&direction=in&bizType=DEPOSIT&currentPage=1&pageSize=${PAGE}`,
  limit: PAGE,
  decode: decodeEntries,
  timeOf: ({ atMs }) => atMs,
};
/** Most entries per answer of the trading account's ledger. */
const TRADING_LIMIT = 200;
/** The ledger of the trading account. Its types are not all documented, so every incoming entry is read. */
export const TRADING_ENTRIES: List<KucoinEntry> = {
  path: '/api/v1/hf/accounts/ledgers',
  charge: { quota: TRADING, weight: 2, by: 'account' },
  query: `&direction=in&limit=${TRADING_LIMIT}`,
  limit: TRADING_LIMIT,
  decode: decodeTradingEntries,
  timeOf: ({ atMs }) => atMs,
};

type Ask = (key: ExchangeKey, path: string, charge: Charge) => Promise<unknown>;

/** Creates a function that requests with a key of either version. */
export function createAsk(options: ExchangeOptions, clock: PlatformClock): Ask {
  const versions = new Map<string, KeyVersion>();

  function askAs(version: KeyVersion, { baseUrl, credentials }: ExchangeKey, path: string, charge: Charge) {
    return clock.withClock(baseUrl, (platform) =>
      askEnvelope(options, kucoinDialect, {
        baseUrl,
        account: credentials.apiKey,
        charges: [OF_ADDRESS, charge],
        sign: () => ({ path, headers: signKucoin(credentials, { path, nowMs: platform.nowMs(), version }) }),
      }),
    );
  }

  return async (key, path, charge) => {
    const { apiKey } = key.credentials;
    const [usual, earlier] = KEY_VERSIONS;
    const first = versions.get(apiKey) ?? usual;
    try {
      return await askAs(first, key, path, charge);
    } catch (cause) {
      if (!refusesVersion(cause)) throw cause;
      const second = first === usual ? earlier : usual;
      const answer = await askAs(second, key, path, charge);
      setBounded(versions, apiKey, second, MAX_KEYS);
      return answer;
    }
  };
}

export type ReadList = <Row>(
  key: ExchangeKey,
  list: List<Row>,
  token: Token,
  range: [number, number],
) => Promise<Row[]>;

/**
 * Reads the rows of a range once each. Rows from the SLACK_MS at both ends are left out: deposits have no id, so a
 * repetition could not be recognised.
 */
export function createReadList(ask: Ask): ReadList {
  return (key, { path, charge, query, limit, decode, timeOf }, token, [fromMs, toMs]) =>
    readWholeRange({
      fromMs,
      toMs,
      limit,
      maxSpanMs: MAX_SPAN_MS,
      slackMs: SLACK_MS,
      ask: async (startAt, endAt) => {
        const asked = `${path}?currency=${token.contract}&startAt=${startAt}&endAt=${endAt}${query}`;
        const { listed, rows } = decode(await ask(key, asked, charge), token, limit);
        const isInside = (row: (typeof rows)[number]) =>
          timeOf(row) >= startAt + SLACK_MS && timeOf(row) <= endAt - SLACK_MS;
        return { listed, rows: rows.filter(isInside) };
      },
    });
}
