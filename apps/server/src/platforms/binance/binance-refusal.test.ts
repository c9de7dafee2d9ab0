import { describe, expect, test } from 'vitest';
import { BINANCE_DIALECT } from './binance-refusal.ts';

const ENTRY = { baseUrl: 'https://api.example.com', quota: { name: 'x', limit: 1, windowMs: 1 }, weight: 1 };

describe('refusals', () => {
  test.each([
    [-1021, 'not-yet'],
    [-2015, 'unsupported'],
    [-2014, 'unsupported'],
    [-2008, 'unsupported'],
    [-1022, 'unsupported'],
    [-1002, 'unsupported'],
    [-1000, 'unavailable'],
    [-1008, 'unavailable'],
    [-1127, 'range'],
    [-1104, 'inconsistent'],
    [-9999, 'inconsistent'],
  ])('%i is %s, and is told by its code without the words of the platform', (code, kind) => {
    const refusal = BINANCE_DIALECT.readRefusal({ code, msg: 'request ip: 192.0.2.7' }, 400);
    expect(refusal).toMatchObject({ kind });
    expect(refusal?.message).toContain(String(code));
    expect(refusal?.message).not.toContain('192.0.2.7');
  });

  test('an answer without a code says nothing', () => {
    for (const answer of [undefined, null, '', {}, { code: '-2015' }])
      expect(BINANCE_DIALECT.readRefusal(answer, 400)).toBeUndefined();
  });
});

test('a ban and the firewall concern our address, 429 whose quota was used', () => {
  const { pauseScopeOf } = BINANCE_DIALECT;
  for (const entry of [ENTRY, { ...ENTRY, account: 'key' }])
    expect([pauseScopeOf(418, entry, undefined), pauseScopeOf(403, entry, undefined)]).toEqual(['address', 'address']);
  expect(pauseScopeOf(429, ENTRY, undefined)).toBe('address');
  expect(pauseScopeOf(429, { ...ENTRY, account: 'key' }, undefined)).toBe('account');
  expect(pauseScopeOf(400, ENTRY, undefined)).toBeUndefined();
});
