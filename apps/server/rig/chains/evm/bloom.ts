import { keccak256 } from 'viem';

/**
 * Bloom filter of a header: says which addresses and topics may occur in the block's logs, with 2,048 bits, three bits
 * per value.
 */

const BYTES = 256;
const BITS_PER_VALUE = 3;
const INDEX_MASK = 2_047;

const places = new Map<string, number[]>();

function placesOf(value: string): number[] {
  const known = places.get(value);
  if (known) return known;
  const digest = keccak256(value as `0x${string}`, 'bytes');
  const found = Array.from(
    { length: BITS_PER_VALUE },
    (_unused, pair) => (((digest[2 * pair] ?? 0) << 8) | (digest[2 * pair + 1] ?? 0)) & INDEX_MASK,
  );
  places.set(value, found);
  return found;
}

export function bloomOf(logs: readonly { address: string; topics: readonly string[] }[]): `0x${string}` {
  const bits = Buffer.alloc(BYTES);
  const values = new Set(logs.flatMap(({ address, topics }) => [address.toLowerCase(), ...topics]));
  for (const value of values) {
    for (const place of placesOf(value)) {
      const byte = BYTES - 1 - (place >> 3);
      bits.writeUInt8(bits.readUInt8(byte) | (1 << (place & 7)), byte);
    }
  }
  return `0x${bits.toString('hex')}`;
}

export const EMPTY_BLOOM: `0x${string}` = `0x${'00'.repeat(BYTES)}`;
