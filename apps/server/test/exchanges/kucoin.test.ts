import { createHmac } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { startKucoinServer } from '../../rig/exchanges/kucoin-server.ts';
import { createKucoinSource } from '../../src/platforms/kucoin/kucoin-source.ts';
import type { AdapterSubject, World } from './adapter-rules.ts';
import { describeAdapter, failureOf, START_MS, useWorld } from './adapter-rules.ts';

const KUCOIN: AdapterSubject = {
  platform: 'KUCOIN',
  start: startKucoinServer,
  create: createKucoinSource,
  refusedRights: ['Spot', 'Margin', 'Futures', 'InnerTransfer', 'Transfer', 'Earn', 'Tomorrow'],
  precisionMs: 1_000,
  manyRows: 620,
};

const DEPOSITS = '/api/v1/deposits';
const LEDGER = '/api/v1/accounts/ledgers';
const TRADING_LEDGER = '/api/v1/hf/accounts/ledgers';
/** The id of a deposit of 1 USDT at the start, until its ledger entry gives it one. */
const FACTS = `deposit USDT ${START_MS} 100000000`;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

describe('the adapter of KuCoin', () => {
  describeAdapter(KUCOIN);
  const getWorld = useWorld(KUCOIN);
  let world: World;
  beforeEach(() => {
    world = getWorld();
  });

  test('a key with another passphrase is refused for good', async () => {
    const { source, key } = world;
    const credentials = { ...key.credentials, passphrase: 'another one' };
    const failure = await failureOf(source.readKey({ ...key, credentials }));
    expect(failure).toMatchObject({ kind: 'unsupported', message: 'KuCoin refused with code 400004.' });
  });

  test('a key that may not read what arrived is told so', async () => {
    world.account.revoke('General');
    world.account.grant('Spot');
    expect(await world.source.readKey(world.key)).toMatchObject({ canRead: false, refusedRights: ['Spot'] });
    expect((await failureOf(world.read())).message).toBe('KuCoin refused with code 400007.');
  });

  test('a transfer to an address of the exchange account is a payment, as long as it stays inside of KuCoin', async () => {
    const { id } = world.fake.pay(world.account.uid, { token: 'USDT', amount: '1', way: 'second' });
    expect((await world.read()).map((row) => row.id)).toEqual([id]);
  });

  test('a deposit from a chain with the same amount takes no payment away, and is none', async () => {
    const atMs = START_MS - 1_000;
    world.fake.pay(world.account.uid, { token: 'USDT', amount: '1', way: 'chain', atMs });
    const { id } = world.fake.pay(world.account.uid, { token: 'USDT', amount: '1', atMs: START_MS });
    expect((await world.read()).map((row) => row.id)).toEqual([id]);
  });

  test('nor does one that was made before the payment and credited afterwards', async () => {
    const { fake, account, clock } = world;
    fake.pay(account.uid, { token: 'USDT', amount: '1', way: 'chain', creditAtMs: START_MS + 8 * MINUTE_MS });
    clock.advance(3 * MINUTE_MS);
    const { id } = fake.pay(account.uid, { token: 'USDT', amount: '1' });
    const row = { id, atMs: START_MS + 3 * MINUTE_MS, state: 'final' };
    expect(await world.read()).toMatchObject([row]);
    clock.advance(6 * MINUTE_MS);
    expect(await world.read()).toMatchObject([row]);
    // The deposit from the chain was made before this range and credited after it.
    expect(await world.read(START_MS + 2 * MINUTE_MS, START_MS + 4 * MINUTE_MS)).toMatchObject([row]);
  });

  test('while the ledger shows one entry for a payment and a deposit from a chain, the payment is unclear', async () => {
    const { fake, account, clock } = world;
    fake.pay(account.uid, { token: 'USDT', amount: '1', way: 'chain', creditAtMs: START_MS + 5 * MINUTE_MS });
    fake.pay(account.uid, {
      token: 'USDT',
      amount: '1',
      creditAtMs: START_MS + 5 * MINUTE_MS,
      ledgerDelayMs: MINUTE_MS,
    });
    clock.advance(5 * MINUTE_MS);
    const rows = await world.read();
    expect(rows.length).toBeGreaterThan(0);
    for (const { state } of rows) expect(state).toBe('unclear');
    clock.advance(MINUTE_MS);
    expect(await world.read()).toMatchObject([{ atMs: START_MS, state: 'final' }]);
  });

  test('a payment that is held for ninety minutes is pending at the time at which it was sent, and final there at last', async () => {
    const { fake, account, clock } = world;
    const { id } = fake.pay(account.uid, {
      token: 'USDT',
      amount: '1',
      creditAtMs: START_MS + 90 * MINUTE_MS,
      ledgerDelayMs: 30_000,
    });
    const range = [START_MS - MINUTE_MS, START_MS + MINUTE_MS] as const;
    const row = { provisionalId: FACTS, atMs: START_MS, units: 100_000_000n };
    for (const minutes of [1, 30]) {
      clock.advance(minutes * MINUTE_MS - 2_000);
      expect(await world.read(...range)).toMatchObject([{ ...row, id: FACTS, state: 'pending' }]);
    }
    clock.advance(59 * MINUTE_MS - 2_000);
    expect(await world.read(...range)).toMatchObject([{ ...row, id: FACTS, state: 'unclear' }]);
    clock.advance(28_000);
    expect(await world.read(...range)).toMatchObject([{ ...row, id, state: 'final' }]);
  });

  test.each([6, 30, 89])(
    'a payment that is held for %s days is final at the time at which it was sent',
    async (days) => {
      const { fake, account, clock } = world;
      fake.pay(account.uid, { token: 'USDT', amount: '2', atMs: START_MS + DAY_MS });
      const { id } = fake.pay(account.uid, { token: 'USDT', amount: '1', creditAtMs: START_MS + days * DAY_MS });
      clock.advance(days * DAY_MS + MINUTE_MS);
      expect(await world.read(START_MS - 1_000, START_MS + 1_000)).toMatchObject([
        { id, provisionalId: FACTS, atMs: START_MS, state: 'final' },
      ]);
      expect(fake.counts().refused).toBe(0);
    },
  );

  test('a payment that is credited to the trading account has its id from the ledger there', async () => {
    const { fake, account } = world;
    const { id } = fake.pay(account.uid, { token: 'USDT', amount: '1', toTrading: true });
    expect(await world.read()).toMatchObject([{ id, provisionalId: FACTS, atMs: START_MS, state: 'final' }]);
    expect(fake.counts().paths[TRADING_LEDGER]).toBe(1);
  });

  test('a payment that no ledger shows any more is unclear', async () => {
    const { fake, account, clock } = world;
    fake.pay(account.uid, { token: 'USDT', amount: '1', toTrading: true });
    clock.advance(4 * DAY_MS);
    expect(await world.read(START_MS, START_MS)).toMatchObject([{ id: FACTS, units: 100_000_000n, state: 'unclear' }]);
    expect(fake.counts().paths).not.toHaveProperty(TRADING_LEDGER);
  });

  test('a key of version 2 is read, and asked for as such from its second request on', async () => {
    const { account, source, key, fake } = world;
    account.change({ version: 2 });
    expect(await source.readKey(key)).toMatchObject({ account: account.uid, canRead: true });
    expect(fake.counts().refused).toBe(1);
    await world.read();
    expect(fake.counts().refused).toBe(1);
    account.change({ version: 3 });
    await world.read();
    expect(fake.counts().refused).toBe(2);
  });

  test('a key that is refused in both versions is refused for good', async () => {
    world.account.change({ version: 4 });
    expect((await failureOf(world.read())).kind).toBe('unsupported');
  });

  test('a credited payment that the ledger never shows stays unclear', async () => {
    world.fake.pay(world.account.uid, { token: 'USDT', amount: '1', ledgerDelayMs: 365 * DAY_MS });
    for (const minutes of [0, 11, 600]) {
      world.clock.advance(minutes * MINUTE_MS);
      expect(await world.read(START_MS, START_MS)).toMatchObject([{ atMs: START_MS, state: 'unclear' }]);
    }
  });

  test('a payment that failed after it was held is shown as failed', async () => {
    const { id } = world.fake.pay(world.account.uid, { token: 'USDT', amount: '1', state: 'pending' });
    expect(await world.read()).toMatchObject([{ id: FACTS, state: 'pending' }]);
    world.fake.settle(id, 'failed');
    expect(await world.read()).toMatchObject([{ id: FACTS, state: 'failed' }]);
  });

  test('of two payments with the same facts one may fail while the other is pending', async () => {
    const ids = [1, 2].map(
      () => world.fake.pay(world.account.uid, { token: 'USDT', amount: '1', state: 'pending' }).id,
    );
    for (const id of ids) {
      expect(await world.read()).toMatchObject([{ id: FACTS, state: 'pending' }]);
      world.fake.settle(id, 'failed');
    }
    expect(await world.read()).toMatchObject([{ id: FACTS, state: 'failed' }]);
  });

  test('a key whose list of addresses lacks ours is refused, and other keys are still read', async () => {
    const { account, fake, source, pauses } = world;
    account.change({ refusesAddress: true });
    expect(await failureOf(world.read())).toMatchObject({ kind: 'unsupported' });
    expect(pauses).toEqual([]);
    const other = { baseUrl: fake.url, credentials: fake.openAccount().credentials };
    expect(await source.readStatement(other, START_MS, START_MS)).toEqual([]);
  });

  test('a payment takes four questions: two coins, what was deposited before it, and the ledger', async () => {
    world.fake.pay(world.account.uid, { token: 'USDT', amount: '1' });
    await world.read();
    expect(world.fake.counts().paths).toMatchObject({ [DEPOSITS]: 3, [LEDGER]: 1 });
  });

  test('a limit of our address in the words of a code alone stops every exchange account of the process', async () => {
    const { fake, read, pauses } = world;
    fake.misbehave({ kind: 'rate', by: 'address', part: 'statement', times: 1 });
    expect(await failureOf(read())).toMatchObject({ kind: 'rate', retryAfterMs: 30_000 });
    expect(pauses).toMatchObject([{ baseUrl: fake.url, account: undefined }]);
  });

  test('two payments of one amount in one second are two rows', async () => {
    const ids = [1, 2].map(() => world.fake.pay(world.account.uid, { token: 'USDT', amount: '1' }).id);
    expect((await world.read()).map(({ id }) => id).sort()).toEqual(ids.sort());
  });

  test('an exchange account without internal deposits is not asked for its ledger', async () => {
    world.fake.pay(world.account.uid, { token: 'USDT', amount: '1', way: 'chain' });
    await world.read();
    expect(world.fake.counts().paths).not.toHaveProperty(LEDGER);
    expect(world.fake.counts().paths[DEPOSITS]).toBe(2);
  });

  test('a range of several days is read, though the ledger answers for one', async () => {
    const ages = [0, 1, 2, 3, 4];
    for (const days of ages)
      world.fake.pay(world.account.uid, { token: 'USDT', amount: '1', atMs: START_MS - days * DAY_MS });
    expect(await world.read(START_MS - 4 * DAY_MS, START_MS)).toHaveLength(ages.length);
    expect(world.fake.counts().refused).toBe(0);
  });

  test('an address that asks too often is left alone for half a minute, with all its accounts', async () => {
    const { fake, source, read, clock, pauses } = world;
    fake.misbehave({ kind: 'ban', retryAfterSeconds: 1, part: 'statement', times: 1 });
    expect((await failureOf(read())).retryAfterMs).toBe(30_000);
    expect(pauses).toMatchObject([{ baseUrl: fake.url, account: undefined }]);
    const { requests } = fake.counts();
    const other = { baseUrl: fake.url, credentials: fake.openAccount().credentials };
    clock.advance(29_000);
    expect((await failureOf(source.readStatement(other, START_MS, START_MS))).kind).toBe('rate');
    expect(fake.counts().requests).toBe(requests);
  });
});

type Sent = { query?: string; headers?: Record<string, string>; method?: string; secret?: string; atMs?: number };

describe('the fake of KuCoin', () => {
  const getWorld = useWorld(KUCOIN);
  let world: World;
  beforeEach(() => {
    world = getWorld();
  });

  /** Signs by the documentation, without a line of the adapter. */
  async function send(path: string, { query = '', headers = {}, method = 'GET', secret, atMs }: Sent = {}) {
    const { apiKey, apiSecret, passphrase = '' } = world.account.credentials;
    const sign = (text: string) =>
      createHmac('sha256', secret ?? apiSecret)
        .update(text)
        .digest('base64');
    const timestamp = String(atMs ?? world.fake.nowMs());
    const response = await fetch(`${world.fake.url}${path}${query}`, {
      method,
      headers: {
        'KC-API-KEY': apiKey,
        'KC-API-SIGN': sign(`${timestamp}GET${path}${query}`),
        'KC-API-TIMESTAMP': timestamp,
        'KC-API-PASSPHRASE': createHmac('sha256', apiSecret).update(passphrase).digest('base64'),
        'KC-API-KEY-VERSION': '3',
        ...headers,
      },
    });
    const { code, data } = (await response.json()) as {
      code: string;
      data?: { totalNum: number; totalPage: number; items: Record<string, unknown>[] };
    };
    return { status: response.status, code, data };
  }

  const USDT = '?currency=USDT';
  const LONG = `?startAt=${START_MS - DAY_MS - 1}&endAt=${START_MS}`;
  test.each<[string, string, Sent, number, string]>([
    ['no key', DEPOSITS, { query: USDT, headers: { 'KC-API-KEY': '' } }, 401, '400001'],
    ['no passphrase', DEPOSITS, { query: USDT, headers: { 'KC-API-PASSPHRASE': '' } }, 401, '400001'],
    ['a time that is five seconds old', DEPOSITS, { query: USDT, atMs: START_MS - 5_000 }, 401, '400002'],
    ['a time of the future', DEPOSITS, { query: USDT, atMs: START_MS + 5_000 }, 401, '400002'],
    ['an unknown key', DEPOSITS, { query: USDT, headers: { 'KC-API-KEY': 'x' } }, 401, '400003'],
    ['a passphrase in plain text', DEPOSITS, { query: USDT, headers: { 'KC-API-PASSPHRASE': 'x' } }, 401, '400004'],
    ['another secret', DEPOSITS, { query: USDT, secret: 'x' }, 401, '400005'],
    ['another version of keys', DEPOSITS, { query: USDT, headers: { 'KC-API-KEY-VERSION': '2' } }, 401, '400009'],
    ['another method', DEPOSITS, { query: USDT, method: 'POST' }, 405, '400100'],
    ['no coin', DEPOSITS, {}, 400, '400100'],
    ['an unknown parameter', DEPOSITS, { query: `${USDT}&limit=10` }, 400, '400100'],
    ['a page that is too long', DEPOSITS, { query: `${USDT}&pageSize=501` }, 400, '400100'],
    ['a page that is too short', LEDGER, { query: '?pageSize=9' }, 400, '400100'],
    ['more than a day of the ledger', LEDGER, { query: LONG }, 400, '400100'],
    ['too many entries of the trading account', TRADING_LEDGER, { query: '?limit=201' }, 400, '400100'],
    ['an unknown path', '/api/v1/withdrawals', {}, 404, '404000'],
  ])('refuses %s', async (_name, path, sent, status, code) => {
    expect(await send(path, sent)).toMatchObject({ status, code });
    expect(world.fake.counts().refused).toBe(1);
  });

  test('shows fifty deposits on a page, the newest first, with the number of all', async () => {
    for (let place = 0; place < 60; place += 1)
      world.fake.pay(world.account.uid, { token: 'USDT', amount: String(place + 1), atMs: START_MS - place * 1_000 });
    const first = await send(DEPOSITS, { query: USDT });
    expect(first.data).toMatchObject({ totalNum: 60, totalPage: 2 });
    expect(first.data?.items).toHaveLength(50);
    expect(first.data?.items[0]).toMatchObject({ amount: '1', isInner: true, walletTxId: null });
    const second = await send(DEPOSITS, { query: `${USDT}&currentPage=2` });
    expect(second.data?.items.map(({ amount }) => amount)).toEqual(
      Array.from({ length: 10 }, (_, place) => `${place + 51}`),
    );
  });

  test('books what is credited, and nothing else', async () => {
    const { id } = world.fake.pay(world.account.uid, { token: 'USDT', amount: '1', state: 'pending' });
    expect((await send(LEDGER)).data?.items).toEqual([]);
    world.fake.settle(id, 'final');
    expect((await send(LEDGER)).data?.items).toMatchObject([{ id, bizType: 'Deposit', direction: 'in' }]);
    expect((await send(LEDGER, { query: '?direction=out' })).data?.items).toEqual([]);
  });

  test('books a deposit when it is credited, which also moves the time of its last change', async () => {
    const creditAtMs = START_MS + 8 * MINUTE_MS;
    world.fake.pay(world.account.uid, { token: 'USDT', amount: '1', creditAtMs, ledgerDelayMs: MINUTE_MS });
    const shown = async () => (await send(DEPOSITS, { query: USDT })).data?.items;
    expect(await shown()).toMatchObject([{ status: 'PROCESSING', createdAt: START_MS, updatedAt: START_MS }]);
    world.clock.advance(8 * MINUTE_MS);
    expect(await shown()).toMatchObject([{ status: 'SUCCESS', createdAt: START_MS, updatedAt: creditAtMs }]);
    expect((await send(LEDGER)).data?.items).toEqual([]);
    world.clock.advance(MINUTE_MS);
    expect((await send(LEDGER)).data?.items).toMatchObject([{ createdAt: creditAtMs }]);
  });

  test('bears a weight of 2,000 in half a minute of an account', async () => {
    const answers = await Promise.all(Array.from({ length: 101 }, () => send('/api/v1/user/api-key')));
    expect(answers.filter(({ code }) => code === '429000')).toHaveLength(1);
  });

  test('blocks an address that asks more than 500 times in ten seconds', async () => {
    const answers = await Promise.all(Array.from({ length: 501 }, () => fetch(`${world.fake.url}/api/v1/timestamp`)));
    expect(answers.filter(({ status }) => status === 403)).toHaveLength(1);
    world.clock.advance(30_000);
    expect((await send(LEDGER)).status).toBe(200);
  });
});
