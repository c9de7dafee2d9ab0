import ipaddr from 'ipaddr.js';

const IPV6_SITE_PARTS = 4;

/** What a caller without a key is counted by: an IPv4 address, or the /64 that one IPv6 customer usually has. */
export function clientBucket(address: string): string {
  if (!ipaddr.isValid(address)) return 'unknown';
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv6) {
    return `${parsed.parts
      .slice(0, IPV6_SITE_PARTS)
      .map((part) => part.toString(16))
      .join(':')}::/64`;
  }
  return parsed.toString();
}
