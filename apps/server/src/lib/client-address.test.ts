import { expect, test } from 'vitest';
import { clientBucket, clientNetworks, clientSurroundings } from './client-address.ts';

test.each([
  ['203.0.113.9', '203.0.113.9'],
  ['::ffff:203.0.113.9', '203.0.113.9'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2:ffff::1', '2001:db8:1:2::/64'],
  ['::1', '0:0:0:0::/64'],
  ['203.0.113.9:41234', '203.0.113.9'],
  ['[2001:db8:1:2:3:4:5:6]:443', '2001:db8:1:2::/64'],
  ['[2001:db8:1:2:3:4:5:6]', '2001:db8:1:2::/64'],
  ['203.0.113.9:', 'unknown'],
  ['not an address', 'unknown'],
  ['', 'unknown'],
])('%j is counted as %j', (address, bucket) => {
  expect(clientBucket(address)).toBe(bucket);
});

test('an IPv6 address belongs to its /64, /56 and /48, an IPv4 address to itself', () => {
  expect(clientNetworks('2001:db8:1:1234:5:6:7:8')).toEqual([
    { bits: 64, name: '2001:db8:1:1234::/64' },
    { bits: 56, name: '2001:db8:1:1200::/56' },
    { bits: 48, name: '2001:db8:1::/48' },
  ]);
  expect(clientNetworks('::ffff:203.0.113.9')).toEqual([{ bits: 32, name: '203.0.113.9' }]);
  expect(clientNetworks('')).toEqual([{ bits: 32, name: 'unknown' }]);
});

test.each([
  ['203.0.113.9', '203.0.113', '203.0'],
  ['::ffff:203.0.113.9', '203.0.113', '203.0'],
  ['2001:db8:1:1234:5:6:7:8', '2001:db8:1', '2001:db8'],
  ['::1', '0:0:0', '0:0'],
  ['not an address', 'unknown', 'unknown'],
])('%j is in the site %j and in the block %j', (address, site, block) => {
  expect(clientSurroundings(address)).toEqual({ site, block });
});
