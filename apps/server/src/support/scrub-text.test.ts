import { expect, test } from 'vitest';
import { createScrub, scrubValue } from './scrub-text.ts';

const VALUE = 'pa:ss/w@rd&x';
const scrub = createScrub([VALUE, '3000']);

test.each([
  ['raw', VALUE],
  ['URL-encoded', encodeURIComponent(VALUE)],
  ['URL-encoded twice', encodeURIComponent(encodeURIComponent(VALUE))],
  ['in base64', Buffer.from(VALUE).toString('base64')],
  ['in base64url', Buffer.from(VALUE).toString('base64url')],
  ['in hexadecimal', Buffer.from(VALUE).toString('hex')],
])('a known secret is removed: %s', (_form, text) => {
  expect(scrub(`before ${text} after`)).toMatch(/^before \[removed\]=* after$/);
});

test.each([
  ['an API key', 'key cf_live_Aabcdefghijklmnop refused', 'key [removed] refused'],
  ['a webhook secret', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', '[removed]'],
  ['an email address', 'to ada@acme.test: 550', 'to [removed]: 550'],
  ['an encoded email address', 'to=ada%40acme.test', 'to=[removed]'],
  ['an invoice link', 'GET https://pay.example.com/invoice/TID-A1', 'GET https://pay.example.com/[removed]'],
  ['an encoded link', 'next=https%3A%2F%2Fpay.example.com%2Finvoice%2FTID-A1', 'next=[removed]'],
  ['an invoice code', 'invoice TID-A123456789012345 paid', 'invoice [removed] paid'],
  ['the user and password of an address', 'postgresql://api:geheim@db:5432', 'postgresql://db:5432'],
  ['a named password', 'password=geheim rest', 'password=[removed] rest'],
  ['a quoted password', 'the "password": "a b c" rest', 'the "password": [removed] rest'],
  ['an authorization header', 'authorization: Bearer abc.def', 'authorization: [removed]'],
  ['a password in JSON', '{"password":"a \\" b","n":1}', '{"password":[removed],"n":1}'],
  ['a password in JSON in JSON', '{\\"password\\":\\"a b\\",\\"n\\":1}', '{\\"password\\":[removed],\\"n\\":1}'],
  ['a key of a path', 'GET /v1?key=abc failed', 'GET /v1?key=[removed] failed'],
  ['a short name of a password', 'pwd=geheim pass: geheim', 'pwd=[removed] pass: [removed]'],
  ['a session', 'cf_session=abc; other', 'cf_session=[removed] other'],
  ['a password with a slash in an address', 'postgresql://api:ge/he#im@db:5432/x', 'postgresql://db:5432/[removed]'],
  ['a key in the form of a UUID', 'key 3fa85f64-5717-4562-b3fc-2c963f66afa6 refused', 'key [removed] refused'],
  ['a bearer token', 'sent Bearer abc.def now', 'sent Bearer [removed] now'],
  ['a long token', 'link 4Jx-kQ_b2mVw9Zr1LpT6yHn3cDf8GsA0eUiOqWlXzEk', 'link [removed]'],
  ['a hash', 'tx 0x9fceb02d0ae598e95dc970b74767f19372d61af8', 'tx [removed]'],
  ['a private key', 'x -----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY----- y', 'x [removed] y'],
])('what has the form of a secret is removed: %s', (_kind, text, expected) => {
  expect(scrub(text)).toBe(expected);
});

test.each([
  'the database does not answer: connect ECONNREFUSED 127.0.0.1:5432',
  'at run (/srv/counterfoil/apps/server/src/jobs/run-jobs.ts:71:11)',
  'Counterfoil listens on port 3000 since 2026-11-19T10:00:00.000Z',
  '0060-jobs-of-other-versions.sql',
])('text without a secret is kept: %s', (text) => {
  expect(scrub(text)).toBe(text);
});

test('texts are cut, and deep or wide values are bounded', () => {
  expect(scrub('a '.repeat(5_000))).toHaveLength(2_000);
  let deep: unknown = 'x';
  for (let level = 0; level < 50; level += 1) deep = [deep];
  expect(JSON.stringify(scrubValue(deep, scrub))).toBe('[[[[[["[removed]"]]]]]]');
  expect(scrubValue(Array.from({ length: 500 }), scrub)).toHaveLength(100);
});

test('a text in a field that is named like a secret is removed whatever it is', () => {
  expect(scrubValue({ apiKey: 'plain', to_address: 'plain', note: 'plain', count: 2 }, scrub)).toEqual({
    apiKey: '[removed]',
    to_address: '[removed]',
    note: 'plain',
    count: 2,
  });
});

test('texts below a field that is named like a secret are removed too', () => {
  const value = {
    tokens: ['plain', ['plain']],
    credentials: { user: 'plain', since: [{ a: 'plain' }] },
    list: ['plain'],
  };
  expect(scrubValue(value, scrub)).toEqual({
    tokens: ['[removed]', ['[removed]']],
    credentials: { user: '[removed]', since: [{ a: '[removed]' }] },
    list: ['plain'],
  });
});
