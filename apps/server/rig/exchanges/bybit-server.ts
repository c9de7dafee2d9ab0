import { createHmac } from 'node:crypto';
import type { BookAccount, BookRow, ExchangeBook } from './exchange-book.ts';
import type { FakeAnswer, FakeDialect, FakeRequest, RowView } from './exchange-server.ts';
import { startExchangeServer } from './exchange-server.ts';
import type { FakeExchange, FakeExchangeOptions, FakePart, FakeState } from './fake-exchange.ts';
import { createRollingQuota } from './rolling-quota.ts';

/**
 * Bybit on loopback, written from its documentation at bybit-exchange.github.io/docs/v5 (as of July 2026). Sources by
 * their short names below: guide, error, rate-limit, apikey-info (user/apikey-info), record
 * (asset/deposit/internal-deposit-record), time (market/time).
 */

const TIME_PATH = '/v5/market/time';
const KEY_PATH = '/v5/user/query-api';
const DEPOSITS_PATH = '/v5/asset/deposit/query-internal-record';
const PARTS: Readonly<Record<string, FakePart>> = {
  [TIME_PATH]: 'time',
  [KEY_PATH]: 'key',
  [DEPOSITS_PATH]: 'statement',
};

/** Request parameters of the page "record"; limit from 1 to 50. The other two endpoints have no parameters. */
const PARAMETERS: Readonly<Record<string, RegExp>> = {
  txID: /^.+$/,
  startTime: /^\d{13}$/,
  endTime: /^\d{13}$/,
  coin: /^[A-Z0-9]+$/,
  cursor: /^[A-Za-z0-9+/]+=*$/,
  limit: /^([1-9]|[1-4]\d|50)$/,
};
const PAGE = 50;
/**
 * The longest span, by the page "record": "The maximum difference between the start time and the end time is 30 days".
 */
const MAX_SPAN_MS = 30 * 86_400_000;

/**
 * The receive window, by the page "guide": 5,000 ms by default; "server_time - recv_window <= timestamp < server_time +
 * 1000".
 */
const USUAL_WINDOW_MS = 5_000;
const MAX_AHEAD_MS = 1_000;

/** Length of a ban, by the page "rate-limit": "wait for at least 10 minutes", after "403, access too frequent". */
const BAN_MS = 600_000;

/** Statuses of deposits, by the page "record": 1 is processing, 2 success, 3 failed. */
const STATES: Readonly<Record<FakeState, number>> = { pending: 1, final: 2, failed: 3 };

/**
 * The name that this fake gives the right to write: Bybit shows this right in a separate field, unlike all other
 * rights.
 */
const MAY_WRITE = 'readOnly=0';
/** The right that this fake requires before it shows deposits. Which right Bybit requires is not documented. */
const READ = 'Wallet.AccountTransfer';

const FIRST_ROW = 1_100;

type Wrapped = { retCode: number; retMsg: string; result: unknown };

/** Wraps an answer in the common response parameters of the page "guide". */
function wrap({ retCode, retMsg, result }: Wrapped, nowMs: number): Record<string, unknown> {
  return { retCode, retMsg, result, retExtInfo: {}, time: nowMs };
}

/**
 * A refusal by the page "error": a code in an answer with status 200. Codes about authentication also come with status
 * 200 here, except where the page names status 401.
 */
function refuse(retCode: number, retMsg: string, nowMs: number): FakeAnswer {
  return { status: 200, body: wrap({ retCode, retMsg, result: {} }, nowMs), isRefusal: true };
}

function accept(result: unknown, nowMs: number): FakeAnswer {
  return { status: 200, body: wrap({ retCode: 0, retMsg: 'OK', result }, nowMs) };
}

/**
 * The answer to a banned IP address, by the page "rate-limit": "403, access too frequent". The form of its body is not
 * documented, nor whether it names a time.
 */
function banned(): FakeAnswer {
  return { status: 403, body: { retCode: 10_018, retMsg: 'access too frequent' }, isRefusal: true, isBan: true };
}

/**
 * Checks the headers, window and signature of a request, by the page "guide": the signature covers time, key, window
 * and query.
 */
function authenticate({ headers, query, nowMs }: FakeRequest, book: ExchangeBook): BookAccount | FakeAnswer {
  const { 'x-bapi-api-key': key, 'x-bapi-timestamp': timestamp, 'x-bapi-sign': sign } = headers;
  const window = headers['x-bapi-recv-window'] ?? String(USUAL_WINDOW_MS);
  // By the page "error": 401, "put authentication params in the request header".
  if (!key || !timestamp || !sign) return { status: 401, body: {}, isRefusal: true };
  if (!/^\d{13}$/.test(timestamp) || !/^\d{1,6}$/.test(window))
    return refuse(10_001, 'Request parameter error.', nowMs);
  const sentMs = Number(timestamp);
  if (sentMs < nowMs - Number(window) || sentMs >= nowMs + MAX_AHEAD_MS)
    return refuse(10_002, 'The request time exceeds the time window range.', nowMs);
  const account = book.accountOfKey(key);
  if (!account) return refuse(10_003, 'API key is invalid.', nowMs);
  const expected = createHmac('sha256', account.credentials.apiSecret).update(timestamp + key + window + query);
  if (expected.digest('hex') !== sign) return refuse(10_004, 'Error sign, please check your signature.', nowMs);
  if (!account.facts.active) return refuse(33_004, 'Your api key has expired.', nowMs);
  if (account.facts.refusesAddress) return refuse(10_010, "Unmatched IP, please check your API key's bound IP.", nowMs);
  return account;
}

/** Refuses wrong parameters with 10001 (page "error"), also parameters that no page names and parameters sent twice. */
function refuseParameters({ path, parameters, nowMs }: FakeRequest): FakeAnswer | undefined {
  const names = [...parameters.keys()];
  const isWrong = (name: string) =>
    path !== DEPOSITS_PATH ||
    names.filter((other) => other === name).length > 1 ||
    PARAMETERS[name]?.test(parameters.get(name) ?? '') !== true;
  const { startMs, endMs } = spanOf(parameters, nowMs);
  if (!names.some(isWrong) && endMs >= startMs && endMs - startMs <= MAX_SPAN_MS) return undefined;
  return refuse(10_001, 'Request parameter error.', nowMs);
}

/** The span of a request, by the page "record": by default the 30 days before the current time. */
function spanOf(parameters: URLSearchParams, nowMs: number): { startMs: number; endMs: number } {
  return {
    startMs: Number(parameters.get('startTime') ?? nowMs - MAX_SPAN_MS),
    endMs: Number(parameters.get('endTime') ?? nowMs),
  };
}

/** The answer about an API key, by the page "apikey-info"; its fields about levels and inviters are left out. */
function keyOf({ uid, credentials, rights, facts }: BookAccount, nowMs: number): FakeAnswer {
  const permissions: Record<string, string[]> = { ContractTrade: [], Spot: [], Wallet: [], Options: [], NFT: [] };
  for (const right of rights) {
    const [group = '', name] = right.split('.');
    if (name !== undefined) (permissions[group] ??= []).push(name);
  }
  const result = {
    id: '2208369',
    note: 'invoices',
    apiKey: credentials.apiKey,
    readOnly: rights.has(MAY_WRITE) ? 0 : 1,
    secret: '',
    permissions,
    ips: facts.boundToAddresses ? ['127.0.0.1'] : ['*'],
    type: 1,
    // As in the documented example, a key without an end has `deadlineDay` -2 and ends in the first second of 1970.
    deadlineDay: facts.expiresAtMs === undefined ? -2 : Math.floor((facts.expiresAtMs - nowMs) / 86_400_000),
    expiredAt: new Date(facts.expiresAtMs ?? 0).toISOString().replace('.000Z', 'Z'),
    createdAt: '2025-10-13T03:20:45Z',
    uta: 1,
    userID: Number(uid),
    isMaster: !facts.isSubAccount,
    parentUid: facts.isSubAccount ? '1448939' : '0',
  };
  return accept(result, nowMs);
}

/** A deposit with the response parameters of the page "record". Its time is in seconds, as in the example there. */
function depositOf(row: BookRow): Record<string, unknown> {
  return {
    id: row.id,
    amount: row.amount,
    type: 1,
    coin: row.token,
    address: row.from,
    status: STATES[row.state],
    createdTime: String(Math.floor(row.atMs / 1_000)),
    fromMemberId: '',
    // The transaction number is empty for a failed deposit, according to the Chinese version of the page.
    txID: row.state === 'failed' ? '' : row.otherId,
    taxDepositRecordsId: '0',
    taxStatus: 0,
  };
}

/**
 * The cursor of a page. In the example of the page "record" it is {"minID":1103,"maxID":1103} in Base64, of the only
 * row of its page.
 */
function cursorOf(page: readonly BookRow[]): string {
  if (page.length === 0) return '';
  const ids = page.map(({ id }) => Number(id));
  return Buffer.from(JSON.stringify({ minID: Math.min(...ids), maxID: Math.max(...ids) })).toString('base64');
}

function placeOf(cursor: string | null): number | undefined {
  if (cursor === null) return Number.POSITIVE_INFINITY;
  try {
    const { minID } = JSON.parse(Buffer.from(cursor, 'base64').toString('utf8')) as { minID?: unknown };
    return typeof minID === 'number' ? minID : undefined;
  } catch {
    return undefined;
  }
}

const shownMs = (row: BookRow) => Math.floor(row.atMs / 1_000) * 1_000;

/**
 * Lists internal deposits: other deposits have their own endpoint, and money that the exchange account's owner sends
 * back is a withdrawal. Deposits at the first or last moment of the span are left out, by their time in whole seconds,
 * because whether they belong to the span is not documented.
 */
function depositsOf({ parameters, nowMs }: FakeRequest, rows: readonly BookRow[], view: RowView): FakeAnswer {
  const { startMs, endMs } = spanOf(parameters, nowMs);
  const below = placeOf(parameters.get('cursor'));
  if (below === undefined) return refuse(10_001, 'Request parameter error.', nowMs);
  const asked = rows.filter(
    (row) =>
      row.refunds === undefined &&
      row.way !== 'chain' &&
      (parameters.get('coin') ?? row.token) === row.token &&
      (parameters.get('txID') ?? row.otherId) === row.otherId &&
      shownMs(row) > startMs &&
      shownMs(row) < endMs &&
      Number(row.id) < below,
  );
  const ordered = asked.toSorted((left, right) => Number(right.id) - Number(left.id));
  const page = ordered.slice(0, Number(parameters.get('limit') ?? PAGE));
  // Faults change the rows of this page only, and not the rows of the following pages: the cursor, made from the
  // unchanged page, says where the next page begins.
  const shown = view.disturb(page);
  view.serve(shown);
  return accept({ rows: shown.map(depositOf), nextPageCursor: cursorOf(page) }, nowMs);
}

function createBybitDialect(quotas: boolean): FakeDialect {
  // Limits of the page "rate-limit": 600 requests in 5 seconds per IP address; per user 10 a second for keys and 300 a
  // second for records.
  const ofAddress = createRollingQuota(600, 5_000);
  const ofUser: Readonly<Record<string, ReturnType<typeof createRollingQuota>>> = {
    [KEY_PATH]: createRollingQuota(10, 1_000),
    [DEPOSITS_PATH]: createRollingQuota(300, 1_000),
  };
  let bannedUntilMs = 0;

  function isBanned(nowMs: number): boolean {
    if (quotas && !ofAddress.take('address', nowMs)) bannedUntilMs = nowMs + BAN_MS;
    return nowMs < bannedUntilMs;
  }

  return {
    platform: 'BYBIT',
    book: {
      usualRights: [READ, 'Wallet.SubMemberTransfer'],
      hasPassphrase: false,
      idsOf: (number) => ({
        id: String(FIRST_ROW + number),
        otherId: `77c37e5c-d9fa-41e5-bd13-${String(number).padStart(8, '0')}`,
      }),
    },
    partOf: (path) => PARTS[path],
    answer: (request, book, view) => {
      const { path, nowMs } = request;
      if (isBanned(nowMs)) return banned();
      if (PARTS[path] === undefined) return { status: 404, body: {}, isRefusal: true };
      if (request.method !== 'GET') return { status: 400, body: {}, isRefusal: true };
      if (path === TIME_PATH)
        return accept({ timeSecond: String(Math.floor(nowMs / 1_000)), timeNano: `${nowMs}123456` }, nowMs);
      const account = authenticate(request, book);
      if (!('credentials' in account)) return account;
      if (quotas && ofUser[path]?.take(account.uid, nowMs) === false) return refuse(10_006, 'Too many visits!', nowMs);
      const refusal = refuseParameters(request);
      if (refusal) return refusal;
      // The page "apikey-info" says: "Any permission can access this endpoint."
      if (path === KEY_PATH) return keyOf(account, nowMs);
      if (!account.rights.has(READ)) return refuse(10_005, 'Permission denied.', nowMs);
      return depositsOf(request, book.rowsOf(account.uid), view);
    },
    // The answer to too many requests. Of a user: code 10006 with status 200, by the page "rate-limit"; that page also
    // has a header with the time when the limit ends, which is left out here. Of an IP address: code 10018, "Exceeded
    // the IP Rate Limit", by the page "error"; with status 200, because the status is not documented, and the page
    // "rate-limit" has only a 403.
    tooMany: (_seconds, by) =>
      by === 'address' ? refuse(10_018, 'Exceeded the IP Rate Limit.', 0) : refuse(10_006, 'Too many visits!', 0),
    banned,
  };
}

export function startBybitServer(options: FakeExchangeOptions): Promise<FakeExchange> {
  return startExchangeServer(createBybitDialect(options.quotas ?? true), options);
}
