import { keccak_256 } from '@noble/hashes/sha3.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { base58, createBase58check } from '@scure/base';

/** Checks an address while typing, to catch typos early. The server checks by its own rules. */

export type Family = 'evm' | 'tron' | 'solana';
/** The shape of a text, including unsupported ones: exchange user ids and Bitcoin addresses. */
type Shape = Family | 'bitcoin' | 'number';

export type AddressCheck =
  | { state: 'empty' }
  | { state: 'good' }
  /** Valid so far, but incomplete. */
  | { state: 'short'; length: number; wanted: string }
  /** An address of another kind of network. */
  | { state: 'foreign'; shape: Shape }
  /** Wrong characters: the checksum does not match. */
  | { state: 'checksum' }
  /** Without owner: money sent there is lost. */
  | { state: 'zero' }
  | { state: 'unfit' };

const EVM = /^0x[0-9a-f]{40}$/i;
const EVM_PART = /^0x?[0-9a-f]{0,39}$/i;
const BASE58 = /^[1-9A-HJ-NP-Za-km-z]+$/;
const TRON = /^T[1-9A-HJ-NP-Za-km-z]{33}$/;
const BITCOIN = /^(?:bc1[02-9ac-hj-np-z]{11,71}|[13][1-9A-HJ-NP-Za-km-z]{25,33})$/;
const NUMBER = /^\d{4,20}$/;
const TRON_LENGTH = 34;
const SOLANA_MIN = 32;
const SOLANA_MAX = 44;
const SOLANA_BYTES = 32;
const TRON_BYTES = 21;
const TRON_PREFIX = 0x41;
/** The length of an address, for people. */
const WANTED: Readonly<Record<Family, string>> = { evm: '42', tron: '34', solana: '32–44' };
/** A letter is a capital if the hash has at least this digit at its position. */
const CAPITAL_FROM = 8;

const tronBase58 = createBase58check(sha256);

/** Adds the EVM checksum. */
export function checksumOf(address: string): string {
  const digits = address.slice(2).toLowerCase();
  const hash = keccak_256(new TextEncoder().encode(digits));
  const letters = digits.split('').map((letter, place) => {
    const byte = hash[place >> 1] ?? 0;
    return (place % 2 === 0 ? byte >> 4 : byte & 15) >= CAPITAL_FROM ? letter.toUpperCase() : letter;
  });
  return `0x${letters.join('')}`;
}

function decode(read: (text: string) => Uint8Array, text: string): Uint8Array | undefined {
  try {
    return read(text);
  } catch {
    return undefined;
  }
}

const isZero = (bytes: Uint8Array) => bytes.every((byte) => byte === 0);

/** The shape of a complete text, if known. */
function shapeOf(text: string): Shape | undefined {
  if (EVM.test(text)) return 'evm';
  if (TRON.test(text)) return 'tron';
  if (NUMBER.test(text)) return 'number';
  if (
    BASE58.test(text) &&
    text.length >= SOLANA_MIN &&
    decode((one) => base58.decode(one), text)?.length === SOLANA_BYTES
  )
    return 'solana';
  return BITCOIN.test(text) ? 'bitcoin' : undefined;
}

function checkEvm(text: string): AddressCheck {
  if (/^0x0{40}$/.test(text)) return { state: 'zero' };
  const isPlain = text === text.toLowerCase();
  return isPlain || text === checksumOf(text) ? { state: 'good' } : { state: 'checksum' };
}

function checkTron(text: string): AddressCheck {
  const bytes = decode((one) => tronBase58.decode(one), text);
  if (bytes?.length !== TRON_BYTES || bytes[0] !== TRON_PREFIX) return { state: 'checksum' };
  return isZero(bytes.subarray(1)) ? { state: 'zero' } : { state: 'good' };
}

function checkSolana(text: string): AddressCheck {
  const bytes = decode((one) => base58.decode(one), text);
  return bytes && isZero(bytes) ? { state: 'zero' } : { state: 'good' };
}

const CHECKS: Readonly<Record<Family, (text: string) => AddressCheck>> = {
  evm: checkEvm,
  tron: checkTron,
  solana: checkSolana,
};

/** Whether a text may be the beginning of an address. */
function isPart(family: Family, text: string): boolean {
  if (family === 'evm') return EVM_PART.test(text);
  if (!BASE58.test(text)) return false;
  return family === 'tron' ? text.startsWith('T') && text.length < TRON_LENGTH : text.length < SOLANA_MAX;
}

export function checkAddress(family: Family, typed: string): AddressCheck {
  const text = typed.trim();
  if (text === '') return { state: 'empty' };
  const shape = shapeOf(text);
  if (shape === family) return CHECKS[family](text);
  if (shape !== undefined) return { state: 'foreign', shape };
  if (isPart(family, text)) return { state: 'short', length: text.length, wanted: WANTED[family] };
  return { state: 'unfit' };
}
