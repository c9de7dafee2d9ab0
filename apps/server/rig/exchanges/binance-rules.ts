import { createHmac, timingSafeEqual } from 'node:crypto';
import type { BookAccount, ExchangeBook } from './exchange-book.ts';
import type { FakeAnswer, FakeRequest } from './exchange-server.ts';
import type { FakeExchangeOptions } from './fake-exchange.ts';
import { createQuotaWindow } from './quota-window.ts';

/**
 * The rules by which Binance takes a request. Sources, by their short names below:
 * security: https://developers.binance.com/docs/binance-spot-api-docs/rest-api/request-security
 * errors: https://developers.binance.com/docs/binance-spot-api-docs/errors
 * limits: https://developers.binance.com/docs/binance-spot-api-docs/rest-api/limits and, for /sapi,
 * https://developers.binance.com/docs/pay/general-info and
 * https://developers.binance.com/docs/products/caas/basics/4.rate-limits
 */

/** An endpoint as its page documents it. */
export type BinanceEndpoint = {
  path: string;
  weight: number;
  /** Whose limit the weight counts against: the limit of the IP address, or the limit of the user. */
  limit: 'ip' | 'uid';
  /** Known parameters besides timestamp, recvWindow and signature; `public` where the endpoint needs no signature. */
  parameters: readonly string[] | 'public';
};

/**
 * Limits of Binance ("limits"): all of /api shares 6,000 per minute and IP address; under /sapi each endpoint has its
 * own limit, by IP address or by user.
 */
const API_LIMIT = 6_000;
const SAPI_IP_LIMIT = 12_000;
const SAPI_UID_LIMIT = 180_000;
const MINUTE_MS = 60_000;
/**
 * Bans of Binance ("limits") last from two minutes on. How many requests after a 429 lead to a ban is not documented.
 */
const BAN_MS = 120_000;
const IGNORED_REFUSALS_BEFORE_BAN = 3;
/**
 * The receive window of Binance ("security") is 5,000 ms unless sent, and at most 60,000. A timestamp may be less than
 * one second ahead.
 */
const USUAL_WINDOW_MS = 5_000;
const MAX_WINDOW_MS = 60_000;
const MAX_AHEAD_MS = 1_000;

/**
 * A refusal of Binance ("errors"): code and message in this form. Faults of requests come with status 400, faults of
 * keys with 401.
 */
export function refuse(code: number, msg: string, status = 400): FakeAnswer {
  return { status, body: { code, msg }, isRefusal: true };
}

const MALFORMED = (name: string) =>
  refuse(-1102, `Mandatory parameter '${name}' was not sent, was empty/null, or malformed.`);

/** The answer when a limit is exceeded ("limits"): status 429 with Retry-After in seconds, code -1003 ("errors"). */
export function tooMany(retryAfterSeconds: number | undefined): FakeAnswer {
  return {
    ...refuse(-1003, 'Too much request weight used; current limit is 180000 request weight per 1 MINUTE.', 429),
    headers: retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) },
  };
}

/**
 * The answer to a banned IP address that went on after 429 ("limits"): status 418 with Retry-After, code -1003
 * ("errors").
 */
export function banned(retryAfterSeconds: number): FakeAnswer {
  return {
    ...refuse(-1003, 'Way too much request weight used; IP banned until later.', 418),
    headers: { 'retry-after': String(retryAfterSeconds) },
    isBan: true,
  };
}

/** Counts weights, and bans the IP address when it goes on asking. All requests to a fake come from one IP address. */
export function createLimits({ quotas = true }: FakeExchangeOptions) {
  const window = createQuotaWindow(MINUTE_MS);
  let bannedUntilMs = 0;
  let ignored = 0;

  return (endpoint: BinanceEndpoint, account: BookAccount | undefined, nowMs: number): FakeAnswer | undefined => {
    if (nowMs < bannedUntilMs) return banned(Math.ceil((bannedUntilMs - nowMs) / 1_000));
    if (!quotas) return undefined;
    const isApi = endpoint.path.startsWith('/api/');
    const isOfUser = endpoint.limit === 'uid';
    const counter = isApi ? '/api' : `${endpoint.path} ${isOfUser ? (account?.uid ?? '') : ''}`;
    const limit = isApi ? API_LIMIT : isOfUser ? SAPI_UID_LIMIT : SAPI_IP_LIMIT;
    const waitSeconds = window.use(counter, endpoint.weight, limit, nowMs);
    if (waitSeconds === undefined) {
      ignored = 0;
      return undefined;
    }
    ignored += 1;
    if (ignored <= IGNORED_REFUSALS_BEFORE_BAN) return tooMany(waitSeconds);
    bannedUntilMs = nowMs + BAN_MS;
    return banned(BAN_MS / 1_000);
  };
}

/**
 * Checks parameter names ("errors"): -1101 for a parameter sent twice, -1104 for a parameter that the endpoint does not
 * read, -1105 for an empty parameter.
 */
function checkNames({ parameters }: FakeRequest, known: readonly string[]): FakeAnswer | undefined {
  const names = [...parameters.keys()];
  if (new Set(names).size < names.length) return refuse(-1101, 'Duplicate values for a parameter detected.');
  const read = names.filter((name) => known.includes(name)).length;
  if (read < names.length)
    return refuse(
      -1104,
      `Not all sent parameters were read; read '${read}' parameter(s) but was sent '${names.length}'.`,
    );
  const empty = names.find((name) => parameters.get(name) === '');
  return empty === undefined ? undefined : refuse(-1105, `Parameter '${empty}' was empty.`);
}

/**
 * Whether the signature is right ("security"): the hexadecimal HMAC with SHA-256 of the query as it was sent, without
 * the signature, which is the last parameter; upper or lower case. Letters of other languages must be percent-encoded.
 */
function hasTrueSignature({ query }: FakeRequest, secret: string): boolean {
  const match = /^(.*)&signature=([0-9a-fA-F]{64})$/.exec(query);
  if (!match) return false;
  const [, signed = '', signature = ''] = match;
  const expected = createHmac('sha256', secret).update(signed, 'utf8').digest();
  return timingSafeEqual(expected, Buffer.from(signature, 'hex'));
}

/**
 * Checks the time of a request ("security"): timestamp < serverTime + 1 second && serverTime - timestamp <= recvWindow.
 * Else -1021 ("errors").
 */
function checkTime({ parameters, nowMs }: FakeRequest): FakeAnswer | undefined {
  const timestamp = parameters.get('timestamp') ?? '';
  if (!/^\d{1,15}$/.test(timestamp)) return MALFORMED('timestamp');
  const windowText = parameters.get('recvWindow') ?? String(USUAL_WINDOW_MS);
  if (!/^\d{1,9}(\.\d{1,3})?$/.test(windowText)) return MALFORMED('recvWindow');
  if (Number(windowText) > MAX_WINDOW_MS)
    return refuse(-1102, "'recvWindow' contains unexpected value. Cannot be greater than 60000.");
  if (Number(timestamp) >= nowMs + MAX_AHEAD_MS)
    return refuse(-1021, "Timestamp for this request was 1000ms ahead of the server's time.");
  if (nowMs - Number(timestamp) > Number(windowText))
    return refuse(-1021, 'Timestamp for this request is outside of the recvWindow.');
  return undefined;
}

/**
 * Whether an API key may read private data: the key must be alive, may read, and be used from an IP address that the
 * key allows. Otherwise -2015 ("errors").
 */
function isAllowed({ rights, facts }: BookAccount): boolean {
  return facts.active && !facts.refusesAddress && rights.has('enableReading');
}

export type Admission = { account: BookAccount; refusal?: undefined } | { account?: undefined; refusal: FakeAnswer };

/**
 * Checks a signed request: names of parameters, form of the API key, presence of the signature, time, rights of the
 * key, and last the signature. The order decides which refusal a request with several faults gets.
 */
export function admit(request: FakeRequest, book: ExchangeBook, known: readonly string[]): Admission {
  const names = checkNames(request, [...known, 'timestamp', 'recvWindow', 'signature']);
  if (names) return { refusal: names };
  const apiKey = request.headers['x-mbx-apikey'];
  if (apiKey === undefined || !/^[A-Za-z0-9]{1,128}$/.test(apiKey))
    return { refusal: refuse(-2014, 'API-key format invalid.', 401) };
  if (!request.parameters.has('signature')) return { refusal: MALFORMED('signature') };
  const time = checkTime(request);
  if (time) return { refusal: time };
  const account = book.accountOfKey(apiKey);
  if (account === undefined || !isAllowed(account))
    return { refusal: refuse(-2015, 'Invalid API-key, IP, or permissions for action, request ip: 192.0.2.7', 401) };
  if (!hasTrueSignature(request, account.credentials.apiSecret))
    return { refusal: refuse(-1022, 'Signature for this request is not valid.') };
  return { account };
}
