import type { AddressShape } from '@counterfoil/core/address.ts';
import { findAddressFault, shapeOfAddress } from '@counterfoil/core/address.ts';
import type { ChainFamily } from '@counterfoil/core/network-family.ts';

/** Checks an address while it is typed, by the rules of the server. */

export type AddressCheck =
  | { state: 'empty' }
  | { state: 'good' }
  /** Valid so far, but incomplete. */
  | { state: 'short'; length: number; wanted: string }
  /** An address of another kind of network. */
  | { state: 'foreign'; shape: AddressShape }
  /** Wrong characters: the checksum does not match. */
  | { state: 'checksum' }
  /** Without owner: money sent there is lost. */
  | { state: 'zero' }
  | { state: 'unfit' };

const EVM_PART = /^0x?[0-9a-f]{0,39}$/i;
const BASE58 = /^[1-9A-HJ-NP-Za-km-z]+$/;
const TRON_LENGTH = 34;
const SOLANA_MAX = 44;
/** The length of an address, for people. */
const WANTED: Readonly<Record<ChainFamily, string>> = { evm: '42', tron: '34', solana: '32–44' };

/** Whether a text may be the beginning of an address. */
function isPart(family: ChainFamily, text: string): boolean {
  if (family === 'evm') return EVM_PART.test(text);
  if (!BASE58.test(text)) return false;
  return family === 'tron' ? text.startsWith('T') && text.length < TRON_LENGTH : text.length < SOLANA_MAX;
}

export function checkAddress(family: ChainFamily, typed: string): AddressCheck {
  const text = typed.trim();
  if (text === '') return { state: 'empty' };
  const fault = findAddressFault(family, text);
  if (fault !== 'shape') return { state: fault ?? 'good' };
  const shape = shapeOfAddress(text);
  if (shape !== undefined) return { state: 'foreign', shape };
  if (isPart(family, text)) return { state: 'short', length: text.length, wanted: WANTED[family] };
  return { state: 'unfit' };
}
