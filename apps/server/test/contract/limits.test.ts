import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { createApiKeyText } from '../../src/stores/api-key.ts';
import { issueApiKey } from '../../src/stores/issue-api-key.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { CONTRACT_PLAN, openStore, TESTER } from '../../rig/stores/open-store.ts';
import { startApi } from '../../rig/processes/server-process.ts';
import type { Answer, Contract, LimitedEndpoint } from './contract-client.ts';
import {
  call,
  create,
  createWritten,
  expectError,
  expectFound,
  expectInvalid,
  expectLimited,
  forgetWindows,
  lookup,
  openContract,
  rateHeaders,
  setWindows,
} from './contract-client.ts';

let contract: Contract;

beforeAll(async () => {
  contract = await openContract({ COUNTERFOIL_TRUSTED_PROXIES: '127.0.0.1/32' });
});
beforeEach(() => forgetWindows(contract.database));
afterAll(() => contract.close());

const TRANS_ID = 'TID-AAAAAAAAAAAAAAAA';
const openLimited = () => openStore(contract.database, { plan: CONTRACT_PLAN });
const bucketOf = (store: TestStore) => `s${store.id}`;

type Endpoint = {
  endpoint: LimitedEndpoint;
  title: string;
  burst: number;
  sustained: number;
  /** Status of an admitted call. */
  passes: number;
  ask: (store: TestStore) => Promise<Answer>;
  askFrom: (address: string | undefined, key?: string) => Promise<Answer>;
};

const from = (address: string | undefined) => (address === undefined ? {} : { 'x-forwarded-for': address });

const ENDPOINTS: Endpoint[] = [
  {
    endpoint: 'create',
    title: 'POST /payment/crypto',
    burst: 5,
    sustained: 60,
    passes: 200,
    ask: (store) => create(contract, store),
    askFrom: (address, key) => createWritten(contract, key, '{}', from(address)),
  },
  {
    endpoint: 'lookup',
    title: 'GET /invoice/:trans_id',
    burst: 20,
    sustained: 200,
    passes: 404,
    ask: (store) => lookup(contract, store.apiKey, TRANS_ID),
    askFrom: (address, key) => lookup(contract, key, TRANS_ID, from(address)),
  },
];

async function times(count: number, ask: () => Promise<Answer>): Promise<Answer[]> {
  const answers: Answer[] = [];
  while (answers.length < count) answers.push(await ask());
  return answers;
}

describe.each(ENDPOINTS)('$title', ({ endpoint, burst, sustained, passes, ask, askFrom }) => {
  /** Starts both windows and keeps them open, however slow the machine is. */
  async function openWindows(bucket: string, burstUsed = 0, sustainedUsed = 0) {
    await setWindows(contract.database, bucket, endpoint, { burstUsed, sustainedUsed });
  }

  test(`burst | ${burst} requests/second pass and the next is refused`, async () => {
    const store = await openLimited();
    await openWindows(bucketOf(store));
    const answers = await times(burst, () => ask(store));
    expect(answers.map(({ status }) => status)).toStrictEqual(Array.from({ length: burst }, () => passes));
    expectLimited(await ask(store), endpoint, 'burst');
  });

  test(`burst | of ${burst + 3} requests at once exactly ${burst} pass`, async () => {
    const store = await openLimited();
    await openWindows(bucketOf(store));
    const answers = await Promise.all(Array.from({ length: burst + 3 }, () => ask(store)));
    const refused = answers.filter(({ status }) => status !== passes);
    expect(refused).toHaveLength(3);
    for (const answer of refused) expectLimited(answer, endpoint, 'burst');
  });

  /** Whole seconds until the minute of a bucket ends, by the database's clock. */
  async function secondsLeft(bucket: string): Promise<number> {
    const { rows } = await contract.database.pool.query<{ started: Date; read: Date }>(
      'select sustained_started_at as started, clock_timestamp() as read from admissions where bucket = $1 and endpoint = $2',
      [bucket, endpoint],
    );
    const [window = { started: new Date(0), read: new Date(0) }] = rows;
    return Math.ceil(60 - (window.read.getTime() - window.started.getTime()) / 1000);
  }

  test('burst | the next second passes again', async () => {
    const store = await openLimited();
    await setWindows(contract.database, bucketOf(store), endpoint, { burstUsed: burst, sustainedUsed: 5, burstAge: 1 });
    expect((await ask(store)).status).toBe(passes);
  });

  test(`sustained | request ${sustained} of a minute passes and the next is refused`, async () => {
    const store = await openLimited();
    await openWindows(bucketOf(store), 0, sustained - 1);
    expect((await ask(store)).status).toBe(passes);
    expectLimited(await ask(store), endpoint, 'sustained');
  });

  test('sustained | the next minute passes again', async () => {
    const store = await openLimited();
    const windows = { burstUsed: 0, sustainedUsed: sustained, sustainedAge: 60 };
    await setWindows(contract.database, bucketOf(store), endpoint, windows);
    expect((await ask(store)).status).toBe(passes);
  });

  test('both controls at once | a burst refusal leaves the minute alone', async () => {
    const store = await openLimited();
    await openWindows(bucketOf(store), burst, sustained - 3);
    for (const answer of await times(4, () => ask(store))) expectLimited(answer, endpoint, 'burst');
    await contract.database.pool.query(`update admissions set burst_started_at = now() - interval '1 second'`);
    const next = await ask(store);
    expect(next.status).toBe(passes);
    expect(rateHeaders(next)).toMatchObject({ limit: String(sustained), remaining: '2' });
  });

  test('exceeded 1 | HTTP 429 RATE_LIMIT_EXCEEDED with limit_type and retry_after_seconds at top level', async () => {
    const store = await openLimited();
    await openWindows(bucketOf(store), burst);
    const answer = await ask(store);
    expect(answer.status).toBe(429);
    const keys = ['error_code', 'limit_type', 'message', 'retry_after_seconds', 'status'];
    expect(Object.keys(JSON.parse(answer.text) as object).toSorted()).toStrictEqual(keys);
  });

  test('exceeded | burst: too many requests per second, retry_after_seconds is 1', async () => {
    const store = await openLimited();
    await openWindows(bucketOf(store), burst);
    expectLimited(await ask(store), endpoint, 'burst');
  });

  test(`exceeded | sustained: the maximum is ${sustained} requests per minute, retry_after_seconds is 60`, async () => {
    const store = await openLimited();
    await openWindows(bucketOf(store), 0, sustained);
    expectLimited(await ask(store), endpoint, 'sustained');
  });

  test('exceeded | retry_after_seconds is constant, RateLimit-Reset is the rest of the window', async () => {
    const store = await openLimited();
    const windows = { burstUsed: 0, sustainedUsed: sustained, sustainedAge: 50 };
    await setWindows(contract.database, bucketOf(store), endpoint, windows);
    const answer = await ask(store);
    expectLimited(answer, endpoint, 'sustained');
    const { reset, ...counted } = rateHeaders(answer);
    expect(counted).toStrictEqual({ limit: String(sustained), remaining: '0' });
    expect(Number(reset)).toBeLessThanOrEqual(10);
    expect(Number(reset)).toBeGreaterThanOrEqual(await secondsLeft(bucketOf(store)));
  });

  test('scope 1 | per API key: a limited store is limited from every address', async () => {
    const store = await openLimited();
    await openWindows(bucketOf(store), burst);
    expectLimited(await askFrom('203.0.113.1', store.apiKey), endpoint, 'burst');
    expectLimited(await askFrom('203.0.113.2', store.apiKey), endpoint, 'burst');
  });

  test('scope 1 | no key: per IP address', async () => {
    await openWindows('a203.0.113.7', burst - 1);
    expectError(await askFrom('203.0.113.7'), 'MISSING_API_KEY');
    expectLimited(await askFrom('203.0.113.7'), endpoint, 'burst');
    expectError(await askFrom('203.0.113.8'), 'MISSING_API_KEY');
  });

  test('scope 1 | no key: also per minute', async () => {
    await openWindows('a203.0.113.7', 0, sustained);
    expectLimited(await askFrom('203.0.113.7'), endpoint, 'sustained');
  });

  test('scope 1 | no key: a store with a key is not touched by its address', async () => {
    const store = await openLimited();
    await openWindows('a127.0.0.1', burst);
    expectLimited(await askFrom(undefined), endpoint, 'burst');
    expect((await ask(store)).status).toBe(passes);
  });

  test.each([
    ['garbage', () => 'garbage'],
    ['a well-formed one', () => createApiKeyText(true, 'A')],
  ])('scope 1 | an unknown key counts by IP address too: %s', async (_case, key) => {
    await openWindows('a203.0.113.7', burst - 1);
    expectError(await askFrom('203.0.113.7', key()), 'INVALID_API_KEY');
    expectLimited(await askFrom('203.0.113.7', key()), endpoint, 'burst');
    expectLimited(await askFrom('203.0.113.7'), endpoint, 'burst');
  });

  test('scope 1 | no key: an IPv6 address counts by its /64', async () => {
    await openWindows('a2001:db8:1:2::/64', burst - 1);
    expectError(await askFrom('2001:db8:1:2::1'), 'MISSING_API_KEY');
    expectLimited(await askFrom('2001:db8:1:2:ffff:ffff:ffff:ffff'), endpoint, 'burst');
    expectError(await askFrom('2001:db8:1:3::1'), 'MISSING_API_KEY');
  });

  test('scope 1 | no key: an IPv4 address written as IPv6 is that IPv4 address', async () => {
    await openWindows('a203.0.113.7', burst);
    expectLimited(await askFrom('::ffff:203.0.113.7'), endpoint, 'burst');
  });

  test('scope 2 | different stores have independent limits', async () => {
    const [one, other] = [await openLimited(), await openLimited()];
    await openWindows(bucketOf(one), burst);
    expectLimited(await ask(one), endpoint, 'burst');
    expect((await ask(other)).status).toBe(passes);
  });

  test('scope 2 | two keys of one store share one limit', async () => {
    const store = await openLimited();
    const context = { database: contract.database, clock: systemClock, ring: store.ring, jobs: undefined };
    const apiKey = await issueApiKey(context, TESTER, { store: store.ref, overlapHours: 1 });
    await openWindows(bucketOf(store), burst - 2);
    expect((await ask(store)).status).toBe(passes);
    expect((await ask({ ...store, apiKey })).status).toBe(passes);
    expectLimited(await ask(store), endpoint, 'burst');
    expectLimited(await ask({ ...store, apiKey }), endpoint, 'burst');
  });

  test('headers | RateLimit-Limit, -Remaining, -Reset of a first request: the second', async () => {
    const answer = await ask(await openLimited());
    expect(rateHeaders(answer)).toStrictEqual({ limit: String(burst), remaining: String(burst - 1), reset: '1' });
  });

  test('headers | RateLimit-Remaining counts down to 0', async () => {
    const store = await openLimited();
    await openWindows(bucketOf(store));
    const answers = await times(burst + 1, () => ask(store));
    const expected = [...Array.from({ length: burst }, (_, place) => String(burst - 1 - place)), '0'];
    expect(answers.map((answer) => rateHeaders(answer).remaining)).toStrictEqual(expected);
  });

  test('headers | the window with the fewest requests left: the minute', async () => {
    const store = await openLimited();
    const windows = { burstUsed: 0, sustainedUsed: sustained - 2, burstAge: 1, sustainedAge: 20 };
    await setWindows(contract.database, bucketOf(store), endpoint, windows);
    const answer = await ask(store);
    expect(answer.status).toBe(passes);
    const { reset, ...counted } = rateHeaders(answer);
    expect(counted).toStrictEqual({ limit: String(sustained), remaining: '1' });
    expect(Number(reset)).toBeLessThanOrEqual(40);
    expect(Number(reset)).toBeGreaterThanOrEqual(await secondsLeft(bucketOf(store)));
  });

  test('headers | the limits are those of the plan of the store', async () => {
    const plan = { code: 'own-limits', createBurst: 2, createSustained: 7, lookupBurst: 2, lookupSustained: 7 };
    const store = await openStore(contract.database, { plan });
    await openWindows(bucketOf(store));
    const [first, , third] = await times(3, () => ask(store));
    expect(first && rateHeaders(first)).toMatchObject({ limit: '2', remaining: '1' });
    expect(third && rateHeaders(third)).toMatchObject({ limit: '2', remaining: '0' });
    await openWindows(bucketOf(store), 0, 7);
    expect(JSON.parse((await ask(store)).text)).toMatchObject({
      message: 'Rate limit exceeded. Maximum 7 requests per minute.',
      retry_after_seconds: 60,
    });
  });
});

describe('the endpoints count apart', () => {
  test('a store that may not create may still look up', async () => {
    const store = await openLimited();
    await setWindows(contract.database, bucketOf(store), 'create', { burstUsed: 5, sustainedUsed: 60 });
    expectLimited(await create(contract, store), 'create', 'burst');
    expect(rateHeaders(await lookup(contract, store.apiKey, TRANS_ID))).toMatchObject({ limit: '20', remaining: '19' });
  });

  test('a store that may not look up may still create', async () => {
    const store = await openLimited();
    await setWindows(contract.database, bucketOf(store), 'lookup', { burstUsed: 20, sustainedUsed: 200 });
    expectLimited(await lookup(contract, store.apiKey, TRANS_ID), 'lookup', 'burst');
    expect(rateHeaders(await create(contract, store))).toMatchObject({ limit: '5', remaining: '4' });
  });

  test('refused calls count like others', async () => {
    const store = await openLimited();
    await setWindows(contract.database, bucketOf(store), 'create', { burstUsed: 4, sustainedUsed: 4 });
    expectInvalid(await create(contract, store, { amount: null }), 'amount', 'amount is required.');
    expectLimited(await create(contract, store), 'create', 'burst');
  });

  test('a missing trans_id counts as a lookup', async () => {
    const store = await openLimited();
    await setWindows(contract.database, bucketOf(store), 'lookup', { burstUsed: 19, sustainedUsed: 19 });
    expectError(await call(contract, '/invoice/', { key: store.apiKey }), 'MISSING_TRANS_ID');
    expectLimited(await lookup(contract, store.apiKey, TRANS_ID), 'lookup', 'burst');
  });
});

describe('several servers', () => {
  test('scope 2 | several servers using one key share one limit, through several servers of ours too', async () => {
    const store = await openLimited();
    const { data } = JSON.parse((await create(contract, store)).text) as { data: { trans_id: string } };
    await setWindows(contract.database, bucketOf(store), 'lookup', { burstUsed: 18, sustainedUsed: 18 });
    const server = await startApi(contract.url);
    const second = { ...contract, server };
    expectFound(await lookup(contract, store.apiKey, data.trans_id));
    expectFound(await lookup(second, store.apiKey, data.trans_id));
    expectLimited(await lookup(contract, store.apiKey, data.trans_id), 'lookup', 'burst');
    expectLimited(await lookup(second, store.apiKey, data.trans_id), 'lookup', 'burst');
    await server.stop();
  });
});

const address = (length: number) => 'https://shop.example/'.padEnd(length, 'a');
const addresses = (length: number) => ({
  callback_url: address(length),
  completed_url: address(length),
  expired_url: address(length),
});

/** Limits of single fields are tested with the create body and the lookup; here each is tested at its boundary. */
describe('other limits', () => {
  test.each([
    ['amount | > 0 and <= 1,000,000 (USD)', { amount: '1000000' }, { amount: '1000000.00000001' }],
    ['callback_url, completed_url, expired_url | max 500 chars each', addresses(500), addresses(501)],
    ['name | max 255 chars', { name: 'n'.repeat(255) }, { name: 'n'.repeat(256) }],
    ['description | max 1000 chars', { description: 'd'.repeat(1000) }, { description: 'd'.repeat(1001) }],
    ['request_id | max 255 chars', { request_id: 'r'.repeat(255) }, { request_id: 'r'.repeat(256) }],
  ])('%s', async (_row, within, beyond) => {
    const store = await openStore(contract.database, { creditMicroUsd: 10_000_000_000n });
    expect((await create(contract, store, within)).status).toBe(200);
    const refused = JSON.parse((await create(contract, store, beyond)).text) as {
      details: { errors: { field: string }[] };
    };
    expect(refused.details.errors.map(({ field }) => field)).toStrictEqual(Object.keys(beyond));
  });

  test('trans_id | 16 uppercase alphanumeric characters after the TID- prefix', async () => {
    const store = await openStore(contract.database);
    expect((await lookup(contract, store.apiKey, 'TID-0123456789ABCXYZ')).status).toBe(404);
    expect((await lookup(contract, store.apiKey, 'TID-0123456789ABCXY')).status).toBe(400);
    expect((await lookup(contract, store.apiKey, 'TID-0123456789ABCXYZ0')).status).toBe(400);
  });
});
