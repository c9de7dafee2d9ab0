import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startBinanceServer } from '../../rig/exchanges/binance-server.ts';
import type { FakeAccount, FakeExchange } from '../../rig/exchanges/fake-exchange.ts';
import type { ManualClock } from '../../src/lib/clock.ts';
import { createManualClock } from '../../src/lib/clock.ts';

/** The fake of Binance refuses what Binance refuses: else a wrong adapter would pass its tests. */

const START_MS = 1_794_734_000_000;
const PAY = '/sapi/v1/pay/transactions';
const DEPOSITS = '/sapi/v1/capital/deposit/hisrec';

let clock: ManualClock;
let exchange: FakeExchange;
let account: FakeAccount;

beforeEach(async () => {
  clock = createManualClock(START_MS);
  exchange = await startBinanceServer({ clock });
  account = exchange.openAccount();
});
afterEach(() => exchange.stop());

const hmac = (text: string, secret: string) => createHmac('sha256', secret).update(text).digest('hex');

async function send(path: string, query: string, apiKey = account.credentials.apiKey) {
  const response = await fetch(`${exchange.url}${path}?${query}`, { headers: { 'X-MBX-APIKEY': apiKey } });
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as { code?: number | string },
  };
}

/** Sends a query that is signed as the documentation says. */
const ask = (query: string, path = PAY) =>
  send(path, `${query}&signature=${hmac(query, account.credentials.apiSecret)}`);

const at = (ms: number) => `timestamp=${START_MS + ms}`;
const now = () => `timestamp=${clock.nowMs()}`;

test('a request by the documentation is answered', async () => {
  expect(await ask(now())).toMatchObject({ status: 200, body: { code: '000000', success: true, data: [] } });
  const upper = hmac(now(), account.credentials.apiSecret).toUpperCase();
  expect((await send(PAY, `${now()}&signature=${upper}`)).status).toBe(200);
});

describe('refused are', () => {
  test.each([
    ['a wrong signature', () => send(PAY, `${now()}&signature=${hmac('x', account.credentials.apiSecret)}`), -1022],
    ['the secret of another account', () => send(PAY, `${now()}&signature=${hmac(now(), 'other')}`), -1022],
    ['a signature that is not the last parameter', () => send(PAY, `signature=${'0'.repeat(64)}&${now()}`), -1022],
    ['no signature', () => send(PAY, now()), -1102],
    ['no timestamp', () => ask('limit=5'), -1102],
    ['a time that is too old', () => ask(at(-5_001)), -1021],
    ['a time that is one second ahead', () => ask(at(1_000)), -1021],
    ['a time outside of the window that was sent', () => ask(`${at(-1_001)}&recvWindow=1000`), -1021],
    ['a window that is too wide', () => ask(`${now()}&recvWindow=60001`), -1102],
    ['a parameter that the endpoint does not know', () => ask(`${now()}&page=2`), -1104],
    ['a parameter of another endpoint', () => ask(`${now()}&offset=2`), -1104],
    ['a parameter that is sent twice', () => ask(`${now()}&limit=1&limit=2`), -1101],
    ['an empty parameter', () => ask(`${now()}&limit=`), -1105],
    ['more rows than a page has', () => ask(`${now()}&limit=101`), -1130],
    ['a range that ends before it begins', () => ask(`${now()}&startTime=9&endTime=8`), -1130],
    [
      'a range of more than 90 days',
      () => ask(`${now()}&startTime=${START_MS - 91 * 86_400_000}&endTime=${START_MS}`),
      -1127,
    ],
    ['a key that is not known', () => send(PAY, `${now()}&signature=${'0'.repeat(64)}`, 'unknown'), -2015],
    ['a key that is no key', () => send(PAY, `${now()}&signature=${'0'.repeat(64)}`, 'no key'), -2014],
    ['parameters of the time', () => send('/api/v3/time', 'x=1'), -1101],
  ])('%s', async (_, request, code) => {
    const { status, body } = await request();
    expect(body).toMatchObject({ code });
    expect(status).toBe(code <= -2000 ? 401 : 400);
    expect(exchange.counts().refused).toBe(1);
  });
});

test('the edges of the time window are those of the documentation', async () => {
  expect((await ask(`timestamp=${START_MS - 5_000}`)).status).toBe(200);
  expect((await ask(`timestamp=${START_MS + 999}`)).status).toBe(200);
  exchange.skew(60_000);
  expect((await ask(now())).body.code).toBe(-1021);
});

test('sixty requests of one account a minute are served, then 429, then the address is banned for everybody', async () => {
  for (let count = 0; count < 60; count += 1) expect((await ask(now())).status).toBe(200);
  const refused = await ask(now());
  expect(refused).toMatchObject({ status: 429, body: { code: -1003 } });
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await ask(now(), DEPOSITS)).status).toBe(200);
  for (let count = 0; count < 3; count += 1) expect((await ask(now())).status).toBe(429);
  expect(await ask(now())).toMatchObject({ status: 418, body: { code: -1003 } });
  expect((await send('/api/v3/time', '')).status).toBe(418);
  clock.advance(120_000);
  expect((await ask(now())).status).toBe(200);
  expect(exchange.counts().bans).toBe(2);
});

test('Pay answers with the oldest hundred rows and has no pages; deposits have an offset', async () => {
  for (let count = 0; count < 130; count += 1) {
    exchange.pay(account.uid, { token: 'USDT', amount: '1', atMs: START_MS - count });
    exchange.pay(account.uid, { token: 'USDT', amount: '1', atMs: START_MS - count, way: 'second' });
  }
  const { body } = (await ask(now())) as unknown as { body: { data: { transactionTime: number }[] } };
  expect(body.data).toHaveLength(100);
  expect(body.data[0]?.transactionTime).toBe(START_MS - 129);
  const deposits = (await ask(`${now()}&limit=100&offset=100`, DEPOSITS)) as unknown as { body: unknown[] };
  expect(deposits.body).toHaveLength(30);
  expect(exchange.counts()).toMatchObject({ rows: 130, duplicates: 0, lateRows: 0 });
});
