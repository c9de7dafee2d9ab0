import { expect, test } from 'vitest';
import { createApiKeyText, isWellFormedApiKey } from './api-key.ts';

test('a key names its mode and shard and is well formed', () => {
  for (const live of [true, false]) {
    const key = createApiKeyText(live, 'K');
    expect(key).toMatch(live ? /^cf_live_K/ : /^cf_test_K/);
    expect(isWellFormedApiKey(key)).toBe(true);
  }
});

test('a key with any one character changed is recognised as wrong without a query', () => {
  const key = createApiKeyText(true, 'A');
  for (let position = 0; position < key.length; position += 1) {
    const other = key.charAt(position) === 'x' ? 'y' : 'x';
    expect(isWellFormedApiKey(key.slice(0, position) + other + key.slice(position + 1))).toBe(false);
  }
});

test.each(['', 'cf_live_', 'x'.repeat(46), `${createApiKeyText(true, 'A')} `, 'cf_live_\u0000'])(
  '%j is not a key',
  (text) => {
    expect(isWellFormedApiKey(text)).toBe(false);
  },
);
