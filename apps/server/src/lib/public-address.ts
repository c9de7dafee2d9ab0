import { BlockList, isIP } from 'node:net';

/**
 * IP addresses that a webhook may be sent to. Our own tables, because libraries leave gaps: cloud services on public
 * addresses, IPv4 inside old IPv6 notations.
 */

type Prefix = readonly [network: string, bits: number];

const REFUSED_IPV4: readonly Prefix[] = [
  // "This network"; Linux connects 0.0.0.0 to the machine itself.
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  // Carrier-grade NAT; a cloud's metadata service is at 100.100.100.200.
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  // Link-local addresses; metadata services are at 169.254.169.254.
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  // Protocol assignments; a cloud's metadata service is at 192.0.0.192.
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  // Reserved, ending with the broadcast address.
  ['240.0.0.0', 4],
  // Azure's host agent: a public address that is reachable only inside that cloud.
  ['168.63.129.16', 32],
];

/**
 * All assigned IPv6 ranges. Others are refused implicitly: loopback, IPv4 mapped, compatible and translated (::/96,
 * ::ffff:0:0/96, ::ffff:0:0:0/96), NAT64, discard prefix, unique local, link-local, site-local, multicast.
 */
const GLOBAL_IPV6: readonly Prefix[] = [['2000::', 3]];

const REFUSED_IPV6: readonly Prefix[] = [
  // Protocol assignments: Teredo (contains an IPv4 address), benchmarks, ORCHID.
  ['2001::', 23],
  ['2001:db8::', 32],
  // 6to4 addresses contain an IPv4 address.
  ['2002::', 16],
  ['3fff::', 20],
];

const refusedIpv4 = listOf(REFUSED_IPV4, 'ipv4');
const refusedIpv6 = listOf(REFUSED_IPV6, 'ipv6');
const globalIpv6 = listOf(GLOBAL_IPV6, 'ipv6');

/** An address with a zone (`fe80::1%eth0`) names an interface of this machine, so it is not plain. */
export function isPlainAddress(text: string): boolean {
  return isIP(text) !== 0 && !text.includes('%');
}

export function isPublicAddress(address: string): boolean {
  if (!isPlainAddress(address)) return false;
  if (isIP(address) === 4) return !refusedIpv4.check(address, 'ipv4');
  return globalIpv6.check(address, 'ipv6') && !refusedIpv6.check(address, 'ipv6');
}

/** A URL's host if it is an IP address: the parser has normalised decimal, octal, hex and wide digits. */
export function literalAddressOf(url: URL): string | undefined {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  return isIP(host) === 0 ? undefined : host;
}

/** Every resolver knows these without a query. */
const LOCAL_NAME = /^(?:.*\.)?localhost\.*$/;

/** Whether a host may be public, without asking a name server. */
export function mayBePublic(url: URL): boolean {
  const address = literalAddressOf(url);
  return address === undefined ? !LOCAL_NAME.test(url.hostname) : isPublicAddress(address);
}

function listOf(prefixes: readonly Prefix[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const [network, bits] of prefixes) list.addSubnet(network, bits, family);
  return list;
}
