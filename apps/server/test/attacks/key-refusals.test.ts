import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createApiKeyText } from '../../src/stores/api-key.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { openStore } from '../../rig/stores/open-store.ts';
import type { Headers, Target } from './attack-client.ts';
import { openTarget, send } from './attack-client.ts';

let target: Target;
let store: TestStore;

beforeAll(async () => {
  target = await openTarget();
  store = await openStore(target.database);
});
afterAll(() => target.close());
beforeEach(async () => {
  await target.database.pool.query('truncate admissions');
});

const ask = (headers: Headers) => send(target.transport, { path: '/invoice/TID-AAAAAAAAAAAAAAAA', headers });

const changed = (key: string) => key.slice(0, -1) + (key.endsWith('x') ? 'y' : 'x');

test('a wrong key is refused with the same bytes whether it is garbage, nearly right or merely unknown', async () => {
  const keys = [
    'garbage',
    changed(store.apiKey),
    store.apiKey.toLowerCase(),
    createApiKeyText(true, store.apiKey.charAt('cf_live_'.length)),
    "' or '1'='1",
    '\u00ff'.repeat(46),
  ];
  const replies = [];
  for (const key of keys) replies.push(await ask([['x-api-key', key]]));
  expect(new Set(replies.map((reply) => `${reply.status} ${reply.body}`)).size).toBe(1);
  expect(replies[0]?.json.error_code).toBe('INVALID_API_KEY');
});

test.each<[string, (key: string) => Headers]>([
  [
    'twice',
    (key) => [
      ['x-api-key', key],
      ['x-api-key', key],
    ],
  ],
  [
    'after a wrong one',
    (key) => [
      ['x-api-key', 'garbage'],
      ['x-api-key', key],
    ],
  ],
  [
    'before a wrong one',
    (key) => [
      ['x-api-key', key],
      ['x-api-key', 'garbage'],
    ],
  ],
  ['in a list', (key) => [['x-api-key', `${key},`]]],
])('a key sent %s is no key: the one header decides', async (_how, headers) => {
  expect((await ask(headers(store.apiKey))).json.error_code).toBe('INVALID_API_KEY');
});

test.each<[string, (key: string) => Headers]>([
  ['authorization', (key) => [['authorization', `Bearer ${key}`]]],
  ['a cookie', (key) => [['cookie', `x-api-key=${key}`]]],
  ['another header', (key) => [['x_api_key', key]]],
])('a key in %s is not looked at', async (_where, headers) => {
  expect((await ask(headers(store.apiKey))).json.error_code).toBe('MISSING_API_KEY');
});

test('guessing keys is limited by address, and guesses do not use up the limits of a store', async () => {
  const guesses = await Promise.all(
    Array.from({ length: 60 }, () => ask([['x-api-key', createApiKeyText(true, store.apiKey.charAt(8))]])),
  );
  expect(guesses.some((reply) => reply.status === 429)).toBe(true);
  expect(new Set(guesses.map((reply) => reply.status))).toEqual(new Set([401, 429]));
  const { rows } = await target.database.pool.query<{ bucket: string }>('select bucket from admissions');
  expect(rows).toEqual([{ bucket: 'a127.0.0.1' }]);
});
