import { describe, expect, test } from 'vitest';
import { bybitDialect } from './bybit-dialect.ts';

const entry = { baseUrl: 'https://api.bybit.com', quota: { name: 'any', limit: 1, windowMs: 1 }, weight: 1 };

describe('refusals of Bybit', () => {
  test.each([
    [10_006, 'rate'],
    [10_002, 'not-yet'],
    [-1, 'not-yet'],
    [10_001, 'unsupported'],
    [10_003, 'unsupported'],
    [10_004, 'unsupported'],
    [10_005, 'unsupported'],
    [10_010, 'unsupported'],
    [33_004, 'unsupported'],
    [10_000, 'unavailable'],
    [10_016, 'unavailable'],
    [131_001, 'unavailable'],
  ])('code %i is of kind %s, and named', (retCode, kind) => {
    const refusal = bybitDialect.readRefusal({ retCode, retMsg: 'Your IP 10.1.2.3', result: {} }, 200);
    expect(refusal).toMatchObject({ kind, message: `Bybit refused with code ${retCode}.` });
  });

  test('what has no code is never taken for an answer', () => {
    expect(bybitDialect.readRefusal({ retCode: 0, result: {} }, 200)).toBeUndefined();
    expect(bybitDialect.readRefusal({ result: {} }, 200)?.kind).toBe('inconsistent');
    expect(bybitDialect.readRefusal({ retCode: 0, result: {} }, 404)?.kind).toBe('unsupported');
    expect(bybitDialect.readRefusal(undefined, 401)?.kind).toBe('unsupported');
    expect(bybitDialect.readRefusal(undefined, 429)?.kind).toBe('rate');
    expect(bybitDialect.readRefusal(undefined, 400)?.kind).toBe('unavailable');
  });

  test('only the ban of an address, by its status or its code, concerns everybody', () => {
    const ofKey = { ...entry, account: 'key' };
    expect(bybitDialect.pauseScopeOf(403, ofKey, undefined)).toBe('address');
    for (const status of [200, 403, 429])
      expect(bybitDialect.pauseScopeOf(status, ofKey, { retCode: 10_018 })).toBe('address');
    expect(bybitDialect.pauseScopeOf(200, ofKey, { retCode: 10_006 })).toBeUndefined();
    expect(bybitDialect.pauseScopeOf(429, ofKey, undefined)).toBeUndefined();
    expect(bybitDialect.pauseScopeOf(400, entry, undefined)).toBeUndefined();
  });

  test('it lasts for ten minutes, as documented; the limit of an exchange account for a second', () => {
    expect(bybitDialect.readRefusal({ retCode: 10_018 }, 200)).toMatchObject({ kind: 'rate', retryAfterMs: 600_000 });
    expect(bybitDialect.readRefusal({ retCode: 10_006 }, 200)).toMatchObject({ kind: 'rate', retryAfterMs: 1_000 });
  });
});
