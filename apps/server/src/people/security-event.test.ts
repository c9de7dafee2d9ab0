import { expect, test } from 'vitest';
import { findSpraying, isKnownBrowser, mailMark, SPRAYED_FROM_ADDRESS, SPRAYED_IN_ALL } from './security-event.ts';

const CHROME = 'Mozilla/5.0 (Windows NT 10.0) Chrome/139.0.0.0 Safari/537.36';
const EARLIER = [
  { address: '192.0.2.7', agent: CHROME },
  { address: '2001:db8:7:1::5', agent: 'Mozilla/5.0 Firefox/140.0' },
];

test.each([
  ['the same browser at the same address', '192.0.2.7', CHROME, true],
  ['the same browser elsewhere in its /24', '192.0.2.200', CHROME, true],
  ['a newer version of the same browser', '192.0.2.7', CHROME.replaceAll('139', '140'), true],
  ['the same browser in another /24', '192.0.3.7', CHROME, false],
  ['another browser at the same address', '192.0.2.7', 'Mozilla/5.0 Firefox/140.0', false],
  ['the same browser elsewhere in its /48', '2001:db8:7:ffff::1', 'Mozilla/5.0 Firefox/140.0', true],
  ['the same browser in another /48', '2001:db8:8:1::5', 'Mozilla/5.0 Firefox/140.0', false],
  ['an IPv4 address in the form of IPv6', '::ffff:192.0.2.9', CHROME, true],
])('a sign-in from %s is known or new', (_what, address, agent, isKnown) => {
  expect(isKnownBrowser(EARLIER, { address, agent })).toBe(isKnown);
});

const one = () => '192.0.2.7';
const withinNetwork = (place: number) => `2001:db8:7:1::${place + 1}`;
const refused = (count: number, address: (place: number) => string) =>
  Array.from({ length: count }, (_, place) => ({ address: address(place), mark: `mark-${place}` }));

test('refused sign-ins for twenty mail addresses from one network address are password spraying', () => {
  expect(findSpraying(refused(SPRAYED_FROM_ADDRESS - 1, one))).toBeUndefined();
  expect(findSpraying(refused(SPRAYED_FROM_ADDRESS, one))).toEqual({
    mails: SPRAYED_FROM_ADDRESS,
    networks: 1,
    busiest: { network: '192.0.2.7', mails: SPRAYED_FROM_ADDRESS },
  });
  expect(findSpraying(refused(SPRAYED_FROM_ADDRESS, withinNetwork))).toMatchObject({
    busiest: { network: '2001:db8:7:1::/64' },
  });
});

test('refused sign-ins for one mail address are no password spraying, from however many network addresses', () => {
  const many = refused(SPRAYED_IN_ALL, (place) => `10.0.${place >> 8}.${place & 255}`);
  expect(findSpraying(many.map(({ address }) => ({ address, mark: 'mark' })))).toBeUndefined();
  expect(findSpraying(many.slice(1))).toBeUndefined();
  expect(findSpraying(many)).toMatchObject({ mails: SPRAYED_IN_ALL, networks: SPRAYED_IN_ALL });
});

test('the mark of a mail address is the same each time, and too short to name the address', () => {
  expect(mailMark('anna@acme.test')).toEqual(mailMark('anna@acme.test'));
  expect(mailMark('anna@acme.test')).not.toEqual(mailMark('ben@acme.test'));
  expect(mailMark('anna@acme.test')).toHaveLength(4);
});
