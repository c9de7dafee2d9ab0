import type { BinanceEndpoint } from './binance-rules.ts';
import { admit, banned, createLimits, refuse, tooMany } from './binance-rules.ts';
import type { BookAccount, BookRow, ExchangeBook } from './exchange-book.ts';
import type { FakeAnswer, FakeDialect, FakeRequest, RowView } from './exchange-server.ts';
import { startExchangeServer } from './exchange-server.ts';
import type { FakeExchange, FakeExchangeOptions } from './fake-exchange.ts';

/**
 * Binance on loopback, as far as reading an exchange account needs it. Each endpoint names the page that it was written
 * from.
 */

const DAY_MS = 86_400_000;

/** Pay history: https://developers.binance.com/docs/pay/rest-api */
const PAY: BinanceEndpoint = {
  path: '/sapi/v1/pay/transactions',
  weight: 3_000,
  limit: 'uid',
  parameters: ['startTime', 'endTime', 'limit'],
};
/** Deposit history: https://developers.binance.com/docs/wallet/capital/deposite-history */
const DEPOSITS: BinanceEndpoint = {
  path: '/sapi/v1/capital/deposit/hisrec',
  weight: 1,
  limit: 'ip',
  parameters: ['includeSource', 'coin', 'status', 'startTime', 'endTime', 'offset', 'limit', 'txId'],
};
/** Rights of an API key: https://developers.binance.com/docs/wallet/account/api-key-permission */
const RESTRICTIONS: BinanceEndpoint = {
  path: '/sapi/v1/account/apiRestrictions',
  weight: 1,
  limit: 'ip',
  parameters: [],
};
/**
 * The exchange account of an API key:
 * https://developers.binance.com/docs/binance-spot-api-docs/rest-api/account-endpoints
 */
const ACCOUNT: BinanceEndpoint = {
  path: '/api/v3/account',
  weight: 20,
  limit: 'ip',
  parameters: ['omitZeroBalances'],
};
/** The platform's time: https://developers.binance.com/docs/binance-spot-api-docs/rest-api/general-endpoints */
const TIME: BinanceEndpoint = { path: '/api/v3/time', weight: 1, limit: 'ip', parameters: 'public' };

const ENDPOINTS: ReadonlyMap<string, BinanceEndpoint> = new Map(
  [PAY, DEPOSITS, RESTRICTIONS, ACCOUNT, TIME].map((endpoint) => [endpoint.path, endpoint]),
);

/** Rights that the page of apiRestrictions lists. */
const RIGHTS = [
  'enableReading',
  'enableWithdrawals',
  'enableInternalTransfer',
  'enableMargin',
  'enableFutures',
  'permitsUniversalTransfer',
  'enableVanillaOptions',
  'enableFixApiTrade',
  'enableFixReadOnly',
  'enableSpotAndMarginTrading',
  'enablePortfolioMarginTrading',
];

/**
 * Limits of the lists. Pay: at most 100 rows without pages, 90 days per request, 18 months back. Deposits: at most
 * 1,000 rows, less than 90 days.
 */
const MAX_PAY_ROWS = 100;
const MAX_DEPOSITS = 1_000;
const MAX_SPAN_MS = 90 * DAY_MS;
const MAX_PAY_AGE_MS = 548 * DAY_MS;

type Range = { fromMs: number; toMs: number; limit: number; offset: number };

/**
 * Reads the range of a request. Refusals by Binance's page of errors: -1130 for an invalid value, -1127 for a range
 * that is too wide.
 */
function readRange({ parameters, nowMs }: FakeRequest, maxRows: number): Range | FakeAnswer {
  const numbers = { startTime: nowMs - MAX_SPAN_MS, endTime: nowMs, limit: maxRows, offset: 0 };
  for (const name of ['startTime', 'endTime', 'limit', 'offset'] as const) {
    const text = parameters.get(name);
    if (text === null) continue;
    if (!/^\d{1,15}$/.test(text)) return refuse(-1130, `Data sent for parameter '${name}' is not valid.`);
    numbers[name] = Number(text);
  }
  const { startTime, endTime, limit, offset } = numbers;
  if (limit < 1 || limit > maxRows) return refuse(-1130, "Data sent for parameter 'limit' is not valid.");
  if (startTime > endTime) return refuse(-1130, "Data sent for parameter 'startTime' is not valid.");
  if (endTime - startTime > MAX_SPAN_MS) return refuse(-1127, 'More than 2160 hours between startTime and endTime.');
  return { fromMs: startTime, toMs: endTime, limit, offset };
}

/**
 * Types of Pay rows. Only the names of the types are documented, not which type a receiver sees for a transfer that is
 * held or went back.
 */
const PAY_TYPES = { final: 'C2C', pending: 'C2C_HOLDING', failed: 'C2C_HOLDING_RF' } as const;

/**
 * A row of Pay: the documented fields, and further fields that https://github.com/JKorf/Binance.Net/issues/1375 saw. A
 * refund has a negative amount for the exchange account that gave it.
 */
function payRow(row: BookRow): Record<string, unknown> {
  const isRefund = row.refunds !== undefined;
  const payer = { name: 'Jack', type: 'USER', accountId: row.from };
  const own = { name: 'Store', type: 'USER', binanceId: row.uid, email: 'store@example.com', countryCode: '1' };
  return {
    uid: Number(row.uid),
    counterpartyId: 10_000_000 + row.number,
    orderId: row.otherId,
    note: '',
    orderType: isRefund ? 'PAY_REFUND' : PAY_TYPES[row.state],
    transactionId: row.id,
    transactionTime: row.atMs,
    amount: row.amount,
    currency: row.token,
    walletType: 1,
    walletTypes: [1],
    fundsDetail: [{ currency: row.token, amount: row.amount, walletAssetCost: [{ '1': row.amount }] }],
    payerInfo: isRefund ? own : payer,
    receiverInfo: isRefund ? payer : own,
  };
}

/**
 * Statuses of deposits: 0 pending, 1 success, 2 rejected, 6 credited and not to be withdrawn yet, 7 wrong, 8 waits for
 * the user.
 */
const DEPOSIT_STATUSES = { final: 1, pending: 6, failed: 2 } as const;

/**
 * A row of the deposit history: transferType 1 is internal, 0 from a chain. Times of the documented rows are whole
 * seconds.
 */
function deposit(row: BookRow): Record<string, unknown> {
  const isInternal = row.way !== 'chain';
  const insertTime = Math.floor(row.atMs / 1_000) * 1_000;
  return {
    id: row.id,
    amount: row.amount,
    coin: row.token,
    network: 'BSC',
    status: DEPOSIT_STATUSES[row.state],
    address: '0x0010627ab66d69232f4080d54e0f838b4dc3894a',
    addressTag: '',
    txId: row.otherId,
    insertTime,
    completeTime: insertTime,
    transferType: isInternal ? 1 : 0,
    confirmTimes: isInternal ? '1/1' : '12/12',
    unlockConfirm: isInternal ? 0 : 12,
    walletType: 0,
    travelRuleStatus: 0,
  };
}

const isPayRow = (row: BookRow) => row.way === 'internal' || row.refunds !== undefined;

/** Cuts a list as Binance does: by the general information of /sapi rows are ascending, and the newest are cut off. */
function pageOf(rows: readonly BookRow[], { fromMs, toMs, limit, offset }: Range, view: RowView): BookRow[] {
  const matching = view.disturb(rows.filter((row) => row.atMs >= fromMs && row.atMs <= toMs));
  const page = matching.slice(offset, offset + limit);
  view.serve(page);
  return page;
}

function answerPay(request: FakeRequest, rows: readonly BookRow[], view: RowView): FakeAnswer {
  const range = readRange(request, MAX_PAY_ROWS);
  if ('status' in range) return range;
  const oldest = request.nowMs - MAX_PAY_AGE_MS;
  const page = pageOf(
    rows.filter((row) => isPayRow(row) && row.atMs >= oldest),
    range,
    view,
  );
  return { status: 200, body: { code: '000000', message: 'success', data: page.map(payRow), success: true } };
}

function answerDeposits(request: FakeRequest, rows: readonly BookRow[], view: RowView): FakeAnswer {
  const range = readRange(request, MAX_DEPOSITS);
  if ('status' in range) return range;
  const { parameters } = request;
  const matching = rows.filter(
    (row) =>
      !isPayRow(row) &&
      (parameters.get('coin') ?? row.token) === row.token &&
      (parameters.get('txId') ?? row.otherId) === row.otherId &&
      Number(parameters.get('status') ?? DEPOSIT_STATUSES[row.state]) === DEPOSIT_STATUSES[row.state],
  );
  return { status: 200, body: pageOf(matching, range, view).map(deposit) };
}

function answerRestrictions({ rights, facts }: BookAccount): FakeAnswer {
  const names = [...new Set([...RIGHTS, ...rights])];
  return {
    status: 200,
    body: {
      ipRestrict: facts.boundToAddresses,
      createTime: 1_623_840_271_000,
      ...Object.fromEntries(names.map((name) => [name, rights.has(name)])),
    },
  };
}

/**
 * The answer about the exchange account of an API key: `canWithdraw` and similar fields are rights of the exchange
 * account, not of the key.
 */
function answerAccount({ uid }: BookAccount): FakeAnswer {
  const can = { canTrade: true, canWithdraw: true, canDeposit: true };
  return { status: 200, body: { ...can, accountType: 'SPOT', balances: [], permissions: ['SPOT'], uid: Number(uid) } };
}

function answerOf(
  endpoint: BinanceEndpoint,
  account: BookAccount,
  request: FakeRequest,
  book: ExchangeBook,
  view: RowView,
) {
  if (endpoint === PAY) return answerPay(request, book.rowsOf(account.uid), view);
  if (endpoint === DEPOSITS) return answerDeposits(request, book.rowsOf(account.uid), view);
  return endpoint === RESTRICTIONS ? answerRestrictions(account) : answerAccount(account);
}

function createDialect(options: FakeExchangeOptions): FakeDialect {
  const limits = createLimits(options);
  return {
    platform: 'BINANCE',
    book: {
      usualRights: ['enableReading', 'enableFixReadOnly'],
      hasPassphrase: false,
      idsOf: (number, way) =>
        way === 'internal'
          ? {
              id: `P_A1${String(number).padStart(14, '0')}`,
              otherId: String(294_163_557_804_000_000n + BigInt(number)),
            }
          : {
              id: String(769_800_519_366_000_000n + BigInt(number)),
              otherId: `Internal transfer ${9_000_000 + number}`,
            },
    },
    partOf: (path) => {
      if (path === PAY.path || path === DEPOSITS.path) return 'statement';
      if (path === TIME.path) return 'time';
      return ENDPOINTS.has(path) ? 'key' : undefined;
    },
    answer: (request, book, view) => {
      const endpoint = ENDPOINTS.get(request.path);
      if (endpoint === undefined || request.method !== 'GET') return { status: 404, body: {}, isRefusal: true };
      const keyed = book.accountOfKey(request.headers['x-mbx-apikey']);
      const limited = limits(endpoint, keyed, request.nowMs);
      if (limited) return limited;
      if (endpoint.parameters === 'public') {
        if (request.query !== '') return refuse(-1101, "Too many parameters; expected '0' and received more.");
        return { status: 200, body: { serverTime: request.nowMs } };
      }
      const { account, refusal } = admit(request, book, endpoint.parameters);
      return refusal ?? answerOf(endpoint, account, request, book, view);
    },
    tooMany,
    banned,
  };
}

export function startBinanceServer(options: FakeExchangeOptions): Promise<FakeExchange> {
  return startExchangeServer(createDialect(options), options);
}
