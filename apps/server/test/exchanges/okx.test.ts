import { createHmac } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { startOkxServer } from '../../rig/exchanges/okx-server.ts';
import { createOkxSource } from '../../src/platforms/okx/okx-source.ts';
import type { AdapterSubject, World } from './adapter-rules.ts';
import { describeAdapter, failureOf, START_MS, useWorld } from './adapter-rules.ts';

const OKX: AdapterSubject = {
  platform: 'OKX',
  start: startOkxServer,
  create: createOkxSource,
  refusedRights: ['trade', 'withdraw', 'a_right_of_tomorrow'],
  precisionMs: 1,
  manyRows: 450,
};

const DEPOSITS = '/api/v5/asset/deposit-history';

describe('the adapter of OKX', () => {
  describeAdapter(OKX);
  const getWorld = useWorld(OKX);
  let world: World;
  beforeEach(() => {
    world = getWorld();
  });

  test('a key with another passphrase is refused for good', async () => {
    const { source, key } = world;
    const credentials = { ...key.credentials, passphrase: 'another one' };
    const failure = await failureOf(source.readKey({ ...key, credentials }));
    expect(failure).toMatchObject({ kind: 'unsupported', message: 'OKX refused with code 50105.' });
  });

  test('a key that may not read what arrived is told so', async () => {
    const { source, key, account, read } = world;
    account.revoke('read_only');
    account.grant('trade');
    expect(await source.readKey(key)).toMatchObject({ canRead: false, refusedRights: ['trade'] });
    expect((await failureOf(read())).message).toBe('OKX refused with code 50120.');
  });

  test('a payment is known by the number of the withdrawal that the payer sees', async () => {
    const { id, otherId } = world.fake.pay(world.account.uid, {
      token: 'USDT',
      amount: '1',
      from: 'pa***@example.com',
    });
    expect(otherId).not.toBe(id);
    expect((await world.read())[0]).toMatchObject({ id, otherId, from: 'pa***@example.com' });
  });

  test.each(['0', '8', '12', '13', '14', '17'])(
    'a payment in state %s is pending until it ends',
    async (platformState) => {
      const { fake, account, read } = world;
      const { id } = fake.pay(account.uid, { token: 'USDT', amount: '1', state: 'pending', platformState });
      expect(await read()).toMatchObject([{ id, state: 'pending' }]);
      fake.settle(id, 'final');
      expect(await read()).toMatchObject([{ id, state: 'final' }]);
    },
  );

  test('a busy account is read in one question, as long as a page reaches beyond the range', async () => {
    for (let place = 0; place < 150; place += 1)
      world.fake.pay(world.account.uid, { token: 'USDT', amount: '1', atMs: START_MS - place * 30_000 });
    expect(await world.read()).toHaveLength(21);
    expect(world.fake.counts().paths[DEPOSITS]).toBe(1);
  });

  test('a long read waits for its turn, and is not refused by the platform', async () => {
    for (let place = 0; place < 1_500; place += 1)
      world.fake.pay(world.account.uid, { token: 'USDT', amount: '1', atMs: START_MS - place });
    expect(await world.read()).toHaveLength(1_500);
    expect(world.fake.counts()).toMatchObject({ refused: 0 });
  });
});

type Sent = { query?: string; headers?: Record<string, string>; method?: string; secret?: string; atMs?: number };

describe('the fake of OKX', () => {
  const getWorld = useWorld(OKX);
  let world: World;
  beforeEach(() => {
    world = getWorld();
  });

  /** Signs by the documentation, without a line of the adapter. */
  async function send({ query = '', headers = {}, method = 'GET', secret, atMs = world.fake.nowMs() }: Sent = {}) {
    const { credentials } = world.account;
    const target = `${DEPOSITS}${query}`;
    const timestamp = new Date(atMs).toISOString();
    const sign = createHmac('sha256', secret ?? credentials.apiSecret).update(`${timestamp}GET${target}`);
    const response = await fetch(`${world.fake.url}${target}`, {
      method,
      headers: {
        'OK-ACCESS-KEY': credentials.apiKey,
        'OK-ACCESS-SIGN': sign.digest('base64'),
        'OK-ACCESS-TIMESTAMP': timestamp,
        'OK-ACCESS-PASSPHRASE': credentials.passphrase ?? '',
        ...headers,
      },
    });
    const { code, data } = (await response.json()) as { code: string; data: Record<string, string>[] };
    return { status: response.status, code, data };
  }

  const times = async (query: string) => (await send({ query })).data.map(({ ts }) => Number(ts) - START_MS);

  test.each<[string, Sent, number, string]>([
    ['no key', { headers: { 'OK-ACCESS-KEY': '' } }, 401, '50103'],
    ['no passphrase', { headers: { 'OK-ACCESS-PASSPHRASE': '' } }, 401, '50104'],
    ['another passphrase', { headers: { 'OK-ACCESS-PASSPHRASE': 'x' } }, 401, '50105'],
    ['no signature', { headers: { 'OK-ACCESS-SIGN': '' } }, 401, '50106'],
    ['no time', { headers: { 'OK-ACCESS-TIMESTAMP': '' } }, 401, '50107'],
    ['a time in milliseconds', { headers: { 'OK-ACCESS-TIMESTAMP': String(START_MS) } }, 401, '50112'],
    ['a time that is 31 seconds old', { atMs: START_MS - 31_000 }, 401, '50102'],
    ['a time of the future', { atMs: START_MS + 31_000 }, 401, '50102'],
    ['an unknown key', { headers: { 'OK-ACCESS-KEY': 'x' } }, 200, '50119'],
    ['another secret', { secret: 'x' }, 401, '50113'],
    ['another method', { method: 'POST' }, 405, '50115'],
    ['an unknown parameter', { query: '?cursor=1' }, 400, '51000'],
    ['a parameter twice', { query: '?limit=1&limit=2' }, 400, '51000'],
    ['a page that is too long', { query: '?limit=101' }, 400, '51000'],
    ['a time in seconds', { query: '?after=1794734000' }, 400, '51000'],
    ['an unknown type', { query: '?type=5' }, 400, '51000'],
  ])('refuses %s', async (_name, sent, status, code) => {
    expect(await send(sent)).toEqual({ status, code, data: [] });
    expect(world.fake.counts().refused).toBe(1);
  });

  test('accepts a time within 30 seconds', async () => {
    expect((await send({ atMs: START_MS - 30_000 })).code).toBe('0');
  });

  test('shows a hundred deposits, the newest first, and those before and after a time', async () => {
    for (let place = 0; place < 120; place += 1)
      world.fake.pay(world.account.uid, { token: 'USDT', amount: '1', atMs: START_MS - place });
    const newest = await times('?type=3');
    expect(newest).toHaveLength(100);
    expect(newest.slice(0, 3)).toEqual([0, -1, -2]);
    expect(await times(`?after=${START_MS - 118}`)).toEqual([-119]);
    expect(await times(`?before=${START_MS - 2}&limit=2`)).toEqual([0, -1]);
    expect(await times('?type=4')).toEqual([]);
  });

  test('bears six questions a second of an account', async () => {
    const codes = await Promise.all(Array.from({ length: 7 }, () => send()));
    expect(codes.filter(({ code }) => code === '50011')).toHaveLength(1);
    world.clock.advance(1_000);
    expect((await send()).code).toBe('0');
  });
});
