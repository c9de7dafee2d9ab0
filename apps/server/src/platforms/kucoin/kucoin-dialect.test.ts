import { describe, expect, test } from 'vitest';
import { kucoinDialect } from './kucoin-dialect.ts';

const entry = { baseUrl: 'https://api.kucoin.com', quota: { name: 'any', limit: 1, windowMs: 1 }, weight: 1 };

describe('refusals of KuCoin', () => {
  test.each([
    ['429000', 'rate'],
    ['200002', 'rate'],
    ['400002', 'not-yet'],
    ['400001', 'unsupported'],
    ['400003', 'unsupported'],
    ['400004', 'unsupported'],
    ['400005', 'unsupported'],
    ['400006', 'unsupported'],
    ['400007', 'unsupported'],
    ['400009', 'unsupported'],
    ['400100', 'unsupported'],
    ['411100', 'unsupported'],
    ['500000', 'unavailable'],
    ['123456', 'unavailable'],
  ])('code %s is of kind %s, and named, whatever its status', (code, kind) => {
    for (const status of [200, 400, 401, 403])
      expect(kucoinDialect.readRefusal({ code, msg: 'the current client IP is: 10.1.2.3' }, status)).toMatchObject({
        kind,
        message: `KuCoin refused with code ${code}.`,
      });
  });

  test('what has no code is never taken for an answer', () => {
    expect(kucoinDialect.readRefusal({ code: '200000', data: {} }, 200)).toBeUndefined();
    expect(kucoinDialect.readRefusal({ code: 200_000, data: {} }, 200)?.kind).toBe('inconsistent');
    expect(kucoinDialect.readRefusal({ code: '200000', data: {} }, 400)?.kind).toBe('unavailable');
    expect(kucoinDialect.readRefusal(undefined, 401)?.kind).toBe('unsupported');
    expect(kucoinDialect.readRefusal(undefined, 404)?.kind).toBe('unavailable');
  });

  test('a block of our address concerns everybody, a quota only the exchange account', () => {
    const ofKey = { ...entry, account: 'key' };
    expect(kucoinDialect.pauseScopeOf(403, ofKey, undefined)).toBe('address');
    for (const status of [200, 403, 429])
      expect(kucoinDialect.pauseScopeOf(status, ofKey, { code: '1015' })).toBe('address');
    expect(kucoinDialect.pauseScopeOf(429, ofKey, { code: '429000' })).toBe('account');
    expect(kucoinDialect.pauseScopeOf(429, entry, undefined)).toBe('address');
    expect(kucoinDialect.pauseScopeOf(400, entry, undefined)).toBeUndefined();
  });

  test('a refusal of one key by its code pauses nobody, whatever its status', () => {
    const ofKey = { ...entry, account: 'key' };
    for (const status of [401, 403, 429])
      expect(kucoinDialect.pauseScopeOf(status, ofKey, { code: '400006', msg: 'Invalid request ip' })).toBeUndefined();
    expect(kucoinDialect.pauseScopeOf(403, ofKey, { code: '999999' })).toBe('account');
  });
});
