import { keccak_256 } from '@noble/hashes/sha3.js';

/** Addresses of EVM chains as people are shown them (EIP-55): the case of the letters is a checksum. */

const ADDRESS = /^0x[0-9a-f]{40}$/i;
/** A hexadecimal digit of the hash from which on the letter at its place is a capital. */
const CAPITAL_FROM = 8;

export function isEvmAddress(text: string): boolean {
  return ADDRESS.test(text);
}

/** `address` must be one, in whatever case. */
export function checksumAddress(address: string): string {
  const digits = address.slice(2).toLowerCase();
  const hash = keccak_256(Buffer.from(digits, 'latin1'));
  let shown = '0x';
  for (let place = 0; place < digits.length; place += 1) {
    const byte = hash[place >> 1] ?? 0;
    const digit = place % 2 === 0 ? byte >> 4 : byte & 15;
    const letter = digits.charAt(place);
    shown += digit >= CAPITAL_FROM ? letter.toUpperCase() : letter;
  }
  return shown;
}
