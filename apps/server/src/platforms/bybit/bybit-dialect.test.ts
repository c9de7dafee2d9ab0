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

  test('only the ban of an address, which is status 403, concerns everybody', () => {
    expect(bybitDialect.pauseScopeOf(403, { ...entry, account: 'key' })).toBe('address');
    expect(bybitDialect.pauseScopeOf(429, { ...entry, account: 'key' })).toBeUndefined();
    expect(bybitDialect.pauseScopeOf(400, entry)).toBeUndefined();
  });
});
