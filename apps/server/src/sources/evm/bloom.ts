import { keccak_256 } from '@noble/hashes/sha3.js';

/** Header blooms: an address that is not in the bloom has no log in the block; one that is may have some. */

const BLOOM = /^0x[0-9a-f]{512}$/i;
const EMPTY = /^0x0*$/;
const BLOOM_BITS = 2_048;
/** Byte pairs of an address's hash; each is a bit number, counted from the bloom's end. */
const PAIRS = [0, 2, 4] as const;
const BITS_PER_DIGIT = 4;

type Bit = { position: number; mask: number };

function bitsOf(address: string): Bit[] {
  const hash = keccak_256(Buffer.from(address.slice(2), 'hex'));
  return PAIRS.map((first) => {
    const bit = (((hash[first] ?? 0) << 8) | (hash[first + 1] ?? 0)) % BLOOM_BITS;
    const digitsFromEnd = Math.floor(bit / BITS_PER_DIGIT) + 1;
    return { position: 2 + BLOOM_BITS / BITS_PER_DIGIT - digitsFromEnd, mask: 1 << (bit % BITS_PER_DIGIT) };
  });
}

/** Tests whether a bloom proves that none of the addresses has a log. A malformed bloom proves nothing. */
export function createBloomTest(addresses: readonly string[]): (bloom: unknown) => boolean {
  const wanted = addresses.map(bitsOf);
  return (bloom) => {
    if (typeof bloom !== 'string' || !BLOOM.test(bloom)) return false;
    const has = ({ position, mask }: Bit) => (Number.parseInt(bloom.charAt(position), 16) & mask) !== 0;
    return !wanted.some((bits) => bits.every(has));
  };
}

export function isEmptyBloom(bloom: unknown): boolean {
  return typeof bloom === 'string' && EMPTY.test(bloom);
}
