import { describe, expect, test } from 'vitest';
import { okxDialect } from './okx-dialect.ts';

describe('refusals of OKX', () => {
  test.each([
    ['50011', 200, 'rate'],
    ['50013', 429, 'rate'],
    ['50102', 401, 'not-yet'],
    ['50112', 401, 'not-yet'],
    ['50101', 401, 'unsupported'],
    ['50105', 401, 'unsupported'],
    ['50110', 401, 'unsupported'],
    ['50111', 401, 'unsupported'],
    ['50113', 401, 'unsupported'],
    ['50119', 200, 'unsupported'],
    ['50120', 200, 'unsupported'],
    ['51000', 400, 'unsupported'],
    ['51000_1101', 400, 'unsupported'],
    ['50004', 400, 'unavailable'],
    ['1', 200, 'unavailable'],
    ['59999', 200, 'unavailable'],
  ])('code %s with status %i is of kind %s, and named', (code, status, kind) => {
    const refusal = okxDialect.readRefusal({ code, msg: 'Your IP 10.1.2.3', data: [] }, status);
    expect(refusal).toMatchObject({ kind, message: `OKX refused with code ${code}.` });
  });

  test('what has no code is never taken for an answer', () => {
    expect(okxDialect.readRefusal({ code: '0', data: [] }, 200)).toBeUndefined();
    expect(okxDialect.readRefusal({ data: [] }, 200)?.kind).toBe('inconsistent');
    expect(okxDialect.readRefusal({ code: 0, data: [] }, 200)?.kind).toBe('inconsistent');
    expect(okxDialect.readRefusal(undefined, 403)?.kind).toBe('unavailable');
  });
});
