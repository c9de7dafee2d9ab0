import { DAY_MS, MINUTE_MS } from '@counterfoil/core/duration.ts';
import { z } from 'zod';
import type { ExchangeNetwork } from '../../networks/exchange-networks.ts';
import { SourceError } from '../../sources/chain-source.ts';
import { askEnvelope } from '../exchange/ask-envelope.ts';
import type { Charge, ExchangeOptions } from '../exchange/ask-platform.ts';
import { parseAnswer } from '../exchange/ask-platform.ts';
import { joinRows } from '../exchange/join-rows.ts';
import { createPlatformClock } from '../exchange/platform-clock.ts';
import { readWholeRange } from '../exchange/read-whole-range.ts';
import type { Quota } from '../exchange/request-gate.ts';
import type { ExchangeKey, KeyFacts, StatementRow, StatementSource } from '../statement-source.ts';
import { bybitDialect } from './bybit-dialect.ts';
import { decodeBybitKey } from './bybit-key.ts';
import type { BybitDeposit } from './bybit-statement.ts';
import { bybitRow, decodeBybitPage, timeOf } from './bybit-statement.ts';
import { readPages } from './read-pages.ts';
import { signBybit } from './sign-bybit.ts';

/** The adapter of Bybit: reads transfers inside Bybit, as internal deposits. */

/** "rolling time window per second and UID", and one quota of our IP address for all requests. */
const KEYS: Quota = { name: 'Bybit keys', limit: 10, windowMs: 1_000 };
const ADDRESS: Quota = { name: 'Bybit address', limit: 600, windowMs: 5_000 };
const OF_ADDRESS: Charge = { quota: ADDRESS, weight: 1, by: 'address' };
const TIME_PATH = '/v5/market/time';
const KEY_PATH = '/v5/user/query-api';
const DEPOSITS_PATH = '/v5/asset/deposit/query-internal-record';

/** Most rows on a page. */
const PAGE = 50;
/** Bybit answers at most 30 days. */
const MAX_SPAN_MS = 29 * DAY_MS;
/** Bybit shows times in whole seconds. */
const SLACK_MS = 1_000;
const NS_PER_MS = 1_000_000n;

const timeSchema = z.object({ result: z.object({ timeNano: z.string().regex(/^\d{19}$/) }) });

/**
 * A page cursor as a query value. It may already be percent-encoded and must be returned unchanged, so only characters
 * that a query cannot contain are encoded.
 */
const cursorText = (cursor: string) => cursor.replaceAll(/[^\w%.~:,=/-]/g, encodeURIComponent);

export function createBybitSource(network: ExchangeNetwork, options: ExchangeOptions): StatementSource {
  const deposits = { name: 'Bybit deposits', limit: network.platform.requestsPerMinute, windowMs: MINUTE_MS };
  const clock = createPlatformClock(options.clock, readTime);

  async function readTime(baseUrl: string): Promise<number> {
    const request = { baseUrl, charges: [OF_ADDRESS], sign: () => ({ path: TIME_PATH }) };
    const { timeNano } = parseAnswer(timeSchema, await askEnvelope(options, bybitDialect, request), 'time').result;
    return Number(BigInt(timeNano) / NS_PER_MS);
  }

  function ask({ baseUrl, credentials }: ExchangeKey, path: string, query: string, quota: Quota): Promise<unknown> {
    const asked = query === '' ? path : `${path}?${query}`;
    return clock.withClock(baseUrl, (platform) =>
      askEnvelope(options, bybitDialect, {
        baseUrl,
        account: credentials.apiKey,
        charges: [OF_ADDRESS, { quota, weight: 1, by: 'account' }],
        sign: () => ({ path: asked, headers: signBybit(credentials, { query, nowMs: platform.nowMs() }) }),
      }),
    );
  }

  /** All pages from `startTime` to `endTime`. */
  function readSpan(key: ExchangeKey, startTime: number, endTime: number): Promise<BybitDeposit[]> {
    const span = `startTime=${startTime}&endTime=${endTime}&limit=${PAGE}`;
    const askPage = async (cursor: string) => {
      const query = cursor === '' ? span : `${span}&cursor=${cursorText(cursor)}`;
      return decodeBybitPage(await ask(key, DEPOSITS_PATH, query, deposits));
    };
    return readPages(askPage, endTime - startTime);
  }

  async function readStatement(key: ExchangeKey, fromMs: number, toMs: number): Promise<StatementRow[]> {
    const found = await readWholeRange({
      fromMs,
      toMs,
      // All pages of a span are read, so no answer is cut off.
      limit: Number.POSITIVE_INFINITY,
      maxSpanMs: MAX_SPAN_MS,
      slackMs: SLACK_MS,
      ask: async (startMs, endMs) => {
        const rows = await readSpan(key, startMs, endMs);
        return { listed: rows.length, rows };
      },
    });
    const inside = found.filter((deposit) => timeOf(deposit) >= fromMs && timeOf(deposit) <= toMs);
    const rows = inside.map((deposit) => bybitRow(network, deposit)).filter((row) => row !== undefined);
    return joinRows(rows);
  }

  /** False if Bybit describes the key and then refuses a read permanently. */
  async function canRead(key: ExchangeKey): Promise<boolean> {
    try {
      decodeBybitPage(await ask(key, DEPOSITS_PATH, 'limit=1', deposits));
      return true;
    } catch (cause) {
      if (cause instanceof SourceError && cause.kind === 'unsupported') return false;
      throw cause;
    }
  }

  async function readKey(key: ExchangeKey): Promise<KeyFacts> {
    const facts = decodeBybitKey(await ask(key, KEY_PATH, '', KEYS));
    return { ...facts, canRead: await canRead(key) };
  }

  return { network, readTime, readKey, readStatement };
}
