import { expect, test } from 'vitest';
import { linkAddress } from './link-address.ts';

test('the address of a link has its token in the fragment, and nowhere that a server is sent', () => {
  const token = 'T'.repeat(43);
  const { origin, pathname, search, hash } = new URL(linkAddress('https://dashboard.test', 'reset', token));
  expect([origin, pathname, search, hash]).toEqual(['https://dashboard.test', '/reset', '', `#${token}`]);
});
