import { expect, test } from 'vitest';
import {
  clearSessionCookie,
  readDeviceCookie,
  readSessionCookie,
  writeDeviceCookie,
  writeSessionCookie,
} from './session-cookie.ts';

const SECURE = 'https://dashboard.test';
const PLAIN = 'http://localhost:3003';

test('over https the cookie belongs to this host alone, is hidden from scripts, and travels encrypted', () => {
  expect(writeSessionCookie(SECURE, 'abc')).toBe('__Host-counterfoil=abc; Path=/; HttpOnly; SameSite=Lax; Secure');
});

test('over http it has another name and is not marked as secure, or browsers would refuse it', () => {
  expect(writeSessionCookie(PLAIN, 'abc')).toBe('counterfoil_dev=abc; Path=/; HttpOnly; SameSite=Lax');
});

test('signing out removes it at once', () => {
  expect(clearSessionCookie(SECURE)).toContain('__Host-counterfoil=; ');
  expect(clearSessionCookie(SECURE)).toContain('Max-Age=0');
});

test.each([
  ['alone', '__Host-counterfoil=abc', 'abc'],
  ['among others', 'a=1; __Host-counterfoil=abc; b=2', 'abc'],
  ['missing', 'a=1', undefined],
  ['no header', undefined, undefined],
  ['twice, as when another path has set one', '__Host-counterfoil=abc; __Host-counterfoil=def', undefined],
  ['only the name for http', 'counterfoil_dev=abc', undefined],
  ['only a name that ends alike', 'x__Host-counterfoil=abc', undefined],
])('a token is read: %s', (_title, header, token) => {
  expect(readSessionCookie(SECURE, header)).toBe(token);
});

test('the cookie of a known browser lasts half a year and has a name of its own', () => {
  expect(writeDeviceCookie(SECURE, 'abc')).toBe(
    '__Host-counterfoil-device=abc; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=15552000',
  );
  const both = '__Host-counterfoil-device=def; __Host-counterfoil=abc';
  expect([readSessionCookie(SECURE, both), readDeviceCookie(SECURE, both)]).toEqual(['abc', 'def']);
});
