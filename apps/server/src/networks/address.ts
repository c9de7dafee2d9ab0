import { createHash } from 'node:crypto';
import { base58, createBase58check } from '@scure/base';
import { checksumAddress, isEvmAddress } from './evm-address.ts';
import type { NetworkFamily } from './network.ts';

const tronBase58 = createBase58check((bytes: Uint8Array) => createHash('sha256').update(bytes).digest());
const TRON_BYTES = 21;
const TRON_PREFIX = 0x41;
const SOLANA_BYTES = 32;

/**
 * The one written form of an address, or undefined when it is none. A mixed-case EVM address must carry the right
 * checksum; a Tron address must be written in base58, because its two hexadecimal forms have none and one of them is
 * also an EVM address; the zero address of any family is refused, because what is sent there is lost.
 */
export function normalizeAddress(family: NetworkFamily, text: string): string | undefined {
  switch (family) {
    case 'evm':
      return normalizeEvmAddress(text);
    case 'tron':
      return isTronAddress(text) ? text : undefined;
    case 'solana':
      return isSolanaAddress(text) ? text : undefined;
  }
}

function normalizeEvmAddress(text: string): string | undefined {
  if (!isEvmAddress(text) || BigInt(text) === 0n) return undefined;
  const shown = checksumAddress(text);
  return text === shown || text === text.toLowerCase() ? shown : undefined;
}

const TRON_HEX = /^(?:0x|41|0x41)?([0-9a-f]{40})$/i;

/** The twenty bytes inside a Tron address, as its JSON-RPC wants them. The address must be valid. */
export function tronToHex(address: string): string {
  return `0x${Buffer.from(tronBase58.decode(address).subarray(1)).toString('hex')}`;
}

/** The written form of twenty bytes, with or without `0x` and Tron's prefix; undefined when they are not that. */
export function tronFromHex(text: string): string | undefined {
  const digits = TRON_HEX.exec(text)?.[1];
  return digits === undefined ? undefined : tronBase58.encode(Buffer.from(`41${digits}`, 'hex'));
}

function decoded(decode: (text: string) => Uint8Array, text: string): Uint8Array | undefined {
  try {
    return decode(text);
  } catch {
    return undefined;
  }
}

function isTronAddress(text: string): boolean {
  const bytes = decoded((one) => tronBase58.decode(one), text);
  if (bytes?.length !== TRON_BYTES || bytes[0] !== TRON_PREFIX) return false;
  return bytes.subarray(1).some((byte) => byte !== 0);
}

function isSolanaAddress(text: string): boolean {
  const bytes = decoded((one) => base58.decode(one), text);
  return bytes?.length === SOLANA_BYTES && bytes.some((byte) => byte !== 0);
}
