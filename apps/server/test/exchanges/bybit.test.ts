import { createHmac } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { startBybitServer } from '../../rig/exchanges/bybit-server.ts';
import type { FakeFault } from '../../rig/exchanges/fake-exchange.ts';
import { createBybitSource } from '../../src/platforms/bybit/bybit-source.ts';
import type { AdapterSubject, World } from './adapter-rules.ts';
import { describeAdapter, failureOf, START_MS, useWorld } from './adapter-rules.ts';

const BYBIT: AdapterSubject = {
  platform: 'BYBIT',
  start: startBybitServer,
  create: createBybitSource,
  refusedRights: ['readOnly=0', 'Wallet.Withdraw', 'Wallet.Tomorrow', 'Tomorrow.Everything'],
  precisionMs: 1_000,
  manyRows: 170,
};

const DEPOSITS = '/v5/asset/deposit/query-internal-record';
const DAY_MS = 86_400_000;

describe('the adapter of Bybit', () => {
  describeAdapter(BYBIT);
  const getWorld = useWorld(BYBIT);
  let world: World;
  beforeEach(() => {
    world = getWorld();
  });

  test('a key that may not read what arrived is told so', async () => {
    world.account.revoke('Wallet.AccountTransfer');
    expect(await world.source.readKey(world.key)).toMatchObject({ canRead: false, refusedRights: [] });
    expect((await failureOf(world.read())).message).toBe('Bybit refused with code 10005.');
  });

  test('a key that may write is refused with everything that it may write', async () => {
    world.account.grant('readOnly=0');
    const { refusedRights } = await world.source.readKey(world.key);
    expect(refusedRights).toEqual(['readOnly=0', 'Wallet.AccountTransfer', 'Wallet.SubMemberTransfer']);
  });

  test('the end of a key is told, and a key without an end has none', async () => {
    expect((await world.source.readKey(world.key)).expiresAtMs).toBeUndefined();
    world.clock.advance(2_000);
    world.account.change({ expiresAtMs: START_MS + 90 * DAY_MS });
    expect((await world.source.readKey(world.key)).expiresAtMs).toBe(START_MS + 90 * DAY_MS);
  });

  test('a payment is known by the number of the transaction that the payer sees', async () => {
    const { id, otherId } = world.fake.pay(world.account.uid, {
      token: 'USDT',
      amount: '1',
      from: 'pa***@example.com',
    });
    expect(otherId).not.toBe(id);
    expect((await world.read())[0]).toMatchObject({ id, otherId, from: 'pa***@example.com' });
  });

  test('a range of three months is read, though the platform answers for one', async () => {
    const ages = [0, 20, 29, 30, 31, 58, 59, 60, 89];
    for (const days of ages)
      world.fake.pay(world.account.uid, { token: 'USDT', amount: '1', atMs: START_MS - days * DAY_MS });
    expect(await world.read(START_MS - 89 * DAY_MS, START_MS)).toHaveLength(ages.length);
    expect(world.fake.counts().refused).toBe(0);
  });

  test('a payment is shown at the whole second of its time', async () => {
    world.fake.pay(world.account.uid, { token: 'USDT', amount: '1', atMs: START_MS - 1 });
    expect((await world.read())[0]?.atMs).toBe(START_MS - 1_000);
  });

  test.each<[string, FakeFault]>([
    ['a ban of our address', { kind: 'ban', retryAfterSeconds: 1 }],
    ['a limit of our address', { kind: 'rate', by: 'address' }],
  ])('%s stops every exchange account of the process for ten minutes', async (_name, fault) => {
    const { fake, source, read, clock, pauses } = world;
    fake.misbehave({ ...fault, part: 'statement', times: 1 });
    expect((await failureOf(read())).retryAfterMs).toBe(600_000);
    expect(pauses).toMatchObject([{ baseUrl: fake.url, account: undefined }]);
    const { requests } = fake.counts();
    const other = { baseUrl: fake.url, credentials: fake.openAccount().credentials };
    clock.advance(599_000);
    expect((await failureOf(source.readStatement(other, START_MS, START_MS))).kind).toBe('rate');
    expect(fake.counts().requests).toBe(requests);
    clock.advance(1_000);
    expect(await source.readStatement(other, START_MS, START_MS)).toEqual([]);
  });

  test('all accounts together take turns, so that the platform never refuses our address', async () => {
    const { fake, source, clock } = world;
    const keys = Array.from({ length: 100 }, () => ({
      baseUrl: fake.url,
      credentials: fake.openAccount().credentials,
    }));
    const reads = keys.flatMap((key) => Array.from({ length: 4 }, () => key));
    const startedMs = clock.nowMs();
    for (const key of reads) expect(await source.readStatement(key, START_MS - 60_000, START_MS - 30_000)).toEqual([]);
    expect(fake.counts()).toMatchObject({ bans: 0, refused: 0 });
    // 90 a second are three quarters of the quota, and a process that has just begun has few without waiting.
    expect(clock.nowMs() - startedMs).toBeGreaterThan(4_000);
  });
});

type Sent = { query?: string; headers?: Record<string, string>; method?: string; secret?: string; atMs?: number };

describe('the fake of Bybit', () => {
  const getWorld = useWorld(BYBIT);
  let world: World;
  beforeEach(() => {
    world = getWorld();
  });

  /** Signs by the documentation, without a line of the adapter. */
  async function send({ query = '', headers = {}, method = 'GET', secret, atMs = world.fake.nowMs() }: Sent = {}) {
    const { apiKey, apiSecret } = world.account.credentials;
    const sign = createHmac('sha256', secret ?? apiSecret).update(`${atMs}${apiKey}5000${query}`);
    const response = await fetch(`${world.fake.url}${DEPOSITS}?${query}`, {
      method,
      headers: {
        'X-BAPI-API-KEY': apiKey,
        'X-BAPI-TIMESTAMP': String(atMs),
        'X-BAPI-RECV-WINDOW': '5000',
        'X-BAPI-SIGN': sign.digest('hex'),
        ...headers,
      },
    });
    const { retCode, result } = (await response.json()) as {
      retCode?: number;
      result?: { rows?: { id: string }[]; nextPageCursor?: string };
    };
    return { status: response.status, retCode, result };
  }

  test.each<[string, Sent, number, number | undefined]>([
    ['no key', { headers: { 'X-BAPI-API-KEY': '' } }, 401, undefined],
    ['no signature', { headers: { 'X-BAPI-SIGN': '' } }, 401, undefined],
    ['no time', { headers: { 'X-BAPI-TIMESTAMP': '' } }, 401, undefined],
    ['a time in seconds', { headers: { 'X-BAPI-TIMESTAMP': '1794734000' } }, 200, 10_001],
    ['a time before its window', { atMs: START_MS - 5_001 }, 200, 10_002],
    ['a time a second ahead', { atMs: START_MS + 1_000 }, 200, 10_002],
    ['an unknown key', { headers: { 'X-BAPI-API-KEY': 'x' } }, 200, 10_003],
    ['another secret', { secret: 'x' }, 200, 10_004],
    ['another method', { method: 'POST' }, 400, undefined],
    ['an unknown parameter', { query: 'page=1' }, 200, 10_001],
    ['a parameter twice', { query: 'limit=1&limit=2' }, 200, 10_001],
    ['a page that is too long', { query: 'limit=51' }, 200, 10_001],
    ['a span of 31 days', { query: `startTime=${START_MS - 31 * DAY_MS}&endTime=${START_MS}` }, 200, 10_001],
    ['a cursor that it did not give', { query: 'cursor=abc' }, 200, 10_001],
  ])('refuses %s', async (_name, sent, status, retCode) => {
    expect(await send(sent)).toMatchObject({ status, ...(retCode === undefined ? {} : { retCode }) });
    expect(world.fake.counts().refused).toBe(1);
  });

  test('accepts a time at the end of its window', async () => {
    expect((await send({ atMs: START_MS - 5_000 })).retCode).toBe(0);
    expect((await send({ atMs: START_MS + 999 })).retCode).toBe(0);
  });

  test('shows fifty records, the newest first, and the others behind its cursor', async () => {
    for (let place = 0; place < 60; place += 1)
      world.fake.pay(world.account.uid, { token: 'USDT', amount: '1', atMs: START_MS - 1_000 });
    const first = await send();
    expect(first.result?.rows).toHaveLength(50);
    const second = await send({ query: `cursor=${first.result?.nextPageCursor}` });
    expect(second.result?.rows).toHaveLength(10);
    const third = await send({ query: `cursor=${second.result?.nextPageCursor}` });
    expect(third.result).toEqual({ rows: [], nextPageCursor: '' });
  });

  test('bans an address that asks more than 600 times in five seconds', async () => {
    const answers = await Promise.all(Array.from({ length: 601 }, () => fetch(`${world.fake.url}/v5/market/time`)));
    expect(answers.filter(({ status }) => status === 403)).toHaveLength(1);
    world.clock.advance(599_000);
    expect((await send()).status).toBe(403);
    world.clock.advance(1_000);
    expect((await send()).status).toBe(200);
    expect(world.fake.counts().bans).toBe(2);
  });

  test('bears 300 questions a second of an account', async () => {
    const answers = await Promise.all(Array.from({ length: 301 }, () => send()));
    expect(answers.filter(({ retCode }) => retCode === 10_006)).toHaveLength(1);
  });
});
