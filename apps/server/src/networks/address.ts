import { createHash } from 'node:crypto';
import { base58, createBase58check } from '@scure/base';
import { checksumAddress, isEvmAddress } from './evm-address.ts';
import type { NetworkFamily } from './network.ts';

const tronBase58 = createBase58check((bytes: Uint8Array) => createHash('sha256').update(bytes).digest());
const TRON_BYTES = 21;
const TRON_PREFIX = 0x41;
const SOLANA_BYTES = 32;
/** User ids of Binance, OKX, Bybit and KuCoin: 4 to 20 digits. */
const EXCHANGE_ID = /^[1-9][0-9]{3,19}$/;

/**
 * The normal form of an address; undefined when invalid. Mixed-case EVM addresses need a correct checksum. Tron
 * addresses must be base58: the hex forms have no checksum, and one is also a valid EVM address. Zero addresses are
 * refused, because money sent there is lost.
 */
export function normalizeAddress(family: NetworkFamily, text: string): string | undefined {
  switch (family) {
    case 'evm':
      return normalizeEvmAddress(text);
    case 'tron':
      return isTronAddress(text) ? text : undefined;
    case 'solana':
      return isSolanaAddress(text) ? text : undefined;
    case 'exchange':
      return EXCHANGE_ID.test(text) ? text : undefined;
    case 'sandbox':
      // Test stores' addresses are created with the store and never typed.
      return undefined;
  }
}

function normalizeEvmAddress(text: string): string | undefined {
  if (!isEvmAddress(text) || BigInt(text) === 0n) return undefined;
  const shown = checksumAddress(text);
  return text === shown || text === text.toLowerCase() ? shown : undefined;
}

const TRON_HEX = /^(?:0x|41|0x41)?([0-9a-f]{40})$/i;

/** The twenty bytes of a valid Tron address in hex, for Tron's JSON-RPC. */
export function tronToHex(address: string): string {
  return `0x${Buffer.from(tronBase58.decode(address).subarray(1)).toString('hex')}`;
}

/** The base58 form of a hex Tron address, with or without `0x` and Tron's prefix; undefined when malformed. */
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
