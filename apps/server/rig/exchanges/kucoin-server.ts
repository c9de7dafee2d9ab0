import { createHmac } from 'node:crypto';
import type { BookAccount, BookRow, ExchangeBook } from './exchange-book.ts';
import type { FakeAnswer, FakeDialect, FakeRequest, RowView } from './exchange-server.ts';
import { startExchangeServer } from './exchange-server.ts';
import type { FakeExchange, FakeExchangeOptions, FakePart, FakeState } from './fake-exchange.ts';
import { createRollingQuota } from './rolling-quota.ts';

/**
 * KuCoin on loopback. Sources by their short names below: spec, the OpenAPI documents of KuCoin's own
 * kucoin-universal-sdk (spec/rest/api, November 2025); docs, www.kucoin.com/docs-new; old, the archived kucoin-api-docs
 * for what the other two leave out.
 */

const TIME_PATH = '/api/v1/timestamp';
const KEY_PATH = '/api/v1/user/api-key';
const DEPOSITS_PATH = '/api/v1/deposits';
const LEDGER_PATH = '/api/v1/accounts/ledgers';
const TRADING_LEDGER_PATH = '/api/v1/hf/accounts/ledgers';

const TIME = /^\d{13}$/;
/** The allowed page size, by the spec: "Minimum is 10, maximum is 500". */
const PAGE_SIZE = /^([1-9]\d|[1-4]\d\d|500)$/;
const PAGING = { startAt: TIME, endAt: TIME, currentPage: /^[1-9]\d*$/, pageSize: PAGE_SIZE };

type Endpoint = { part: FakePart; weight: number; parameters: Readonly<Record<string, RegExp>>; required: string[] };

/** Filters that both ledgers accept. */
const OF_LEDGER = {
  currency: /^[A-Z0-9]+(,[A-Z0-9]+){0,9}$/,
  direction: /^(in|out)$/,
  bizType: /^[A-Z_]+$/,
};

/** Weights and parameters of the endpoints, by the spec. Only the list of deposits has a required parameter. */
const ENDPOINTS: Readonly<Record<string, Endpoint>> = {
  [TIME_PATH]: { part: 'time', weight: 3, parameters: {}, required: [] },
  [KEY_PATH]: { part: 'key', weight: 20, parameters: {}, required: [] },
  [DEPOSITS_PATH]: {
    part: 'statement',
    weight: 5,
    parameters: { currency: /^[A-Z0-9]+$/, status: /^(PROCESSING|SUCCESS|FAILURE)$/, ...PAGING },
    required: ['currency'],
  },
  [LEDGER_PATH]: {
    part: 'statement',
    weight: 2,
    parameters: { ...OF_LEDGER, ...PAGING },
    required: [],
  },
  // Parameters by the docs, "Get Account Ledgers - Trade_hf": "Default 100, Max 200".
  [TRADING_LEDGER_PATH]: {
    part: 'statement',
    weight: 2,
    parameters: {
      ...OF_LEDGER,
      lastId: /^\d+$/,
      limit: /^([1-9]\d?|1\d\d|200)$/,
      startAt: TIME,
      endAt: TIME,
    },
    required: [],
  },
};

/**
 * How far back the trading account's ledger goes, by the docs: "You can only obtain data from within a 3 * 24 hour time
 * range". A longer range is cut to it without an error.
 */
const TRADING_LEDGER_AGE_MS = 3 * 86_400_000;
const USUAL_TRADING_LIMIT = 100;
/**
 * The longest span of the ledger, by the old docs, "Get Account Ledgers": "the start and end time range cannot exceed
 * 24 hours".
 */
const MAX_LEDGER_SPAN_MS = 86_400_000;
const USUAL_PAGE = 50;
/**
 * How far a request's time may be off, by the old docs, "Selecting a Timestamp": the difference "must be less than 5
 * seconds".
 */
const TIMESTAMP_WINDOW_MS = 5_000;
/**
 * Limits: by the docs, "Rate Limit", a pool has 2,000 in 30 seconds; by the old docs, "Request Rate Limit", an IP
 * address has 500 in 10 seconds.
 */
const POOL = { limit: 2_000, windowMs: 30_000 };
const ADDRESS = { limit: 500, windowMs: 10_000 };
const ADDRESS_BLOCK_MS = 30_000;

/** Statuses of deposits, by the spec. */
const STATES: Readonly<Record<FakeState, string>> = { pending: 'PROCESSING', final: 'SUCCESS', failed: 'FAILURE' };

const FIRST_ENTRY = 265_329_987_780_000;
/** The version of keys that KuCoin issues today; keys of version 2 still work (docs, "Authentication"). */
const NEWEST_VERSION = 3;

/**
 * A refusal by the docs, "Error Code": code and message. By the old docs 401 is for keys and 400 for requests; many
 * refusals still come with status 200.
 */
function refuse(status: number, code: string, msg: string): FakeAnswer {
  return { status, body: { code, msg }, isRefusal: true };
}

const accept = (data: unknown): FakeAnswer => ({ status: 200, body: { code: '200000', data } });
/** The answer to too many requests, by the docs, "Rate Limit": "http code:429, error code:429000". */
const tooMany = () => refuse(429, '429000', 'Too Many Requests');
/**
 * The answer to a banned IP address, by the old docs, "HTTP error status codes": "403 Forbidden or Too Many Requests".
 * The docs give no time, and no form of the body.
 */
const banned = (): FakeAnswer => ({ ...refuse(403, '1015', 'Access limit breached'), isBan: true });

/** The ban's code with status 200, because the docs do not say which status comes with this code. */
const blocked = (): FakeAnswer => ({ ...banned(), status: 200 });

/** Checks the headers and signature of a request, by the docs, "Authentication". */
function authenticate(request: FakeRequest, book: ExchangeBook): BookAccount | FakeAnswer {
  const { headers, nowMs } = request;
  const { 'kc-api-key': key, 'kc-api-sign': sign, 'kc-api-timestamp': timestamp } = headers;
  const passphrase = headers['kc-api-passphrase'];
  if (!key || !sign || !timestamp || !passphrase)
    return refuse(401, '400001', 'Any of KC-API-KEY, KC-API-SIGN, KC-API-TIMESTAMP, KC-API-PASSPHRASE is missing');
  if (!TIME.test(timestamp) || Math.abs(Number(timestamp) - nowMs) >= TIMESTAMP_WINDOW_MS)
    return refuse(401, '400002', 'Invalid KC-API-TIMESTAMP.');
  const account = book.accountOfKey(key);
  if (!account?.facts.active) return refuse(401, '400003', 'KC-API-KEY does not exist.');
  if (headers['kc-api-key-version'] !== String(account.facts.version ?? NEWEST_VERSION))
    return refuse(401, '400009', 'Invalid KC-API-KEY-VERSION.');
  const hash = (text: string) =>
    createHmac('sha256', account.credentials.apiSecret).update(text).digest().toString('base64');
  if (hash(account.credentials.passphrase ?? '') !== passphrase)
    return refuse(401, '400004', 'Invalid KC-API-PASSPHRASE.');
  // The query is decoded before it is signed, by the docs: "the URL must use the content that has not been URL-encoded
  // to participate in the signature".
  const target = request.query === '' ? request.path : `${request.path}?${decodeURIComponent(request.query)}`;
  if (hash(`${timestamp}GET${target}`) !== sign) return refuse(401, '400005', 'Invalid KC-API-SIGN.');
  // Status 403, as github.com/Kucoin/kucoin-api-docs/issues/395 and kucoin-python-sdk/issues/27 show it.
  if (account.facts.refusesAddress)
    return refuse(403, '400006', 'Invalid request IP, the current client IP is: 127.0.0.1.');
  return account;
}

/**
 * Refuses wrong parameters with 400100 (docs, "Error Code"), also parameters that no page names and parameters sent
 * twice.
 */
function refuseParameters({ path, parameters }: FakeRequest): FakeAnswer | undefined {
  const { parameters: known = {}, required = [] } = ENDPOINTS[path] ?? {};
  const names = [...parameters.keys()];
  const isWrong = (name: string) =>
    names.filter((other) => other === name).length > 1 || known[name]?.test(parameters.get(name) ?? '') !== true;
  const span = Number(parameters.get('endAt') ?? 0) - Number(parameters.get('startAt') ?? 0);
  const isTooLong =
    path === LEDGER_PATH && parameters.has('startAt') && parameters.has('endAt') && span > MAX_LEDGER_SPAN_MS;
  if (!names.some(isWrong) && required.every((name) => parameters.has(name)) && !isTooLong) return undefined;
  return refuse(400, '400100', 'Parameter Error');
}

/** The answer about an API key, by the spec, "Get Apikey Info". */
function keyOf({ uid, credentials, rights, facts }: BookAccount): FakeAnswer {
  return accept({
    remark: 'invoices',
    apiKey: credentials.apiKey,
    apiVersion: facts.version ?? NEWEST_VERSION,
    // The example in the spec has "General,Futures,Spot,Earn,InnerTransfer,Transfer,Margin".
    permission: [...rights].join(','),
    ...(facts.boundToAddresses ? { ipWhitelist: '127.0.0.1,127.0.0.2' } : {}),
    createdAt: 1_728_443_843_000,
    uid: Number(uid),
    isMaster: !facts.isSubAccount,
    ...(facts.isSubAccount ? { subName: 'shop' } : {}),
  });
}

/** Cuts a time to whole seconds, as deposits in all examples have them. */
const secondOf = (ms: number) => Math.floor(ms / 1_000) * 1_000;
const depositMs = (row: BookRow) => secondOf(row.atMs);

const transactionOf = (row: BookRow) => `2C24A6D5B3E7D5B6${row.id}@e8902757998fc352`;

/**
 * A deposit by the spec, "Get Deposit History". Both examples of an internal deposit have no walletTxId; `address` is
 * the receiver's: a masked email address, or an address on a chain (the second way).
 */
function depositOf(row: BookRow): Record<string, unknown> {
  const isInner = row.way !== 'chain';
  return {
    currency: row.token,
    chain: row.way === 'internal' ? '' : 'trx',
    status: STATES[row.state],
    address: row.way === 'internal' ? 'a435*****@example.com' : 'TSv3L1fS7X4nLP6rqNxYz',
    memo: '',
    isInner,
    amount: row.amount,
    fee: '0.00000000',
    walletTxId: isInner ? null : transactionOf(row),
    createdAt: depositMs(row),
    // That `updatedAt` moves when the deposit ends is not documented; its name suggests it.
    updatedAt: secondOf(row.changedAtMs),
    remark: '',
    arrears: false,
  };
}

/**
 * A ledger entry by the spec, "Get Account Ledgers - Spot/Margin", with the business type as the old docs, "BizType
 * Description", write it.
 */
function entryOf(row: BookRow): Record<string, unknown> {
  return {
    id: row.way === 'chain' ? `9${row.id}` : row.id,
    currency: row.token,
    amount: row.amount,
    fee: '0',
    balance: '0',
    accountType: 'MAIN',
    bizType: 'Deposit',
    direction: 'in',
    // That a deposit is booked when it is credited, and not when it was made, is not documented: it is assumed, as in
    // any ledger.
    createdAt: row.changedAtMs,
    // A real entry of a chain deposit has its transaction as in the list of deposits (github.com/ccxt/ccxt/pull/14666).
    // None of a transfer inside of KuCoin is published.
    context: row.way === 'chain' ? JSON.stringify({ orderId: `62ff${row.id}`, txId: transactionOf(row) }) : '',
  };
}

/**
 * An entry of the trading account's ledger, by the docs' example: the time is a text. That a deposit is an entry of the
 * type DEPOSIT there is not documented: the docs name TRANSFER and TRADE_EXCHANGE, "etc.".
 */
function tradingEntryOf(row: BookRow): Record<string, unknown> {
  const createdAt = String(row.changedAtMs);
  return { ...entryOf(row), tax: '0', accountType: 'TRADE_HF', bizType: 'DEPOSIT', createdAt };
}

type FakeList = {
  timeOf: (row: BookRow) => number;
  isShown: (row: BookRow, parameters: URLSearchParams, nowMs: number) => boolean;
  show: (row: BookRow) => Record<string, unknown>;
};

const LISTS: Readonly<Record<string, FakeList>> = {
  [DEPOSITS_PATH]: {
    timeOf: depositMs,
    isShown: (row, parameters) => (parameters.get('status') ?? STATES[row.state]) === STATES[row.state],
    show: depositOf,
  },
  // The ledger shows credited deposits only, because other deposits have changed no balance. KuCoin does not document
  // that internal deposits are entries of the type DEPOSIT, nor whether the ledger may be behind the list of deposits;
  // a test can make it be behind.
  [LEDGER_PATH]: {
    timeOf: (row) => row.changedAtMs,
    isShown: (row, parameters, nowMs) =>
      row.state === 'final' &&
      !row.toTrading &&
      nowMs >= row.changedAtMs + row.ledgerDelayMs &&
      (parameters.get('bizType') ?? 'DEPOSIT') === 'DEPOSIT' &&
      (parameters.get('direction') ?? 'in') === 'in',
    show: entryOf,
  },
  [TRADING_LEDGER_PATH]: {
    timeOf: (row) => row.changedAtMs,
    isShown: (row, parameters, nowMs) =>
      row.state === 'final' &&
      row.toTrading &&
      nowMs >= row.changedAtMs + row.ledgerDelayMs &&
      row.changedAtMs > nowMs - TRADING_LEDGER_AGE_MS &&
      (parameters.get('bizType') ?? 'DEPOSIT') === 'DEPOSIT' &&
      (parameters.get('direction') ?? 'in') === 'in',
    show: tradingEntryOf,
  },
};

/**
 * Lists rows by the spec: "Items are paginated and sorted to show the latest first". Whether range ends are included is
 * undocumented, so here they are not. Returned money is a withdrawal, which another endpoint shows.
 */
function listOf({ path, parameters, nowMs }: FakeRequest, rows: readonly BookRow[], view: RowView): FakeAnswer {
  const list = LISTS[path];
  if (!list) throw new Error(`${path} is no list.`);
  const currencies = parameters.get('currency')?.split(',');
  const startMs = Number(parameters.get('startAt') ?? Number.NEGATIVE_INFINITY);
  const endMs = Number(parameters.get('endAt') ?? Number.POSITIVE_INFINITY);
  const asked = rows.filter(
    (row) =>
      row.refunds === undefined &&
      (currencies?.includes(row.token) ?? true) &&
      list.isShown(row, parameters, nowMs) &&
      list.timeOf(row) > startMs &&
      list.timeOf(row) < endMs,
  );
  const shown = view.disturb(asked.toReversed());
  if (path === TRADING_LEDGER_PATH) {
    const newest = shown.slice(0, Number(parameters.get('limit') ?? USUAL_TRADING_LIMIT));
    view.serve(newest);
    return accept(newest.map(list.show));
  }
  const pageSize = Number(parameters.get('pageSize') ?? USUAL_PAGE);
  const currentPage = Number(parameters.get('currentPage') ?? 1);
  const page = shown.slice((currentPage - 1) * pageSize, currentPage * pageSize);
  if (path === LEDGER_PATH) view.serve(page);
  const totalPage = Math.ceil(shown.length / pageSize);
  return accept({ currentPage, pageSize, totalNum: shown.length, totalPage, items: page.map(list.show) });
}

function createKucoinDialect(quotas: boolean): FakeDialect {
  const ofUser = createRollingQuota(POOL.limit, POOL.windowMs);
  const ofTrading = createRollingQuota(POOL.limit, POOL.windowMs);
  const ofPublic = createRollingQuota(POOL.limit, POOL.windowMs);
  const ofAddress = createRollingQuota(ADDRESS.limit, ADDRESS.windowMs);
  let blockedUntilMs = 0;

  function isBlocked(nowMs: number): boolean {
    if (quotas && !ofAddress.take('address', nowMs)) blockedUntilMs = nowMs + ADDRESS_BLOCK_MS;
    return nowMs < blockedUntilMs;
  }

  return {
    platform: 'KUCOIN',
    book: {
      usualRights: ['General'],
      hasPassphrase: true,
      idsOf: (number) => ({ id: String(FIRST_ENTRY + number) }),
    },
    partOf: (path) => ENDPOINTS[path]?.part,
    answer: (request, book, view) => {
      const { path, nowMs } = request;
      const endpoint = ENDPOINTS[path];
      if (isBlocked(nowMs)) return banned();
      if (!endpoint) return refuse(404, '404000', 'Url Not Found');
      if (request.method !== 'GET') return refuse(405, '400100', 'Method Not Allowed');
      if (path === TIME_PATH) {
        if (quotas && !ofPublic.take('address', nowMs, endpoint.weight)) return tooMany();
        return refuseParameters(request) ?? accept(nowMs);
      }
      const account = authenticate(request, book);
      if (!('credentials' in account)) return account;
      // By the docs, the trading account's ledger counts in the pool "Spot", the others in "Management".
      const pool = path === TRADING_LEDGER_PATH ? ofTrading : ofUser;
      if (quotas && !pool.take(account.uid, nowMs, endpoint.weight)) return tooMany();
      // By the spec, all of these endpoints need the right "General".
      if (!account.rights.has('General') && path !== KEY_PATH)
        return refuse(401, '400007', 'Access denied, requires more permission.');
      const refusal = refuseParameters(request);
      if (refusal) return refusal;
      return path === KEY_PATH ? keyOf(account) : listOf(request, book.rowsOf(account.uid), view);
    },
    tooMany: (_seconds, by) => (by === 'address' ? blocked() : tooMany()),
    banned,
  };
}

export function startKucoinServer(options: FakeExchangeOptions): Promise<FakeExchange> {
  return startExchangeServer(createKucoinDialect(options.quotas ?? true), options);
}
