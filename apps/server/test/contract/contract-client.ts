import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, inject } from 'vitest';
import type { Database } from '../../src/db/database.ts';
import { createdInvoiceSchema, errorSchema, foundInvoiceSchema } from '../../src/api/invoice-schemas.ts';
import type { ServerProcess } from '../../rig/processes/server-process.ts';
import type { TestDatabase } from '../../rig/database/test-database.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import { startApi } from '../../rig/processes/server-process.ts';

/** Client of the contract suite: a real server with its own database, and strict parsers of its answers. */

export type Contract = TestDatabase & { server: ServerProcess; close(): Promise<void> };

export async function openContract(settings: Record<string, string> = {}): Promise<Contract> {
  const own = await openTestDatabase(inject('template'));
  const server = await startApi(own.url, settings);
  const close = async () => {
    await server.stop();
    await own.drop();
  };
  return { ...own, server, close };
}

/** Errors of the specification, repeated here on purpose. */
export const SPECIFIED_ERRORS = {
  MISSING_API_KEY: [401, 'Missing API key. Please provide x-api-key header.'],
  INVALID_API_KEY: [401, 'Invalid API key. Please check your API key and try again.'],
  ACCOUNT_INACTIVE: [403, 'Merchant account is inactive. Please contact support to reactivate.'],
  STORE_INACTIVE: [403, 'Store is inactive. Please contact support to reactivate your store.'],
  AUTHENTICATION_FAILED: [500, 'Authentication failed. Please try again later.'],
  VALIDATION_ERROR: [400, 'Validation failed. Please check your request body.'],
  INVALID_MERCHANT_ID: [400, 'Invalid merchant_id. The merchant_id does not match your API key.'],
  NO_PAYMENT_METHOD: [400, 'No payment method configured. Please add at least one wallet or exchange platform.'],
  INSUFFICIENT_BALANCE: [402, 'Insufficient balance. Please top-up your account to continue.'],
  INVOICE_NOT_FOUND: [404, 'Invoice not found.'],
  MISSING_TRANS_ID: [400, 'Missing trans_id in URL.'],
  INVALID_TRANS_ID_FORMAT: [400, 'Invalid trans_id format.'],
  INTERNAL_ERROR: [500, 'Internal server error. Please try again later.'],
} as const;

/** Our own error codes, for what the specification leaves open. */
export const OWN_ERRORS = {
  NOT_FOUND: [404, 'Not found. The API has no such path.'],
  METHOD_NOT_ALLOWED: [405, 'Method not allowed.'],
  UNSUPPORTED_MEDIA_TYPE: [415, 'Unsupported media type. Please send application/json.'],
  PAYLOAD_TOO_LARGE: [413, 'Payload too large. The request body may hold at most 16 kB.'],
  BAD_REQUEST: [400, 'Bad request.'],
  HEADERS_TOO_LARGE: [431, 'Request header fields too large.'],
  HTTPS_REQUIRED: [403, 'HTTPS required. Please use https.'],
} as const;

const ERRORS = { ...SPECIFIED_ERRORS, ...OWN_ERRORS };
export type ExpectedCode = keyof typeof ERRORS;

export type Answer = { status: number; headers: Headers; text: string };
export type Call = { method?: string; key?: string; body?: string; headers?: Record<string, string> };

const WHOLE_NUMBER = /^(0|[1-9]\d*)$/;

/** Requires the headers that every answer has. */
export function expectCommonHeaders(answer: Answer): void {
  const { limit, remaining, reset } = rateHeaders(answer);
  for (const value of [limit, remaining, reset]) expect(value).toMatch(WHOLE_NUMBER);
  expect(Number(limit)).toBeGreaterThan(0);
  expect(Number(remaining)).toBeLessThan(Number(limit));
  expect(Number(reset)).toBeGreaterThan(0);
  expect(answer.headers.get('api-version')).toMatch(/^\d{4}-\d{2}-\d{2}$/);
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(answer.headers.has('retry-after')).toBe(answer.status === 429);
}

export function rateHeaders(answer: Answer): { limit: string; remaining: string; reset: string } {
  const read = (name: string) => answer.headers.get(`RateLimit-${name}`) ?? `no RateLimit-${name}`;
  return { limit: read('Limit'), remaining: read('Remaining'), reset: read('Reset') };
}

export async function call(contract: Contract, path: string, options: Call = {}): Promise<Answer> {
  const response = await fetch(contract.server.url + path, {
    method: options.method ?? 'GET',
    headers: { ...(options.key !== undefined && { 'x-api-key': options.key }), ...options.headers },
    ...(options.body !== undefined && { body: options.body }),
  });
  const answer = { status: response.status, headers: response.headers, text: await response.text() };
  expectCommonHeaders(answer);
  return answer;
}

const JSON_TYPE = { 'content-type': 'application/json' };

/** Sends a create with the body as written, for bodies that JSON.stringify would not produce. */
export function createWritten(contract: Contract, key: string | undefined, body: string, headers = {}) {
  return call(contract, '/payment/crypto', {
    method: 'POST',
    body,
    headers: { ...JSON_TYPE, ...headers },
    ...(key !== undefined && { key }),
  });
}

/** Sends a create that is valid except for `fields`. */
export function create(
  contract: Contract,
  store: Pick<TestStore, 'merchantId' | 'apiKey'>,
  fields: Record<string, unknown> = {},
): Promise<Answer> {
  const body = { merchant_id: store.merchantId, amount: '50.00', ...fields };
  return createWritten(contract, store.apiKey, JSON.stringify(body));
}

export function lookup(contract: Contract, key: string | undefined, transId: string, headers = {}): Promise<Answer> {
  return call(contract, `/invoice/${transId}`, { headers, ...(key !== undefined && { key }) });
}

/** Requires success of a create, with no key beyond those specified. */
export function expectCreated(answer: Answer) {
  expect(answer).toMatchObject({ status: 200 });
  return createdInvoiceSchema.parse(JSON.parse(answer.text));
}

/** Requires success of a lookup, with no key beyond those specified. */
export function expectFound(answer: Answer) {
  expect(answer).toMatchObject({ status: 200 });
  return foundInvoiceSchema.parse(JSON.parse(answer.text)).data;
}

/** Requires a refusal with exactly this status, text and code, and exactly these other fields. */
export function expectError(answer: Answer, code: ExpectedCode, fields: Record<string, unknown> = {}): void {
  const [status, message] = ERRORS[code];
  const body: unknown = JSON.parse(answer.text);
  expect({ http: answer.status, body }).toStrictEqual({
    http: status,
    body: { status: 'error', message, error_code: code, ...fields },
  });
  errorSchema.parse(body);
}

export function expectInvalid(answer: Answer, field: string, message: string, echoed: { request_id?: string } = {}) {
  expectError(answer, 'VALIDATION_ERROR', { details: { errors: [{ field, message }] }, ...echoed });
}

const MINUTE_TEXT = { create: 60, lookup: 200 };
const RETRY_SECONDS = { burst: 1, sustained: 60 };

export function expectLimited(
  answer: Answer,
  endpoint: LimitedEndpoint,
  exceeded: 'burst' | 'sustained',
  fields: Record<string, unknown> = {},
): void {
  const body: unknown = JSON.parse(answer.text);
  const message =
    exceeded === 'burst'
      ? 'Too many requests per second.'
      : `Rate limit exceeded. Maximum ${MINUTE_TEXT[endpoint]} requests per minute.`;
  const seconds = RETRY_SECONDS[exceeded];
  expect({ http: answer.status, retryAfter: answer.headers.get('retry-after'), body }).toStrictEqual({
    http: 429,
    retryAfter: String(seconds),
    body: {
      status: 'error',
      message,
      error_code: 'RATE_LIMIT_EXCEEDED',
      limit_type: exceeded,
      retry_after_seconds: seconds,
      ...fields,
    },
  });
  errorSchema.parse(body);
}

/** Sends bytes that no HTTP client would send, and reads the answer until the server closes. */
export async function sendBytes(contract: Contract, bytes: string | Buffer): Promise<Answer> {
  const { hostname, port } = new URL(contract.server.url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.write(bytes);
  const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n', 2);
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = new Headers(
    lines.map((line): [string, string] => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
  );
  const answer = { status: Number(statusLine.split(' ')[1]), headers, text: body };
  expectCommonHeaders(answer);
  return answer;
}

export type Selection = { network: string; token: string; toAddress: string; amount: string; price: string };

export const SELECTION: Selection = {
  network: 'BSC',
  token: 'USDT',
  toAddress: '0x00000000000000000000000000000000000000Aa',
  amount: '50.000317',
  price: '1',
};

/** Writes the customer's selection by SQL: the contract suite has no checkout page and no chain. */
export async function selectToken(database: Database, transId: string, selection = SELECTION): Promise<void> {
  const { rowCount } = await database.pool.query(
    `with quote as (
       insert into quotes (invoice_id, network, token, to_address, token_amount, token_price_usd, created_at, display_units,
         finality, price_sources, held_from)
       select id, $2, $3, $4, $5, $6, now(), 1, 'finalized', '[]', now() from invoices where trans_id = $1
       returning id, invoice_id
     )
     update invoices set quote_id = quote.id from quote where invoices.id = quote.invoice_id`,
    [transId, selection.network, selection.token, selection.toAddress, selection.amount, selection.price],
  );
  expect(rowCount).toBe(1);
}

export type Settlement = { hash: string; from: string; callbackStatus: 'success' | 'failed' | null };

export const SETTLEMENT: Settlement = {
  hash: '0x6b1ca8f1d3f6b1b2f5e7a0f94d0f7b7f4a9c1d2e3f405162738495a6b7c8d9e0',
  from: '0x00000000000000000000000000000000000000Bb',
  callbackStatus: null,
};

/** Moves an invoice to a status by SQL, in place of the engine. */
export async function setStatus(
  database: Database,
  transId: string,
  status: 'waiting' | 'processing' | 'completed' | 'expired',
  settlement = SETTLEMENT,
): Promise<void> {
  const { hash, from, callbackStatus } = settlement;
  const settled = status === 'completed' ? [hash, from, callbackStatus] : [null, null, null];
  const { rowCount } = await database.pool.query(
    `update invoices set status = $2, transaction_hash = $3, from_address = $4, callback_status = $5
     where trans_id = $1`,
    [transId, status, ...settled],
  );
  expect(rowCount).toBe(1);
}

export async function countInvoices(database: Database, storeId: bigint): Promise<number> {
  const { rows } = await database.pool.query<{ count: bigint }>(
    'select count(*) as count from invoices where store_id = $1',
    [storeId],
  );
  return Number(rows[0]?.count);
}

export async function removeWallets(database: Database, storeId: bigint): Promise<void> {
  await database.pool.query('update wallets set removed_at = now() where store_id = $1', [storeId]);
}

export type LimitedEndpoint = 'create' | 'lookup';
export type Windows = {
  burstUsed: number;
  sustainedUsed: number;
  /** Age of the window in seconds. A negative age keeps it open however slow the machine is. */
  burstAge?: number;
  sustainedAge?: number;
};

const KEPT_OPEN = -600;

/** Sets both rate windows of a bucket (`s` and a store id, or `a` and an address). */
export async function setWindows(database: Database, bucket: string, endpoint: LimitedEndpoint, windows: Windows) {
  await database.pool.query(
    `insert into admissions
       (bucket, endpoint, requested, burst_limit, burst_used, sustained_used, burst_started_at, sustained_started_at)
     values ($1, $2, 0, 1, $3, $4, now() - make_interval(secs => $5), now() - make_interval(secs => $6))
     on conflict (bucket, endpoint) do update set burst_used = excluded.burst_used,
       sustained_used = excluded.sustained_used, burst_started_at = excluded.burst_started_at,
       sustained_started_at = excluded.sustained_started_at`,
    [
      bucket,
      endpoint,
      windows.burstUsed,
      windows.sustainedUsed,
      windows.burstAge ?? KEPT_OPEN,
      windows.sustainedAge ?? KEPT_OPEN,
    ],
  );
}

/** Deletes all rate windows. */
export async function forgetWindows(database: Database): Promise<void> {
  await database.pool.query('delete from admissions');
}
