import { createHmac } from 'node:crypto';
import type { BookAccount, BookRow, ExchangeBook } from './exchange-book.ts';
import type { FakeAnswer, FakeDialect, FakeRequest, RowView } from './exchange-server.ts';
import { startExchangeServer } from './exchange-server.ts';
import type { FakeExchange, FakeExchangeOptions, FakePart, FakeState } from './fake-exchange.ts';
import { createRollingQuota } from './rolling-quota.ts';

/**
 * OKX on loopback, written from www.okx.com/docs-v5/en (as of July 2026). Names in quotation marks are headings of that
 * documentation.
 */

const TIME_PATH = '/api/v5/public/time';
const KEY_PATH = '/api/v5/account/config';
const DEPOSITS_PATH = '/api/v5/asset/deposit-history';
const PARTS: Readonly<Record<string, FakePart>> = {
  [TIME_PATH]: 'time',
  [KEY_PATH]: 'key',
  [DEPOSITS_PATH]: 'statement',
};

/**
 * Parameters of the endpoint "Get deposit history". The endpoints for the platform's time and for the API key have no
 * parameters.
 */
const PARAMETERS: Readonly<Record<string, RegExp>> = {
  ccy: /^[A-Z0-9]+$/,
  depId: /^\d+$/,
  fromWdId: /^\d+$/,
  txId: /^.+$/,
  // Type 3 is an internal transfer, 4 a deposit from a chain.
  type: /^[34]$/,
  state: /^(0|1|2|8|11|12|13|14|17)$/,
  after: /^\d{13}$/,
  before: /^\d{13}$/,
  // The documentation of `limit` says: "The maximum is 100; the default is 100".
  limit: /^([1-9]\d?|100)$/,
};
const PAGE = 100;

/**
 * How far a request's time may be off: "The server rejects requests where this differs from server time by more than 30
 * seconds (error 50102)".
 */
const TIMESTAMP_WINDOW_MS = 30_000;
/** The form of a request's time: "ISO 8601 UTC format with millisecond precision". */
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/**
 * States of deposits: "1: deposit credited", which cannot be withdrawn yet; "2: deposit successful"; "11: match the
 * address blacklist".
 */
const STATES: Readonly<Record<FakeState, string>> = { pending: '1', final: '2', failed: '11' };
/**
 * The state of a deposit. A test may order another state for pending deposits: "0: waiting for confirmation", "8:
 * pending due to temporary deposit suspension on this crypto currency", "12: account or deposit is frozen", "13:
 * sub-account deposit interception", "14: KYC limit", "17: Pending response from Travel Rule vendor".
 */
const stateOf = (row: BookRow) => row.platformState ?? STATES[row.state];

const FIRST_DEPOSIT = 88_000_000;
const FIRST_WITHDRAWAL = 67_000_000;

/**
 * A refusal with an error code. Each code has the HTTP status that the documentation lists for it under "Error Code",
 * "REST API", "Public".
 */
function refuse(status: number, code: string, msg: string, headers: Record<string, string> = {}): FakeAnswer {
  return { status, body: { code, msg, data: [] }, headers, isRefusal: true };
}

const tooMany = () => refuse(429, '50011', 'Too Many Requests');
const accept = (data: readonly unknown[]): FakeAnswer => ({ status: 200, body: { code: '0', msg: '', data } });

/** Checks the headers and signature of a request, by "REST Authentication", "Making Requests" and "Signature". */
function authenticate(request: FakeRequest, book: ExchangeBook): BookAccount | FakeAnswer {
  const { headers, nowMs } = request;
  const { 'ok-access-key': key, 'ok-access-sign': sign, 'ok-access-timestamp': timestamp } = headers;
  const passphrase = headers['ok-access-passphrase'];
  if (!key) return refuse(401, '50103', 'Request header "OK-ACCESS-KEY" cannot be empty.');
  if (!passphrase) return refuse(401, '50104', 'Request header "OK-ACCESS-PASSPHRASE" cannot be empty.');
  if (!sign) return refuse(401, '50106', 'Request header "OK-ACCESS-SIGN" cannot be empty.');
  if (!timestamp) return refuse(401, '50107', 'Request header "OK-ACCESS-TIMESTAMP" cannot be empty.');
  if (!TIMESTAMP.test(timestamp)) return refuse(401, '50112', 'Invalid OK-ACCESS-TIMESTAMP.');
  if (Math.abs(Date.parse(timestamp) - nowMs) > TIMESTAMP_WINDOW_MS)
    return refuse(401, '50102', 'Timestamp request expired.');
  const account = book.accountOfKey(key);
  if (!account?.facts.active) return refuse(200, '50119', "API key doesn't exist");
  if (account.credentials.passphrase !== passphrase)
    return refuse(401, '50105', 'Request header "OK-ACCESS-PASSPHRASE" incorrect.');
  // The signature covers the query: "GET request parameters are counted as requestpath, not body".
  const target = request.query === '' ? request.path : `${request.path}?${request.query}`;
  const expected = createHmac('sha256', account.credentials.apiSecret).update(timestamp + 'GET' + target);
  if (expected.digest('base64') !== sign) return refuse(401, '50113', 'Invalid signature.');
  if (account.facts.refusesAddress)
    return refuse(401, '50110', "Your IP 127.0.0.1 is not included in your API key's IP whitelist.");
  return account;
}

/**
 * Parameters that OKX's documentation does not name, or describes otherwise, are an error here: "51000 Parameter
 * error".
 */
function refuseParameters({ path, parameters }: FakeRequest): FakeAnswer | undefined {
  const names = [...parameters.keys()];
  const isWrong = (name: string) =>
    path !== DEPOSITS_PATH ||
    names.filter((other) => other === name).length > 1 ||
    PARAMETERS[name]?.test(parameters.get(name) ?? '') !== true;
  const wrong = names.find(isWrong);
  return wrong === undefined ? undefined : refuse(400, '51000', `Parameter ${wrong} error`);
}

/** The answer about an API key, by "Get account configuration"; its fields about trade are left out. */
function keyOf({ uid, rights, facts }: BookAccount): FakeAnswer {
  const config = {
    uid,
    mainUid: facts.isSubAccount ? `${uid}0` : uid,
    acctLv: '2',
    type: facts.isSubAccount ? '1' : '0',
    label: 'invoices',
    level: 'Lv1',
    kycLv: '3',
    // The bound IP addresses: "IP addresses that linked with current API key, separate with commas if more than one";
    // empty if there are none.
    ip: facts.boundToAddresses ? '127.0.0.1,127.0.0.2' : '',
    // Rights of the API key, separated by commas as in the documentation's example "read_only,withdraw,trade".
    perm: [...rights].join(','),
  };
  return accept([config]);
}

/**
 * A deposit with the response fields of "Get deposit history". Internal deposits name the payer, deposits from a chain
 * the receiving address.
 */
function depositOf(row: BookRow): Record<string, string> {
  const isInternal = row.way !== 'chain';
  return {
    actualDepBlkConfirm: isInternal ? '' : '12',
    amt: row.amount,
    areaCodeFrom: '',
    ccy: row.token,
    chain: isInternal ? '' : `${row.token}-TRC20`,
    depId: row.id,
    from: isInternal ? row.from : '',
    fromWdId: isInternal ? (row.otherId ?? '') : '',
    state: stateOf(row),
    to: isInternal ? '' : 'TN4hGjVXMzyChain9b4N1aGizqs',
    ts: String(row.atMs),
    txId: isInternal ? row.id : `fee235b3e812${row.id}`,
  };
}

/**
 * Lists deposits only: money that the exchange account's owner sends back is a withdrawal, which another endpoint
 * shows.
 */
function depositsOf({ parameters }: FakeRequest, rows: readonly BookRow[], view: RowView): FakeAnswer {
  const get = (name: string) => parameters.get(name);
  const isAsked = (row: BookRow) =>
    row.refunds === undefined &&
    (get('ccy') ?? row.token) === row.token &&
    (get('depId') ?? row.id) === row.id &&
    (get('fromWdId') ?? row.otherId) === row.otherId &&
    (get('type') ?? (row.way === 'chain' ? '4' : '3')) === (row.way === 'chain' ? '4' : '3') &&
    (get('state') ?? stateOf(row)) === stateOf(row) &&
    // The documentation of `after` and `before`: "records earlier than the requested ts", "records newer than the
    // requested ts".
    row.atMs < Number(get('after') ?? Number.POSITIVE_INFINITY) &&
    row.atMs > Number(get('before') ?? Number.NEGATIVE_INFINITY);
  // The documented order of rows is "in reverse chronological order".
  const page = view.disturb(rows.filter(isAsked).toReversed()).slice(0, Number(get('limit') ?? PAGE));
  view.serve(page);
  return accept(page.map(depositOf));
}

function createOkxDialect(quotas: boolean): FakeDialect {
  // Documented limits: "6 requests per second" for deposits and "5 requests per 2 seconds" for the API key, both by
  // user id; "10 requests per 2 seconds" for the time, by IP address.
  const limits: Readonly<Record<string, ReturnType<typeof createRollingQuota>>> = {
    [DEPOSITS_PATH]: createRollingQuota(6, 1_000),
    [KEY_PATH]: createRollingQuota(5, 2_000),
    [TIME_PATH]: createRollingQuota(10, 2_000),
  };
  const isTooMany = (who: string, { path, nowMs }: FakeRequest) => quotas && limits[path]?.take(who, nowMs) === false;

  return {
    platform: 'OKX',
    book: {
      usualRights: ['read_only'],
      hasPassphrase: true,
      idsOf: (number) => ({ id: String(FIRST_DEPOSIT + number), otherId: String(FIRST_WITHDRAWAL + number) }),
    },
    partOf: (path) => PARTS[path],
    answer: (request, book, view) => {
      if (PARTS[request.path] === undefined) return refuse(404, '404', 'Not Found');
      if (request.method !== 'GET') return refuse(405, '50115', 'Invalid request method.');
      if (request.path === TIME_PATH)
        return isTooMany('address', request)
          ? tooMany()
          : (refuseParameters(request) ?? accept([{ ts: String(request.nowMs) }]));
      const account = authenticate(request, book);
      if (!('credentials' in account)) return account;
      if (isTooMany(account.uid, request)) return tooMany();
      const refusal = refuseParameters(request);
      if (refusal) return refusal;
      if (request.path === KEY_PATH) return keyOf(account);
      // The endpoint "Get deposit history" requires the right to read: its documentation says "Permission: Read".
      if (!account.rights.has('read_only'))
        return refuse(200, '50120', "This API key doesn't have permission to use this function");
      return depositsOf(request, book.rowsOf(account.uid), view);
    },
    // OKX's documentation lists code 50011 with status 200 and with status 429. The fake answers 429 when a test names
    // the seconds to wait, because only a 429 has a Retry-After header.
    tooMany: (seconds) =>
      seconds === undefined
        ? refuse(
            200,
            '50011',
            'Rate limit reached. Please refer to API documentation and throttle requests accordingly.',
          )
        : refuse(429, '50011', 'Too Many Requests', { 'retry-after': String(seconds) }),
    // OKX documents no ban of an IP address, so the fake's ban is a refusal for too many requests with a long
    // Retry-After.
    banned: (seconds) => refuse(429, '50011', 'Too Many Requests', { 'retry-after': String(seconds) }),
  };
}

export function startOkxServer(options: FakeExchangeOptions): Promise<FakeExchange> {
  return startExchangeServer(createOkxDialect(options.quotas ?? true), options);
}
