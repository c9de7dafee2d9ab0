import { createHash } from 'node:crypto';
import { base58, createBase58check } from '@scure/base';
import { getAddress, isAddress } from 'viem';
import type { NetworkFamily } from './network.ts';

const tronBase58 = createBase58check((bytes: Uint8Array) => createHash('sha256').update(bytes).digest());
const TRON_BYTES = 21;
const TRON_PREFIX = 0x41;
const SOLANA_BYTES = 32;

/**
 * The one written form of an address, or undefined when it is none. A mixed-case EVM address must carry the right
 * checksum; the zero address of any family is refused, because what is sent there is lost.
 */
export function normalizeAddress(family: NetworkFamily, text: string): string | undefined {
  switch (family) {
    case 'evm':
      return isAddress(text) && BigInt(text) !== 0n ? getAddress(text) : undefined;
    case 'tron':
      return isTronAddress(text) ? text : undefined;
    case 'solana':
      return isSolanaAddress(text) ? text : undefined;
  }
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
