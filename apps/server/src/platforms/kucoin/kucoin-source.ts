import { z } from 'zod';
import type { ExchangeNetwork } from '../../networks/exchange-networks.ts';
import type { Token } from '../../networks/network.ts';
import { askEnvelope } from '../exchange/ask-envelope.ts';
import type { Charge, ExchangeOptions } from '../exchange/ask-platform.ts';
import { parseAnswer } from '../exchange/ask-platform.ts';
import { joinRows } from '../exchange/join-rows.ts';
import type { PlatformClock } from '../exchange/platform-clock.ts';
import { createPlatformClock } from '../exchange/platform-clock.ts';
import type { RangeAnswer } from '../exchange/read-whole-range.ts';
import { readWholeRange } from '../exchange/read-whole-range.ts';
import type { Quota } from '../exchange/request-gate.ts';
import type { ExchangeKey, StatementRow, StatementSource } from '../statement-source.ts';
import { kucoinDialect } from './kucoin-dialect.ts';
import { createKnownPairs, KEPT_MS } from './known-pairs.ts';
import { decodeKucoinKey } from './kucoin-key.ts';
import type { KucoinDeposit, KucoinEntry } from './kucoin-statement.ts';
import { decodeDeposits, decodeEntries, kucoinRow, unclearRows } from './kucoin-statement.ts';
import type { Span } from './pair-deposits.ts';
import { groupDeposits, pairDeposits, TOLERANCE_MS } from './pair-deposits.ts';
import { signKucoin } from './sign-kucoin.ts';

/**
 * The adapter of KuCoin. It reads transfers inside of KuCoin from the list of deposits, each with the time at which it
 * was made and the id of its ledger entry: deposits have no ids, so two payments could not be told from one that is
 * shown twice. Only first pages are read, because pages shift while rows arrive: a range is halved until one page holds
 * all of it.
 */

const DAY_MS = 86_400_000;
/**
 * Quotas of KuCoin: of an exchange account of the lowest level and of public requests, each for 30 seconds, and of our
 * IP address for all requests together.
 */
const MANAGEMENT: Quota = { name: 'KuCoin management', limit: 2_000, windowMs: 30_000 };
const PUBLIC: Quota = { name: 'KuCoin public', limit: 2_000, windowMs: 30_000 };
const ADDRESS: Quota = { name: 'KuCoin address', limit: 500, windowMs: 10_000 };
const OF_ADDRESS: Charge = { quota: ADDRESS, weight: 1, by: 'address' };

/** The most rows that KuCoin sends on a page. */
const PAGE = 500;
/** The longest span of one request: the ledger answers for 24 hours at most. */
const MAX_SPAN_MS = DAY_MS;
/** How far beyond both ends of a range KuCoin is asked, because KuCoin shows times in whole seconds. */
const SLACK_MS = 1_000;
/**
 * How far before a range deposits are read too, when the range has internal deposits: a deposit from a chain may have
 * been credited at the same time with the same amount, and its ledger entry must not be taken for that of a payment.
 */
const LOOKBACK_MS = 3_600_000;
/** A range whose end is no older than this counts as ending in the present, so that no later deposits are asked for. */
const RECENT_MS = 10_000;
/** The longest span of the ledger that is read for one deposit. A deposit that was held for longer stays unclear. */
const MAX_HELD_MS = 7 * DAY_MS;

type List<Row> = {
  path: string;
  weight: number;
  /** Parameters of the request besides the coin and the range. */
  query: string;
  decode: (raw: unknown, token: Token, pageLength: number) => RangeAnswer<Row>;
  timeOf: (row: Row) => number;
};

const DEPOSITS: List<KucoinDeposit> = {
  path: '/api/v1/deposits',
  weight: 5,
  query: '',
  decode: decodeDeposits,
  timeOf: ({ createdMs }) => createdMs,
};
const ENTRIES: List<KucoinEntry> = {
  path: '/api/v1/accounts/ledgers',
  weight: 2,
  query: '&direction=in&bizType=DEPOSIT',
  decode: decodeEntries,
  timeOf: ({ atMs }) => atMs,
};

const timeSchema = z.object({ data: z.int().positive() });

/** Whether a deposit is a transfer inside of KuCoin that has been credited, so that the ledger has an entry of it. */
const isBookedPayment = ({ isInternal, isBooked }: KucoinDeposit) => isInternal && isBooked;

/**
 * The time span in which the ledger has the entries of internal deposits, and of deposits from chains whose entries
 * could be taken for entries of internal deposits; undefined when no such entries are needed.
 */
function ledgerSpan(
  deposits: readonly KucoinDeposit[],
  payments: ReadonlySet<KucoinDeposit>,
): [number, number] | undefined {
  const groups = groupDeposits(deposits).filter(
    ({ deposits: own, fromMs, toMs }) => toMs - fromMs <= MAX_HELD_MS && own.some((one) => payments.has(one)),
  );
  if (groups.length === 0) return undefined;
  return [Math.min(...groups.map(({ fromMs }) => fromMs)), Math.max(...groups.map(({ toMs }) => toMs))];
}

type Ask = (key: ExchangeKey, path: string, weight: number) => Promise<unknown>;

function createAsk(options: ExchangeOptions, clock: PlatformClock): Ask {
  return ({ baseUrl, credentials }, path, weight) =>
    clock.withClock(baseUrl, (platform) =>
      askEnvelope(options, kucoinDialect, {
        baseUrl,
        account: credentials.apiKey,
        charges: [OF_ADDRESS, { quota: MANAGEMENT, weight, by: 'account' }],
        sign: () => ({ path, headers: signKucoin(credentials, { path, nowMs: platform.nowMs() }) }),
      }),
    );
}

type ReadList = <Row>(key: ExchangeKey, list: List<Row>, token: Token, range: [number, number]) => Promise<Row[]>;

/**
 * Creates the function that reads the rows of a range, each row once. Rows that are shown only because KuCoin is asked
 * for SLACK_MS more at both ends are left out: another range shows them too, and deposits have no id by which a
 * repeated deposit could be recognised.
 */
function createReadList(ask: Ask): ReadList {
  return (key, { path, weight, query, decode, timeOf }, token, [fromMs, toMs]) =>
    readWholeRange({
      fromMs,
      toMs,
      limit: PAGE,
      maxSpanMs: MAX_SPAN_MS,
      slackMs: SLACK_MS,
      ask: async (startAt, endAt) => {
        const page = `currency=${token.contract}${query}&startAt=${startAt}&endAt=${endAt}&currentPage=1&pageSize=${PAGE}`;
        const { listed, rows } = decode(await ask(key, `${path}?${page}`, weight), token, PAGE);
        const isInside = (row: (typeof rows)[number]) =>
          timeOf(row) >= startAt + SLACK_MS && timeOf(row) <= endAt - SLACK_MS;
        return { listed, rows: rows.filter(isInside) };
      },
    });
}

export function createKucoinSource(network: ExchangeNetwork, options: ExchangeOptions): StatementSource {
  const clock = createPlatformClock(options.clock, readTime);
  const ask = createAsk(options, clock);
  const readList = createReadList(ask);
  const known = createKnownPairs();

  async function readTime(baseUrl: string): Promise<number> {
    const charges = [OF_ADDRESS, { quota: PUBLIC, weight: 3, by: 'address' }] as const;
    const request = { baseUrl, charges, sign: () => ({ path: '/api/v1/timestamp' }) };
    return parseAnswer(timeSchema, await askEnvelope(options, kucoinDialect, request), 'time').data;
  }

  /**
   * Reads deposits before and after a range whose ledger entries may fit internal deposits of the range; returns the
   * span that was read as well.
   */
  async function readOthers(
    key: ExchangeKey,
    token: Token,
    { fromMs, toMs }: Span,
    inside: readonly KucoinDeposit[],
  ): Promise<{ others: KucoinDeposit[]; read: Span }> {
    const ends = inside.filter(isBookedPayment).map(({ updatedMs }) => updatedMs);
    if (ends.length === 0) return { others: [], read: { fromMs, toMs } };
    const nowMs = await clock.withClock(key.baseUrl, async (platform) => platform.nowMs());
    const read = { fromMs: fromMs - LOOKBACK_MS, toMs: Number.POSITIVE_INFINITY };
    const before = await readList(key, DEPOSITS, token, [read.fromMs, fromMs - 1]);
    if (nowMs - toMs < RECENT_MS) return { others: before, read };
    const untilMs = Math.min(nowMs, Math.max(toMs, ...ends) + 2 * TOLERANCE_MS);
    const after = await readList(key, DEPOSITS, token, [toMs + 1, untilMs]);
    return { others: [...before, ...after], read: { ...read, toMs: untilMs } };
  }

  async function readToken(key: ExchangeKey, token: Token, fromMs: number, toMs: number): Promise<StatementRow[]> {
    const inside = await readList(key, DEPOSITS, token, [fromMs, toMs]);
    const account = `${key.baseUrl} ${key.credentials.apiKey} ${token.symbol}`;
    const isPoll = toMs - fromMs <= KEPT_MS;
    const recalled = isPoll ? known.recall(account, inside) : undefined;
    if (recalled) return recalled.map(({ deposit, entry }) => kucoinRow(token, entry, deposit));
    const { others, read } = await readOthers(key, token, { fromMs, toMs }, inside);
    const deposits = [...inside, ...others];
    const span = ledgerSpan(deposits, new Set(inside.filter(isBookedPayment)));
    const entries = span === undefined ? [] : await readList(key, ENTRIES, token, span);
    const { pairs, unclear } = pairDeposits(deposits, entries, read);
    const isInside = ({ deposit }: { deposit: KucoinDeposit }) =>
      deposit.createdMs >= fromMs && deposit.createdMs <= toMs;
    const own = pairs.filter(isInside);
    if (isPoll) known.keep(account, own);
    return [
      ...own.map(({ deposit, entry }) => kucoinRow(token, entry, deposit)),
      ...unclear.filter(isInside).flatMap((one) => unclearRows(token, one.deposit, one.entries)),
    ];
  }

  return {
    network,
    readTime,
    readKey: async (key) => decodeKucoinKey(await ask(key, '/api/v1/user/api-key', 20)),
    readStatement: async (key, fromMs, toMs) => {
      const rows: StatementRow[] = [];
      for (const token of network.tokens) rows.push(...(await readToken(key, token, fromMs, toMs)));
      return joinRows(rows);
    },
  };
}
