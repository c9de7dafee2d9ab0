import { sha256 } from '@noble/hashes/sha2.js';
import { createBase58check, hex } from '@scure/base';

/** Tron addresses: base58 with a checksum for people, twenty bytes in hex for Tron's JSON-RPC. */

const base58check = createBase58check(sha256);
const FORM = /^T[1-9A-HJ-NP-Za-km-z]{33}$/;
const HEX = /^(?:0x|41|0x41)?([0-9a-f]{40})$/i;
const BYTES = 21;
const PREFIX = 0x41;

/** Whether a text has the form of an address; its checksum may be wrong. */
export function isTronForm(text: string): boolean {
  return FORM.test(text);
}

/** The twenty bytes of an address; undefined when its checksum is wrong. */
export function tronBytes(address: string): Uint8Array | undefined {
  try {
    const bytes = base58check.decode(address);
    return bytes.length === BYTES && bytes[0] === PREFIX ? bytes.subarray(1) : undefined;
  } catch {
    return undefined;
  }
}

/** The twenty bytes of a valid address in hex. */
export function tronToHex(address: string): string {
  return `0x${hex.encode(base58check.decode(address).subarray(1))}`;
}

/** The base58 form of a hex address, with or without `0x` and Tron's prefix; undefined when malformed. */
export function tronFromHex(text: string): string | undefined {
  const digits = HEX.exec(text)?.[1];
  return digits === undefined ? undefined : base58check.encode(hex.decode(`41${digits.toLowerCase()}`));
}
