import ipaddr from 'ipaddr.js';

/** Arithmetic of address ranges. IPv4 in IPv6 notation (`::ffff:...`) counts as IPv4. */

type Interval = { first: bigint; last: bigint };

const IPV4_BITS = 32;
const IPV6_BITS = 128;
const MAPPED_FIRST = 0xff_ff_00_00_00_00n;
const MAPPED_LAST = 0xff_ff_ff_ff_ff_ffn;

const all = (bits: number) => 1n << BigInt(bits);

function intervalOf(range: string): Interval & { isIPv4: boolean } {
  const [text = '', prefix] = range.split('/');
  const address = ipaddr.parse(text);
  const isIPv4 = address.kind() === 'ipv4';
  const bits = isIPv4 ? IPV4_BITS : IPV6_BITS;
  const free = BigInt(prefix === undefined ? 0 : bits - Number(prefix));
  const value = address.toByteArray().reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  const first = (value >> free) << free;
  return { first, last: first + (1n << free) - 1n, isIPv4 };
}

/** The IPv4 part of an IPv6 range. */
function mappedPart({ first, last }: Interval): Interval[] {
  const from = first > MAPPED_FIRST ? first : MAPPED_FIRST;
  const to = last < MAPPED_LAST ? last : MAPPED_LAST;
  return from > to ? [] : [{ first: from - MAPPED_FIRST, last: to - MAPPED_FIRST }];
}

function countUnion(intervals: readonly Interval[]): bigint {
  let [count, end] = [0n, -1n];
  for (const { first, last } of intervals.toSorted((one, other) => (one.first < other.first ? -1 : 1))) {
    if (last <= end) continue;
    count += last - (first > end ? first - 1n : end);
    end = last;
  }
  return count;
}

/** Whether valid ranges hold more than one in `oneOf` of all IPv4 or IPv6 addresses together. */
export function holdMoreThan(oneOf: bigint, ranges: readonly string[]): boolean {
  const intervals = ranges.map(intervalOf);
  const ipv6 = intervals.filter(({ isIPv4 }) => !isIPv4);
  const ipv4 = [...intervals.filter(({ isIPv4 }) => isIPv4), ...ipv6.flatMap(mappedPart)];
  return countUnion(ipv4) * oneOf > all(IPV4_BITS) || countUnion(ipv6) * oneOf > all(IPV6_BITS);
}
