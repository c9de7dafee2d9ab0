import { keccak_256 } from '@noble/hashes/sha3.js';
import { utf8 } from '@scure/base';

/** EVM addresses with EIP-55 checksum. */

const ADDRESS = /^0x[0-9a-f]{40}$/i;
const CAPITAL_FROM = 8;

export function isEvmAddress(text: string): boolean {
  return ADDRESS.test(text);
}

/** Adds the checksum to a valid address in any case. */
export function checksumAddress(address: string): string {
  const digits = address.slice(2).toLowerCase();
  const hash = keccak_256(utf8.decode(digits));
  let shown = '0x';
  for (let position = 0; position < digits.length; position += 1) {
    const byte = hash[position >> 1] ?? 0;
    const digit = position % 2 === 0 ? byte >> 4 : byte & 15;
    const letter = digits.charAt(position);
    shown += digit >= CAPITAL_FROM ? letter.toUpperCase() : letter;
  }
  return shown;
}
