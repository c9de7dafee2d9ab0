import { describe, expect, test } from 'vitest';
import { fc } from '../../rig/fakes/seeded-properties.ts';
import { isPlainAddress, isPublicAddress, literalAddressOf, mayBePublic } from './public-address.ts';

type Range = [what: string, first: string, last: string, before: string | undefined, after: string | undefined];

describe('refused ranges, from the first to the last address and not one further', () => {
  const ranges: Range[] = [
    ['this network', '0.0.0.0', '0.255.255.255', undefined, '1.0.0.0'],
    ['private 10/8', '10.0.0.0', '10.255.255.255', '9.255.255.255', '11.0.0.0'],
    ['carrier-grade NAT', '100.64.0.0', '100.127.255.255', '100.63.255.255', '100.128.0.0'],
    ['loopback', '127.0.0.0', '127.255.255.255', '126.255.255.255', '128.0.0.0'],
    ["Azure's host agent", '168.63.129.16', '168.63.129.16', '168.63.129.15', '168.63.129.17'],
    ['link-local', '169.254.0.0', '169.254.255.255', '169.253.255.255', '169.255.0.0'],
    ['private 172.16/12', '172.16.0.0', '172.31.255.255', '172.15.255.255', '172.32.0.0'],
    ['protocol assignments', '192.0.0.0', '192.0.0.255', '191.255.255.255', '192.0.1.0'],
    ['documentation 1', '192.0.2.0', '192.0.2.255', '192.0.1.255', '192.0.3.0'],
    ['6to4 relays', '192.88.99.0', '192.88.99.255', '192.88.98.255', '192.88.100.0'],
    ['private 192.168/16', '192.168.0.0', '192.168.255.255', '192.167.255.255', '192.169.0.0'],
    ['benchmarks', '198.18.0.0', '198.19.255.255', '198.17.255.255', '198.20.0.0'],
    ['documentation 2', '198.51.100.0', '198.51.100.255', '198.51.99.255', '198.51.101.0'],
    ['documentation 3', '203.0.113.0', '203.0.113.255', '203.0.112.255', '203.0.114.0'],
    ['multicast, reserved and broadcast', '224.0.0.0', '255.255.255.255', '223.255.255.255', undefined],
    [
      'everything before global unicast',
      '::',
      '1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
      undefined,
      '2000::', // The range is not assigned yet, but public.
    ],
    [
      'protocol assignments with Teredo, benchmarks and ORCHID',
      '2001::',
      '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff',
      '2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
      '2001:200::',
    ],
    [
      'documentation 2001:db8::/32',
      '2001:db8::',
      '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff',
      '2001:db7:ffff:ffff:ffff:ffff:ffff:ffff',
      '2001:db9::',
    ],
    ['6to4', '2002::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2003::'],
    [
      'documentation 3fff::/20',
      '3fff::',
      '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff',
      '3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
      '3fff:1000::',
    ],
    [
      'everything after global unicast',
      '4000::',
      'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
      '3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
      undefined,
    ],
  ];
  test.each(ranges)('%s', (_what, first, last, before, after) => {
    expect([first, last].map(isPublicAddress)).toEqual([false, false]);
    for (const outside of [before, after]) expect(outside === undefined || isPublicAddress(outside)).toBe(true);
  });
});

describe('well-known internal targets of attackers are refused', () => {
  test.each([
    ['unspecified', '::'],
    ['loopback', '::1'],
    ['loopback as IPv4-compatible', '::127.0.0.1'],
    ['a public address as IPv4-compatible', '::8.8.8.8'],
    ['loopback as IPv4-mapped', '::ffff:127.0.0.1'],
    ['loopback as IPv4-mapped in hexadecimal', '::ffff:7f00:1'],
    ['a public address as IPv4-mapped', '::ffff:8.8.8.8'],
    ['loopback as IPv4-translated', '::ffff:0:127.0.0.1'],
    ['NAT64, first', '64:ff9b::'],
    ['NAT64 of loopback', '64:ff9b::7f00:1'],
    ['NAT64, last', '64:ff9b::ffff:ffff'],
    ['local NAT64, first', '64:ff9b:1::'],
    ['local NAT64, last', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff'],
    ['the discard prefix', '100::1'],
    ['Teredo', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
    ['IPv6 benchmarks', '2001:2::1'],
    ['ORCHID', '2001:20::1'],
    ['6to4 of loopback', '2002:7f00:1::'],
    ['segment routing', '5f00::1'],
    ['unique local, first', 'fc00::'],
    ['unique local, last', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['link-local, first', 'fe80::'],
    ['link-local, last', 'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['site-local, first', 'fec0::'],
    ['site-local, last', 'feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['multicast', 'ff02::1'],
    ['metadata of most clouds', '169.254.169.254'],
    ['metadata of Amazon by IPv6', 'fd00:ec2::254'],
    ['metadata of Alibaba', '100.100.100.200'],
    ['metadata of Oracle', '192.0.0.192'],
    ['metadata of Google by IPv6', 'fd20:ce::254'],
    ['broadcast', '255.255.255.255'],
  ])('%s: %s', (_what, address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});

test.each(['8.8.8.8', '1.1.1.1', '93.184.215.14', '2606:4700:4700::1111', '2a00:1450:4001:81d::200e', '2001:4860::1'])(
  '%s is public',
  (address) => {
    expect(isPublicAddress(address)).toBe(true);
  },
);

test.each([
  '',
  'localhost',
  '127.1',
  '0x7f000001',
  '2130706433',
  '8.8.8',
  '8.8.8.8.',
  '[::1]',
  ' 8.8.8.8',
  '8.8.8.8/32',
])('%j is no address and not public', (text) => {
  expect([isPlainAddress(text), isPublicAddress(text)]).toEqual([false, false]);
});

test.each(['fe80::1%eth0', '2606:4700:4700::1111%1'])('%s has a zone, so it is refused', (address) => {
  expect([isPlainAddress(address), isPublicAddress(address)]).toEqual([false, false]);
});

test('no text makes the rule throw, and IPv4 inside of IPv6 is never public', () => {
  fc.assert(fc.property(fc.string(), (text) => typeof isPublicAddress(text) === 'boolean'));
  fc.assert(
    fc.property(
      fc.ipV4(),
      fc.constantFrom('::', '::ffff:', '::ffff:0:', '64:ff9b::', '64:ff9b:1::'),
      (address, prefix) => !isPublicAddress(`${prefix}${address}`),
    ),
  );
});

describe('the host of a URL is a literal address in every spelling', () => {
  test.each([
    ['http://127.0.0.1/', '127.0.0.1'],
    ['http://127.1/', '127.0.0.1'],
    ['http://127.0.0.1./', '127.0.0.1'],
    ['http://2130706433/', '127.0.0.1'],
    ['http://0x7f.1/', '127.0.0.1'],
    ['http://0177.0.0.1/', '127.0.0.1'],
    ['http://①②⑦.⓪.⓪.①/', '127.0.0.1'],
    ['http://%31%32%37.0.0.1/', '127.0.0.1'],
    ['http://user:secret@10.0.0.1/', '10.0.0.1'],
    ['http://[::ffff:127.0.0.1]/', '::ffff:7f00:1'],
    ['http://[0:0:0:0:0:0:0:1]/', '::1'],
    ['http://127.0.0.1.example.com/', undefined],
    ['http://localhost/', undefined],
  ])('%s is %s', (url, address) => {
    expect(literalAddressOf(new URL(url))).toBe(address);
  });
});

describe('a host, judged without asking a name server', () => {
  test.each([
    'http://localhost/',
    'http://LOCALHOST:8080/',
    'http://localhost./',
    'http://shop.localhost/',
    'http://shop.localhost./',
    'http://loc\u00adalhost/',
    'http://127.1/',
    'http://[::1]/',
    'http://[fd00::1]/',
    'http://169.254.169.254/',
  ])('%s is not public', (url) => expect(mayBePublic(new URL(url))).toBe(false));

  test.each([
    'http://shop.example/',
    'http://localhost.example/',
    'http://notlocalhost/',
    'http://8.8.8.8/',
    'http://[2606:4700::1]/',
  ])('%s may be public', (url) => expect(mayBePublic(new URL(url))).toBe(true));
});
