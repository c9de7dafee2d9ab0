import { expect, test } from 'vitest';
import { ownPath } from '../src/own-address.ts';

const ORIGIN = 'https://dashboard.example';

test.each([
  ['/', '/'],
  ['/accounts/ACC-1/invoices?status=late#top', '/accounts/ACC-1/invoices?status=late#top'],
  [`${ORIGIN}/me/security`, '/me/security'],
  ['/me/../stores', '/stores'],
])('the address %j leads to %s of this app', (address, path) => {
  expect(ownPath(address, ORIGIN)).toBe(path);
});

test.each([
  'http://host',
  '//host',
  '/\\host',
  '\\\\host',
  '/\t/host',
  '/\n/host',
  '/.//host',
  '/x/..//host',
  ' //host',
  'https:/\\host',
  'javascript:alert(1)',
  'data:text/html,x',
  `${ORIGIN}.evil.example/`,
  `${ORIGIN}@evil.example/`,
  `${ORIGIN}:444/`,
  undefined,
  null,
  7,
  ['/'],
])('an address that is not of this app leads nowhere: %j', (address) => {
  expect(ownPath(address, ORIGIN)).toBeUndefined();
});
