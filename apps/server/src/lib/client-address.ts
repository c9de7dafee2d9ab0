import ipaddr from 'ipaddr.js';

/** IP addresses of clients: which networks a caller is counted by. */

const PART_BITS = 16;
const PARTS_OF_PREFIX = { 64: 4, 56: 4, 48: 3 } as const;
/** Mask of the upper eight bits of an IPv6 address's fourth part, with which a /56 ends. */
const UPPER_HALF = 0xff00;

/** A network that counts as one caller. `bits` is 32 for an IPv4 address, which is a network of its own. */
export type ClientNetwork = { bits: 32 | 64 | 56 | 48; name: string };

/** An IP address with a port, as some proxies send it. An IPv6 address is then in brackets. */
const WITH_PORT = /^(?:(\d{1,3}(?:\.\d{1,3}){3})|\[([\da-fA-F:.]{2,45})\])(?::\d{1,5})?$/;

const UNKNOWN: ClientNetwork = { bits: 32, name: 'unknown' };

function prefixOf(address: ipaddr.IPv6, bits: 64 | 56 | 48): ClientNetwork {
  const parts = address.parts.slice(0, PARTS_OF_PREFIX[bits]);
  const kept = parts.map((part, index) => ((index + 1) * PART_BITS > bits ? part & UPPER_HALF : part));
  return { bits, name: `${kept.map((part) => part.toString(16)).join(':')}::/${bits}` };
}

/**
 * The networks that a caller belongs to, the narrowest first. One IPv6 customer usually has a /64, many have a /56, and
 * a /48 costs next to nothing: whoever changes addresses inside one of these networks is still one caller.
 */
export function clientNetworks(given: string): ClientNetwork[] {
  const address = WITH_PORT.exec(given)?.slice(1).find(Boolean) ?? given;
  if (!ipaddr.isValid(address)) return [UNKNOWN];
  const parsed = ipaddr.process(address);
  if (!(parsed instanceof ipaddr.IPv6)) return [{ bits: 32, name: parsed.toString() }];
  return [prefixOf(parsed, 64), prefixOf(parsed, 56), prefixOf(parsed, 48)];
}

/**
 * The name by which a caller without an API key is counted: an IPv4 address, or the /64 that one IPv6 customer usually
 * has.
 */
export function clientBucket(address: string): string {
  return (clientNetworks(address)[0] ?? UNKNOWN).name;
}

/**
 * Wider networks around an IP address, as names: the site, an IPv4 /24 or an IPv6 /48, and the block of a provider, an
 * IPv4 /16 or an IPv6 /32. One attacker has many addresses in a few of them; customers of a shop are spread over many.
 */
export type Surroundings = { site: string; block: string };

export function clientSurroundings(given: string): Surroundings {
  const { bits, name } = clientNetworks(given).at(-1) ?? UNKNOWN;
  const mark = bits === 32 ? '.' : ':';
  const parts = name.split(mark);
  return { site: parts.slice(0, 3).join(mark), block: parts.slice(0, 2).join(mark) };
}
