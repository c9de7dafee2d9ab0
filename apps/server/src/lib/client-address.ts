import ipaddr from 'ipaddr.js';

/** Which networks a client counts by. */

const PART_BITS = 16;
const PARTS_OF_PREFIX = { 64: 4, 56: 4, 48: 3 } as const;
/** The part of an IPv6 address's fourth group that belongs to a /56. */
const UPPER_HALF = 0xff00;

/** A network that counts as one client. IPv4 addresses have `bits` 32. */
export type ClientNetwork = { bits: 32 | 64 | 56 | 48; name: string };

/** An IP address with port, as some proxies send it; IPv6 in brackets. */
const WITH_PORT = /^(?:(\d{1,3}(?:\.\d{1,3}){3})|\[([\da-fA-F:.]{2,45})\])(?::\d{1,5})?$/;

const UNKNOWN: ClientNetwork = { bits: 32, name: 'unknown' };

function prefixOf(address: ipaddr.IPv6, bits: 64 | 56 | 48): ClientNetwork {
  const parts = address.parts.slice(0, PARTS_OF_PREFIX[bits]);
  const kept = parts.map((part, index) => ((index + 1) * PART_BITS > bits ? part & UPPER_HALF : part));
  return { bits, name: `${kept.map((part) => part.toString(16)).join(':')}::/${bits}` };
}

/**
 * A client's networks, narrowest first. An IPv6 customer usually has a /64, many have a /56, and a /48 costs next to
 * nothing: changing addresses inside them does not make another client.
 */
export function clientNetworks(given: string): ClientNetwork[] {
  const address = WITH_PORT.exec(given)?.slice(1).find(Boolean) ?? given;
  if (!ipaddr.isValid(address)) return [UNKNOWN];
  const parsed = ipaddr.process(address);
  if (!(parsed instanceof ipaddr.IPv6)) return [{ bits: 32, name: parsed.toString() }];
  return [prefixOf(parsed, 64), prefixOf(parsed, 56), prefixOf(parsed, 48)];
}

/** The bucket of a client without API key: an IPv4 address, or an IPv6 /64. */
export function clientBucket(address: string): string {
  return (clientNetworks(address)[0] ?? UNKNOWN).name;
}

/**
 * Wider networks around an address: the site (IPv4 /24, IPv6 /48) and the provider's block (/16, /32). An attacker has
 * many addresses in a few of them; customers are spread over many.
 */
export type Surroundings = { site: string; block: string };

export function clientSurroundings(given: string): Surroundings {
  const { bits, name } = clientNetworks(given).at(-1) ?? UNKNOWN;
  const mark = bits === 32 ? '.' : ':';
  const parts = name.split(mark);
  return { site: parts.slice(0, 3).join(mark), block: parts.slice(0, 2).join(mark) };
}
