import { describe, expect, test } from 'vitest';
import { createTotpSecret, findTotpStep, totpAddress, totpCode } from './totp.ts';

/** The secret of RFC 6238's test vectors, `12345678901234567890`, and the last six digits of its code at 59 seconds. */
const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
const AT_MS = 59_000;
const CODE = '287082';

test('the code of RFC 6238 is made and accepted', () => {
  expect(totpCode(SECRET, AT_MS)).toBe(CODE);
  expect(findTotpStep(SECRET, CODE, AT_MS, 0n)).toBe(1n);
});

describe('a code', () => {
  test.each([
    ['of the step before is accepted', AT_MS + 30_000, 1n],
    ['of the step after is accepted', AT_MS - 30_000, 1n],
    ['of two steps before is refused', AT_MS + 60_000, undefined],
  ])('%s', (_title, nowMs, step) => {
    expect(findTotpStep(SECRET, CODE, nowMs, -1n)).toBe(step);
  });

  test('is accepted once: its step must be above the last one used', () => {
    expect(findTotpStep(SECRET, CODE, AT_MS, 1n)).toBeUndefined();
    expect(findTotpStep(SECRET, CODE, AT_MS, 2n)).toBeUndefined();
  });

  test.each(['', '28708', '2870820', ' 287082', '287082\n', '２８７０８２', 'abcdef', '-28708'])(
    'written as %j is refused',
    (code) => {
      expect(findTotpStep(SECRET, code, AT_MS, 0n)).toBeUndefined();
    },
  );
});

test('secrets are drawn anew each time and long enough', () => {
  const secrets = Array.from({ length: 5 }, createTotpSecret);
  expect(new Set(secrets).size).toBe(5);
  expect(secrets.every((secret) => /^[A-Z2-7]{32}$/.test(secret))).toBe(true);
});

test('the address names the product and the person', () => {
  const address = new URL(totpAddress(SECRET, 'ada@acme.test'));
  expect(address.protocol).toBe('otpauth:');
  expect(address.searchParams.get('issuer')).toBe('Counterfoil');
  expect(decodeURIComponent(address.pathname)).toContain('ada@acme.test');
});
