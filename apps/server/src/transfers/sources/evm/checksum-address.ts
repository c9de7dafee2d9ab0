import { keccak_256 } from '@noble/hashes/sha3.js';
import { SourceError } from '../../chain-source.ts';

/** Addresses as people are shown them (EIP-55). Written here because every payment has a sender: viem's takes thrice as long. */

const ADDRESS = /^0x[0-9a-f]{40}$/i;
/** A hexadecimal digit of the hash from which on the letter at its place is a capital. */
const CAPITAL_FROM = 8;
/** Both looks at a range ask for the same senders. */
const MAX_REMEMBERED = 10_000;

function checksum(address: string): string {
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

/** Remembers those it has seen lately. Throws at what is no address. */
export function createChecksum(): (address: string) => string {
  const remembered = new Map<string, string>();
  return (address) => {
    const present = remembered.get(address);
    if (present !== undefined) return present;
    if (!ADDRESS.test(address)) throw new SourceError('inconsistent', 'A sender is not an address.');
    if (remembered.size >= MAX_REMEMBERED) remembered.clear();
    const shown = checksum(address);
    remembered.set(address, shown);
    return shown;
  };
}
