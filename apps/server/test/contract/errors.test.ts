import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { activateMerchant } from '../../src/merchants/activate-merchant.ts';
import { activateStore } from '../../src/stores/activate-store.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { CONTRACT_PLAN, openStore, TESTER } from '../../rig/stores/open-store.ts';
import type { Answer, Contract } from './contract-client.ts';
import {
  create,
  createWritten,
  expectError,
  expectLimited,
  forgetWindows,
  lookup,
  openContract,
  setWindows,
  SPECIFIED_ERRORS,
} from './contract-client.ts';

let contract: Contract;
/** Two servers whose databases lack a table. */
let unadmitted: Contract;
let uninvoiced: Contract;

type Cast = Record<'store' | 'bare' | 'poor' | 'disabled' | 'disowned' | 'limited', TestStore>;
let cast: Cast;
let castaways: { unadmitted: TestStore; uninvoiced: TestStore };

async function openCast(): Promise<Cast> {
  const { database } = contract;
  const made = {
    store: await openStore(database),
    bare: await openStore(database, { wallet: false }),
    poor: await openStore(database, { creditMicroUsd: 100_000n, discountPercent: '10' }),
    disabled: await openStore(database),
    disowned: await openStore(database),
    limited: await openStore(database, { plan: CONTRACT_PLAN }),
  };
  await activateStore({ database, clock: systemClock, jobs: undefined }, TESTER, {
    store: made.disabled.ref,
    active: false,
  });
  const { merchantAccountId } = made.disowned;
  await activateMerchant({ database, clock: systemClock }, TESTER, { merchantAccountId, active: false });
  return made;
}

beforeAll(async () => {
  [contract, unadmitted, uninvoiced] = await Promise.all([openContract(), openContract(), openContract()]);
  cast = await openCast();
  castaways = { unadmitted: await openStore(unadmitted.database), uninvoiced: await openStore(uninvoiced.database) };
  await unadmitted.database.pool.query('alter table admissions rename to admissions_gone');
  await uninvoiced.database.pool.query('alter table invoices rename to invoices_gone');
});
beforeEach(() => forgetWindows(contract.database));
afterAll(() => Promise.all([contract, unadmitted, uninvoiced].map((one) => one.close())));

const TRANS_ID = 'TID-AAAAAAAAAAAAAAAA';
const SHORT = {
  current_balance: '0.10',
  required_fee: '0.225',
  shortage: '0.125',
  fee_rate_percent: '0.5',
  discount_percent: '10',
  invoice_amount: '50.00',
};

type Fields = { request_id?: string };
type CreateRow = { code: keyof typeof SPECIFIED_ERRORS; ask: (fields: Fields) => Promise<Answer>; details?: object };

function createAs(merchant: TestStore, key: string | undefined, fields: Fields): Promise<Answer> {
  const body = JSON.stringify({ merchant_id: merchant.merchantId, amount: 50, ...fields });
  return createWritten(contract, key, body);
}

const CREATE_ROWS: CreateRow[] = [
  { code: 'MISSING_API_KEY', ask: (fields) => createAs(cast.store, undefined, fields) },
  { code: 'INVALID_API_KEY', ask: (fields) => createAs(cast.store, 'unknown', fields) },
  { code: 'ACCOUNT_INACTIVE', ask: (fields) => create(contract, cast.disowned, fields) },
  { code: 'STORE_INACTIVE', ask: (fields) => create(contract, cast.disabled, fields) },
  { code: 'AUTHENTICATION_FAILED', ask: (fields) => create(unadmitted, castaways.unadmitted, fields) },
  {
    code: 'VALIDATION_ERROR',
    ask: (fields) => create(contract, cast.store, { amount: null, ...fields }),
    details: { errors: [{ field: 'amount', message: 'amount is required.' }] },
  },
  { code: 'INVALID_MERCHANT_ID', ask: (fields) => createAs(cast.bare, cast.store.apiKey, fields) },
  { code: 'NO_PAYMENT_METHOD', ask: (fields) => create(contract, cast.bare, fields) },
  { code: 'INSUFFICIENT_BALANCE', ask: (fields) => create(contract, cast.poor, fields), details: SHORT },
  { code: 'INTERNAL_ERROR', ask: (fields) => create(uninvoiced, castaways.uninvoiced, fields) },
];

type GetRow = { code: keyof typeof SPECIFIED_ERRORS; ask: () => Promise<Answer>; details?: object };

const GET_ROWS: GetRow[] = [
  { code: 'MISSING_API_KEY', ask: () => lookup(contract, undefined, TRANS_ID) },
  { code: 'INVALID_API_KEY', ask: () => lookup(contract, 'unknown', TRANS_ID) },
  { code: 'ACCOUNT_INACTIVE', ask: () => lookup(contract, cast.disowned.apiKey, TRANS_ID) },
  { code: 'STORE_INACTIVE', ask: () => lookup(contract, cast.disabled.apiKey, TRANS_ID) },
  { code: 'AUTHENTICATION_FAILED', ask: () => lookup(unadmitted, castaways.unadmitted.apiKey, TRANS_ID) },
  {
    code: 'INVOICE_NOT_FOUND',
    ask: () => lookup(contract, cast.store.apiKey, TRANS_ID),
    details: { trans_id: TRANS_ID },
  },
  { code: 'MISSING_TRANS_ID', ask: () => lookup(contract, cast.store.apiKey, '') },
  {
    code: 'INVALID_TRANS_ID_FORMAT',
    ask: () => lookup(contract, cast.store.apiKey, 'TID-1'),
    details: { trans_id: 'TID-1', expected_format: 'TID-XXXXXXXXXXXXXXXX' },
  },
  { code: 'INTERNAL_ERROR', ask: () => lookup(uninvoiced, castaways.uninvoiced.apiKey, TRANS_ID) },
];

const titled = <Row extends { code: keyof typeof SPECIFIED_ERRORS }>(row: Row) => {
  const [http, message] = SPECIFIED_ERRORS[row.code];
  return { ...row, http, message };
};

describe('error codes | create', () => {
  test.each(CREATE_ROWS.map(titled))('$code | $http | $message', async ({ code, ask, details }) => {
    expectError(await ask({}), code, details && { details });
  });

  test.each(CREATE_ROWS.map(titled))('$code | $http | repeats the request_id', async ({ code, ask, details }) => {
    const request_id = `order ${code} é😀`;
    expectError(await ask({ request_id }), code, { request_id, ...(details && { details }) });
  });

  test.each([
    ['burst', 'Too many requests per second.', { burstUsed: 5, sustainedUsed: 5 }],
    ['sustained', 'Rate limit exceeded. Maximum 60 requests per minute.', { burstUsed: 0, sustainedUsed: 60 }],
  ] as const)(
    'RATE_LIMIT_EXCEEDED | 429 | %s: %s | limit_type, retry_after_seconds',
    async (exceeded, _message, windows) => {
      await setWindows(contract.database, `s${cast.limited.id}`, 'create', windows);
      expectLimited(await create(contract, cast.limited), 'create', exceeded);
      await setWindows(contract.database, `s${cast.limited.id}`, 'create', windows);
      const request_id = `order ${exceeded}`;
      expectLimited(await create(contract, cast.limited, { request_id }), 'create', exceeded, { request_id });
    },
  );
});

describe('error codes | get', () => {
  test.each(GET_ROWS.map(titled))('$code | $http | $message', async ({ code, ask, details }) => {
    expectError(await ask(), code, details && { details });
  });

  test.each([
    ['burst', 'Too many requests per second.', { burstUsed: 20, sustainedUsed: 20 }],
    ['sustained', 'Rate limit exceeded. Maximum 200 requests per minute.', { burstUsed: 0, sustainedUsed: 200 }],
  ] as const)(
    'RATE_LIMIT_EXCEEDED | 429 | %s: %s | limit_type, retry_after_seconds',
    async (exceeded, _message, windows) => {
      await setWindows(contract.database, `s${cast.limited.id}`, 'lookup', windows);
      expectLimited(await lookup(contract, cast.limited.apiKey, TRANS_ID), 'lookup', exceeded);
    },
  );
});

describe('error codes | the whole table is covered', () => {
  test('every specified code is asked for above', () => {
    const asked = new Set([...CREATE_ROWS, ...GET_ROWS].map(({ code }) => code));
    expect([...asked].toSorted()).toStrictEqual(Object.keys(SPECIFIED_ERRORS).toSorted());
  });
});

const everyError = async () => {
  const answers: Answer[] = [];
  for (const { ask } of CREATE_ROWS) answers.push(await ask({}));
  for (const { ask } of GET_ROWS) answers.push(await ask());
  return answers.map((answer) => JSON.parse(answer.text) as Record<string, unknown>);
};

describe('error shape', () => {
  test('status | string | always | error', async () => {
    for (const body of await everyError()) expect(body['status']).toBe('error');
  });

  test('message | string | always | human-readable description', async () => {
    for (const body of await everyError()) expect(body['message']).toMatch(/^[A-Z].*\.$/);
  });

  test('error_code | string | always | machine-readable code in UPPER_SNAKE_CASE', async () => {
    for (const body of await everyError()) expect(body['error_code']).toMatch(/^[A-Z]+(_[A-Z]+)*$/);
  });

  test('request_id | string | only if supplied when creating the invoice', async () => {
    for (const body of await everyError()) expect(body).not.toHaveProperty('request_id');
  });

  test.each([
    ['longer than 255 characters', 'r'.repeat(256)],
    ['empty', ''],
    ['null', null],
    ['a number', 5],
    ['with U+0000', 'a\u0000'],
    ['with half of a surrogate pair', 'a\ud800'],
  ])('request_id | only a valid one is repeated, not one that is %s', async (_case, request_id) => {
    const body = JSON.stringify({ merchant_id: cast.store.merchantId, amount: 50, request_id });
    expectError(await createWritten(contract, undefined, body), 'MISSING_API_KEY');
  });

  test('details | object | optional | never null, an array or text', async () => {
    const details = (await everyError()).filter((body) => 'details' in body).map((body) => body['details']);
    expect(details).toHaveLength(4);
    for (const one of details) expect(Object.prototype.toString.call(one)).toBe('[object Object]');
  });
});

describe('error notes', () => {
  test('INTERNAL_ERROR says nothing of the inside', async () => {
    const answer = await create(uninvoiced, castaways.uninvoiced);
    expect(answer.text).not.toMatch(/relation|invoices|select|insert|stack|at /i);
  });

  test('INTERNAL_ERROR can be retried: the same request_id succeeds once the failure is over', async () => {
    const own = castaways.uninvoiced;
    expectError(await create(uninvoiced, own, { request_id: 'again' }), 'INTERNAL_ERROR', { request_id: 'again' });
    await uninvoiced.database.pool.query('alter table invoices_gone rename to invoices');
    expect((await create(uninvoiced, own, { request_id: 'again' })).status).toBe(200);
    await uninvoiced.database.pool.query('alter table invoices rename to invoices_gone');
  });

  test('for 429, clients wait retry_after_seconds: it is also the Retry-After header', async () => {
    await setWindows(contract.database, `s${cast.limited.id}`, 'create', { burstUsed: 5, sustainedUsed: 5 });
    const answer = await create(contract, cast.limited);
    expect(JSON.parse(answer.text)).toMatchObject({ retry_after_seconds: Number(answer.headers.get('retry-after')) });
  });
});
