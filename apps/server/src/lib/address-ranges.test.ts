import { expect, test } from 'vitest';
import { createAddressRanges } from './address-ranges.ts';

const isProxy = createAddressRanges(['10.0.0.0/8', '192.0.2.7', '2001:db8::/32', '2001:db9::1']);

test.each([
  ['10.255.0.1', true],
  ['::ffff:10.255.0.1', true],
  ['11.0.0.1', false],
  ['192.0.2.7', true],
  ['192.0.2.8', false],
  ['2001:db8:ffff::1', true],
  ['2001:db9::1', true],
  ['2001:db9::2', false],
  ['', false],
  ['nonsense', false],
])('%j lies in a range: %s', (address, expected) => {
  expect(isProxy(address)).toBe(expected);
});

test('without ranges no address lies in one', () => {
  expect(createAddressRanges([])('127.0.0.1')).toBe(false);
});
