import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { createTestStore } from '../../src/sandbox/create-test-store.ts';
import { issueApiKey } from '../../src/stores/issue-api-key.ts';
import { revealApiKey } from '../../src/stores/reveal-api-key.ts';
import { activateMerchant } from '../../src/merchants/activate-merchant.ts';
import { activateStore } from '../../src/stores/activate-store.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { CONTRACT_PLAN, LIFTED_PLAN, openStore, TESTER } from '../../rig/stores/open-store.ts';
import { startApi } from '../../rig/processes/server-process.ts';
import type { Answer, Contract } from './contract-client.ts';
import {
  call,
  create,
  createWritten,
  expectCommonHeaders,
  expectCreated,
  expectError,
  expectFound,
  expectInvalid,
  expectLimited,
  forgetWindows,
  lookup,
  openContract,
  rateHeaders,
  SELECTION,
  selectToken,
  sendBytes,
  setStatus,
  setWindows,
} from './contract-client.ts';

let contract: Contract;
let store: TestStore;

const ringed = ({ ring }: TestStore) => ({ database: contract.database, clock: systemClock, ring, jobs: undefined });

beforeAll(async () => {
  contract = await openContract();
  store = await openStore(contract.database, { creditMicroUsd: 100_000_000_000n });
});
beforeEach(() => forgetWindows(contract.database));
afterAll(() => contract.close());

const find = async (transId: string) => expectFound(await lookup(contract, store.apiKey, transId));

describe('replay of request_id', () => {
  test('200, create shape, top-level idempotent: true', async () => {
    const first = await create(contract, store, { request_id: 'replay shape' });
    const { data } = expectCreated(first);
    const replay = await create(contract, store, { request_id: 'replay shape' });
    expect(replay.status).toBe(200);
    expect(JSON.parse(replay.text)).toStrictEqual({ status: 'success', data, idempotent: true });
  });

  test.each(['waiting', 'processing', 'completed', 'expired'] as const)(
    'data.status is the current one: %s',
    async (status) => {
      const request_id = `replay ${status}`;
      const { data } = expectCreated(await create(contract, store, { request_id }));
      await setStatus(contract.database, data.trans_id, status);
      const replay = expectCreated(await create(contract, store, { request_id }));
      expect(replay.data).toStrictEqual({ ...data, status });
    },
  );

  test('expires_in_minutes is the full lifetime, however old the invoice is', async () => {
    const own = await openStore(contract.database, { lifetimeMinutes: 45 });
    const { data } = expectCreated(await create(contract, own, { request_id: 'old' }));
    await contract.database.pool.query(
      `update invoices set created_at = created_at - interval '44 minutes', expires_at = expires_at - interval '44 minutes'
       where trans_id = $1`,
      [data.trans_id],
    );
    await contract.database.pool.query('update stores set lifetime_minutes = 10 where id = $1', [own.id]);
    expect(expectCreated(await create(contract, own, { request_id: 'old' })).data.expires_in_minutes).toBe(45);
  });

  test('a different body changes nothing and is logged', async () => {
    const given = { request_id: 'replay body', name: 'one', description: 'first', callback_url: 'https://a.example/' };
    const { data } = expectCreated(await create(contract, store, given));
    const before = await find(data.trans_id);
    const other = { amount: '7', name: 'two', description: 'second', callback_url: 'https://b.example/' };
    const replay = expectCreated(await create(contract, store, { ...given, ...other }));
    expect(replay).toStrictEqual({ status: 'success', data, idempotent: true });
    expect(await find(data.trans_id)).toStrictEqual(before);
    await expect
      .poll(() => contract.server.output())
      .toMatch(new RegExp(`${data.trans_id}.*request_id was used again with another body`));
  });

  test.each([
    ['é composed and decomposed', '\u00e9', 'e\u0301'],
    ['upper and lower case', 'Order', 'order'],
    ['a space behind', 'spaced', 'spaced '],
    ['a line break behind', 'broken', 'broken\n'],
    ['full width', 'A1', 'Ａ１'],
    ['a zero-width character', 'zero', 'ze\u200bro'],
    ['leading zeros', '7', '007'],
  ])('request_id is compared byte for byte, so these are two invoices: %s', async (_case, one, other) => {
    const first = expectCreated(await create(contract, store, { request_id: one }));
    const second = expectCreated(await create(contract, store, { request_id: other }));
    expect(second).not.toHaveProperty('idempotent');
    expect(second.data.trans_id).not.toBe(first.data.trans_id);
    expect([first.data.request_id, second.data.request_id]).toStrictEqual([one, other]);
  });
});

describe('limit bucket', () => {
  test('the store; the IP for a missing or unknown key; a forwarded address of a stranger is not believed', async () => {
    await setWindows(contract.database, 'a127.0.0.1', 'lookup', { burstUsed: 20, sustainedUsed: 20 });
    const headers = { 'x-forwarded-for': '203.0.113.9' };
    const path = 'TID-AAAAAAAAAAAAAAAA';
    expectLimited(await lookup(contract, undefined, path, headers), 'lookup', 'burst');
    expectLimited(await lookup(contract, 'unknown', path, headers), 'lookup', 'burst');
    expect((await lookup(contract, store.apiKey, path, headers)).status).toBe(404);
  });
});

describe('429', () => {
  test.each([
    ['create', 'burst', { burstUsed: 5, sustainedUsed: 5 }],
    ['create', 'sustained', { burstUsed: 0, sustainedUsed: 60 }],
    ['lookup', 'burst', { burstUsed: 20, sustainedUsed: 20 }],
    ['lookup', 'sustained', { burstUsed: 0, sustainedUsed: 200 }],
  ] as const)('%s, %s | text, top-level fields, Retry-After equal', async (endpoint, exceeded, windows) => {
    const own = await openStore(contract.database, { plan: CONTRACT_PLAN });
    await setWindows(contract.database, `s${own.id}`, endpoint, windows);
    const answer =
      endpoint === 'create' ? await create(contract, own) : await lookup(contract, own.apiKey, 'TID-AAAAAAAAAAAAAAAA');
    expectLimited(answer, endpoint, exceeded);
  });
});

describe('RateLimit-* headers on every response, also errors', () => {
  test.each([
    ['an unknown path', () => call(contract, '/nowhere')],
    ['a method that is not allowed', () => call(contract, '/payment/crypto', { method: 'DELETE' })],
    ['a refused media type', () => createWritten(contract, store.apiKey, '', { 'content-type': 'text/plain' })],
    ['bytes that are no HTTP', () => sendBytes(contract, 'hello\r\n\r\n')],
    ['a head that is too large', () => sendBytes(contract, `GET / HTTP/1.1\r\nx: ${'a'.repeat(20_000)}\r\n\r\n`)],
    ['no host', () => sendBytes(contract, 'GET / HTTP/1.1\r\nconnection: close\r\n\r\n')],
  ])('%s', async (_case, ask: () => Promise<Answer>) => {
    const answer = await ask();
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expectCommonHeaders(answer);
  });
});

describe('amount', () => {
  test('in: judged by the written digits, not by what a double makes of them', async () => {
    const written = '{"merchant_id":"' + store.merchantId + '","amount":1000000.00000000000000000001}';
    expect((await createWritten(contract, store.apiKey, written)).status).toBe(400);
  });

  test('in: of two amounts the last counts, as JSON has it', async () => {
    const written = `{"amount":1,"merchant_id":"${store.merchantId}","amount":2.50}`;
    expect(expectCreated(await createWritten(contract, store.apiKey, written)).data.amount).toBe('2.50');
  });

  test('in: the amount of an inner object is not the amount', async () => {
    const written = `{"merchant_id":"${store.merchantId}","amount":0.10,"cart":{"amount":99}}`;
    expect(expectCreated(await createWritten(contract, store.apiKey, written)).data.amount).toBe('0.10');
  });

  test.each([
    ['5', '5.00'],
    ['5.1', '5.10'],
    ['5.10000000', '5.10'],
    ['5.12345678', '5.12345678'],
    ['100', '100.00'],
  ])('out: at least two decimals, no other trailing zeros: %s is shown as %s', async (amount, shown) => {
    const { data } = expectCreated(await create(contract, store, { amount }));
    expect([data.amount, (await find(data.trans_id)).amount]).toStrictEqual([shown, shown]);
  });
});

const OPTIONAL = ['callback_url', 'completed_url', 'expired_url', 'name', 'description', 'request_id'];

describe('optional fields', () => {
  test.each(OPTIONAL.flatMap((field) => [[field, null] as const, [field, ''] as const]))(
    '%s: %j counts as not supplied',
    async (field, value) => {
      const { data } = expectCreated(await create(contract, store, { [field]: value }));
      expect(data).not.toHaveProperty('request_id');
      expect(await find(data.trans_id)).not.toHaveProperty(field);
    },
  );

  test('two calls with an empty request_id are two invoices', async () => {
    const first = expectCreated(await create(contract, store, { request_id: '' }));
    const second = expectCreated(await create(contract, store, { request_id: '' }));
    expect(second.data.trans_id).not.toBe(first.data.trans_id);
  });

  test('unknown fields are ignored', async () => {
    const written = `{"merchant_id":"${store.merchantId}","amount":5,"colour":"EUR","status":"completed",
      "__proto__":{"name":"polluted"},"constructor":1,"trans_id":"TID-AAAAAAAAAAAAAAAA"}`;
    const { data } = expectCreated(await createWritten(contract, store.apiKey, written));
    expect(Object.keys(await find(data.trans_id)).toSorted()).toStrictEqual(
      ['trans_id', 'status', 'amount', 'created_at', 'expires_at'].toSorted(),
    );
  });

  test.each(
    ['name', 'description', 'request_id'].flatMap((field) =>
      ['a\u0000b', '\u0000', '\ud800', 'a\udc00', '\udc00\ud800'].map((value) => [field, value] as const),
    ),
  )('%s: U+0000 and lone surrogates are refused: %j', async (field, value) => {
    const answer = await create(contract, store, { [field]: value });
    expectInvalid(answer, field, `${field} may not hold U+0000 or lone surrogates.`);
  });

  test.each(['\u0001\u001f\u007f', '\u202e\u200f', '\ufeff\ufffe\uffff', '\u{10ffff}', 'a\u0301'])(
    'any other text is kept as it is: %j',
    async (text) => {
      const { data } = expectCreated(
        await create(contract, store, { name: text, description: text, request_id: text }),
      );
      expect(await find(data.trans_id)).toMatchObject({ name: text, description: text, request_id: text });
    },
  );
});

describe('details.errors', () => {
  test.each(['', '{', '{"amount":5', 'amount=5', "{'amount':5}", '{"amount":05}', '\ufeff{}', '{} {}', 'undefined'])(
    'malformed JSON is VALIDATION_ERROR with field body: %j',
    async (written) => {
      const answer = await createWritten(contract, store.apiKey, written);
      expectInvalid(answer, 'body', 'The body is not valid JSON.');
    },
  );

  test.each(['[]', '"text"', '5', 'true', 'null', '[{"amount":5}]'])(
    'a body that is no object is VALIDATION_ERROR with field body: %s',
    async (written) => {
      const answer = await createWritten(contract, store.apiKey, written);
      expectInvalid(answer, 'body', 'The body must be a JSON object.');
    },
  );

  test('no body at all is VALIDATION_ERROR with field body', async () => {
    const answer = await call(contract, '/payment/crypto', { method: 'POST', key: store.apiKey });
    expectInvalid(answer, 'body', 'The body must be a JSON object.');
  });

  test('bytes that are no UTF-8 are malformed', async () => {
    const head = `POST /payment/crypto HTTP/1.1\r\nhost: x\r\nx-api-key: ${store.apiKey}\r\nconnection: close\r\n`;
    const bytes = Buffer.from(
      `${head}content-type: application/json\r\ncontent-length: 14\r\n\r\n{"name":"\u00ff\u00fe\u00fd"}`,
      'latin1',
    );
    expectInvalid(await sendBytes(contract, bytes), 'body', 'The body is not valid JSON.');
  });

  test('expected_format is TID-XXXXXXXXXXXXXXXX', async () => {
    expectError(await lookup(contract, store.apiKey, 'x'), 'INVALID_TRANS_ID_FORMAT', {
      details: { trans_id: 'x', expected_format: 'TID-XXXXXXXXXXXXXXXX' },
    });
  });
});

describe('402 details', () => {
  test.each([
    {
      title: 'an empty balance',
      options: { creditMicroUsd: 0n },
      amount: 1000000,
      details: ['0.00', '5000.00', '5000.00', '0.5', '0', '1000000.00'],
    },
    {
      title: 'a discount with decimals',
      options: { creditMicroUsd: 1n, discountPercent: '12.50' },
      amount: '80.00000001',
      details: ['0.000001', '0.35', '0.349999', '0.5', '12.5', '80.00000001'],
    },
    {
      title: 'a minimum fee and a rate with decimals',
      options: {
        creditMicroUsd: 1_000_000n,
        plan: { ...LIFTED_PLAN, code: 'decisions', feeRatePercent: '1.2500', minimumFeeMicroUsd: 2_000_000n },
      },
      amount: '0.01',
      details: ['1.00', '2.00', '1.00', '1.25', '0', '0.01'],
    },
  ])('strings; shortage = required_fee - current_balance: $title', async ({ options, amount, details }) => {
    const own = await openStore(contract.database, options);
    const names = ['current_balance', 'required_fee', 'shortage', 'fee_rate_percent', 'discount_percent'];
    const expected = Object.fromEntries([...names, 'invoice_amount'].map((name, place) => [name, details[place]]));
    expectError(await create(contract, own, { amount }), 'INSUFFICIENT_BALANCE', { details: expected });
  });
});

describe('key of a disabled store or account', () => {
  test('403 STORE_INACTIVE and ACCOUNT_INACTIVE, not 401', async () => {
    const own = await openStore(contract.database);
    await activateStore(ringed(own), TESTER, { store: own.ref, active: false });
    expectError(await create(contract, own), 'STORE_INACTIVE');
    const { merchantAccountId } = own;
    await activateMerchant(ringed(own), TESTER, { merchantAccountId, active: false });
    expectError(await create(contract, own), 'ACCOUNT_INACTIVE');
  });
});

describe('callback_url and the two redirects', () => {
  test('a store can demand https for its callbacks', async () => {
    const own = await openStore(contract.database, { httpsCallbacksOnly: true });
    const plain = await create(contract, own, { callback_url: 'http://shop.example/' });
    expectInvalid(plain, 'callback_url', 'callback_url must be an https URL for this store.');
    expectCreated(await create(contract, own, { callback_url: 'HTTPS://shop.example/' }));
    expectCreated(await create(contract, own, { completed_url: 'http://shop.example/' }));
    expectCreated(await create(contract, own));
  });

  test('callback_url must be on the public internet, as far as its text tells; the redirects are free', async () => {
    const server = await startApi(contract.url, { COUNTERFOIL_PRIVATE_CALLBACKS: 'refuse' });
    const strict = { ...contract, server };
    const message = 'callback_url must be on the public internet.';
    for (const url of ['http://127.0.0.1:8080/hook', 'https://localhost/hook', 'http://[fd00::1]/'])
      expectInvalid(await create(strict, store, { callback_url: url, request_id: 'r' }), 'callback_url', message, {
        request_id: 'r',
      });
    for (const field of ['completed_url', 'expired_url'])
      expectCreated(await create(strict, store, { [field]: 'http://localhost:3000/thanks' }));
    // The name is not resolved here: its addresses are checked at every attempt.
    expectCreated(await create(strict, store, { callback_url: 'https://intranet.example/hook' }));
    expectCreated(await create(contract, store, { callback_url: 'http://127.0.0.1:8080/hook' }));
    await server.stop();
  });
});

const sized = (bytes: number) => JSON.stringify({ merchant_id: store.merchantId, amount: 5 }).padEnd(bytes, ' ');

describe('unknown routes, methods, media types and oversized bodies answer in the common error shape', () => {
  test.each(['/invoice/', '/invoice'])('400 MISSING_TRANS_ID: GET %s', async (path) => {
    expectError(await call(contract, path, { key: store.apiKey }), 'MISSING_TRANS_ID');
  });

  test.each([
    '/',
    '/nowhere',
    '/payment',
    '/payment/crypto/',
    '/PAYMENT/CRYPTO',
    '/invoices/x',
    '/invoice/x/y',
    '/%zz',
  ])('404 NOT_FOUND: %s', async (path) => {
    expectError(await call(contract, path, { key: store.apiKey }), 'NOT_FOUND');
  });

  test.each([
    ['/payment/crypto', ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'], 'POST'],
    ['/invoice/TID-AAAAAAAAAAAAAAAA', ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'], 'GET, HEAD'],
  ])('405 METHOD_NOT_ALLOWED: %s with %j', async (path, methods, allowed) => {
    for (const method of methods) {
      const answer = await call(contract, path, { method, key: store.apiKey });
      expectError(answer, 'METHOD_NOT_ALLOWED');
      expect(answer.headers.get('allow')).toBe(allowed);
    }
  });

  test('415 UNSUPPORTED_MEDIA_TYPE: another type or an encoding', async () => {
    const plain = await createWritten(contract, store.apiKey, '{}', { 'content-type': 'text/plain' });
    expectError(plain, 'UNSUPPORTED_MEDIA_TYPE');
    const packed = await createWritten(contract, store.apiKey, '{}', { 'content-encoding': 'gzip' });
    expectError(packed, 'UNSUPPORTED_MEDIA_TYPE');
  });

  test('a body of 16 kB is read', async () => {
    expectCreated(await createWritten(contract, store.apiKey, sized(16_384)));
  });

  test('413 PAYLOAD_TOO_LARGE: one byte more', async () => {
    expectError(await createWritten(contract, store.apiKey, sized(16_385)), 'PAYLOAD_TOO_LARGE');
  });

  test('413 PAYLOAD_TOO_LARGE: one byte more in chunks, of unstated length', async () => {
    const head = `POST /payment/crypto HTTP/1.1\r\nhost: x\r\nx-api-key: ${store.apiKey}\r\nconnection: close\r\n`;
    const chunked = `${head}content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n4001\r\n${sized(16_385)}\r\n0\r\n\r\n`;
    expectError(await sendBytes(contract, chunked), 'PAYLOAD_TOO_LARGE');
  });

  test('400 BAD_REQUEST: bytes that are no HTTP', async () => {
    expectError(await sendBytes(contract, 'hello\r\n\r\n'), 'BAD_REQUEST');
  });

  test('431 HEADERS_TOO_LARGE', async () => {
    const answer = await sendBytes(contract, `GET / HTTP/1.1\r\nhost: x\r\nx: ${'a'.repeat(20_000)}\r\n\r\n`);
    expectError(answer, 'HEADERS_TOO_LARGE');
  });
});

describe('network_symbol', () => {
  test('BSC, ETH, TRC20, SOL, POLYGON, ARBITRUM, OPTIMISM, BASE, AVAX, EXCHANGE_PAY; never renamed', async () => {
    const networks = ['BSC', 'ETH', 'TRC20', 'SOL', 'POLYGON', 'ARBITRUM', 'OPTIMISM', 'BASE', 'AVAX', 'EXCHANGE_PAY'];
    for (const network of networks) {
      const { data } = expectCreated(await create(contract, store));
      await selectToken(contract.database, data.trans_id, { ...SELECTION, network });
      expect((await find(data.trans_id)).network_symbol).toBe(network);
    }
  });
});

describe('invoice lifetime', () => {
  test('30 minutes by default', async () => {
    const { rows } = await contract.database.pool.query<{ usual: string }>(
      `select column_default as usual from information_schema.columns
       where table_name = 'stores' and column_name = 'lifetime_minutes'`,
    );
    expect(rows).toStrictEqual([{ usual: '30' }]);
  });

  test.each([9, 1441])('a store setting from 10 to 1,440: %i is refused', async (lifetimeMinutes) => {
    await expect(openStore(contract.database, { lifetimeMinutes })).rejects.toThrow('lifetime_minutes');
  });

  test('fixed at creation', async () => {
    const own = await openStore(contract.database, { lifetimeMinutes: 20 });
    const { data } = expectCreated(await create(contract, own));
    const before = expectFound(await lookup(contract, own.apiKey, data.trans_id));
    await contract.database.pool.query('update stores set lifetime_minutes = 60 where id = $1', [own.id]);
    expect(expectFound(await lookup(contract, own.apiKey, data.trans_id))).toStrictEqual(before);
    expect(expectCreated(await create(contract, own)).data.expires_in_minutes).toBe(60);
  });
});

test('a JSON answer is a download, which no browser shows as a page', async () => {
  const answers = [
    await create(contract, store),
    await lookup(contract, store.apiKey, 'x'),
    await call(contract, '/nowhere'),
  ];
  for (const { headers } of answers) expect(headers.get('content-disposition')).toBe('attachment; filename="api.json"');
});

describe('versioning of the contract', () => {
  test('header api-version, the same date on every response', async () => {
    const answers = [
      await create(contract, store),
      await lookup(contract, store.apiKey, 'x'),
      await call(contract, '/nowhere'),
      await sendBytes(contract, 'hello\r\n\r\n'),
    ];
    const versions = new Set(answers.map((answer) => answer.headers.get('api-version')));
    expect(versions.size).toBe(1);
  });
});

const openTrying = (own: TestStore) =>
  createTestStore(ringed(own), TESTER, {
    merchantAccountId: own.merchantAccountId,
    name: 'Trying',
    planCode: LIFTED_PLAN.code,
    discountPercent: '0',
    lifetimeMinutes: 30,
    httpsCallbacksOnly: false,
  });

describe('API key', () => {
  test('cf_live_ + shard + random + checksum', () => {
    expect(store.apiKey).toMatch(/^cf_live_[A-Z0-9][A-Za-z0-9]{31}[A-Za-z0-9]{6}$/);
  });

  test('a test store pays no fees, and its invoices are created without a balance', async () => {
    const own = await openStore(contract.database, {
      plan: { code: 'dear', feeRatePercent: '10' },
      creditMicroUsd: 0n,
    });
    const trying = await openTrying(own);
    expect((await create(contract, own)).status).toBe(402);
    const { data } = expectCreated(await create(contract, trying));
    expect(data.status).toBe('waiting');
  });

  test('the test mode is a separate store with a cf_test_ key', async () => {
    const own = await openStore(contract.database);
    const trying = await openTrying(own);
    expect(trying.apiKey).toMatch(/^cf_test_[A-Z0-9][A-Za-z0-9]{31}[A-Za-z0-9]{6}$/);
    const transId = expectCreated(await create(contract, own)).data.trans_id;
    const answer = await lookup(contract, trying.apiKey, transId);
    expectError(answer, 'INVOICE_NOT_FOUND', { details: { trans_id: transId } });
  });

  test('the shard stands first in the key and in the invoice code', async () => {
    const { data } = expectCreated(await create(contract, store));
    expect(data.trans_id.charAt(4)).toBe(store.apiKey.charAt(8));
  });

  test('SHA-256 for lookup, and no table holds the key itself', async () => {
    const { rows } = await contract.database.pool.query<{ hash: Buffer; row: string; sealed: Buffer }>(
      `select k.hash, k::text || s::text as row, s.sealed from api_keys k join secrets s on s.id = k.secret_id
       where k.store_id = $1`,
      [store.id],
    );
    const [row] = rows;
    expect(row?.hash).toStrictEqual(createHash('sha256').update(store.apiKey).digest());
    expect(row?.row).not.toContain(store.apiKey.slice(8));
    expect(row?.sealed.includes(store.apiKey)).toBe(false);
  });

  test('reveal is audited', async () => {
    const own = await openStore(contract.database);
    const reveals = { kind: 'operator', name: 'reveals' } as const;
    expect(await revealApiKey(ringed(own), reveals, { store: own.ref })).toBe(own.apiKey);
    const { rows } = await contract.database.pool.query('select subject from audit_entries where actor = $1', [
      'cli:reveals',
    ]);
    expect(rows).toStrictEqual([{ subject: `store:${own.id}` }]);
  });

  test('regenerate with an overlap in which both keys share the limits', async () => {
    const own = await openStore(contract.database, { plan: CONTRACT_PLAN });
    const apiKey = await issueApiKey(ringed(own), TESTER, { store: own.ref, overlapHours: 1 });
    await setWindows(contract.database, `s${own.id}`, 'create', { burstUsed: 0, sustainedUsed: 0 });
    const remaining = [
      rateHeaders(await create(contract, own)).remaining,
      rateHeaders(await create(contract, { ...own, apiKey })).remaining,
      rateHeaders(await create(contract, own)).remaining,
    ];
    expect(remaining).toStrictEqual(['4', '3', '2']);
  });
});
