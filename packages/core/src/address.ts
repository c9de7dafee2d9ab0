import { base58 } from '@scure/base';
import { checksumAddress, isEvmAddress } from './evm-address.ts';
import type { ChainFamily, NetworkFamily } from './network-family.ts';
import { isTronForm, tronBytes } from './tron-address.ts';

/** What is an address, on each family of networks. */

const BASE58 = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;
const SOLANA_BYTES = 32;
const BITCOIN = /^(?:bc1[02-9ac-hj-np-z]{11,71}|[13][1-9A-HJ-NP-Za-km-z]{25,33})$/;
const NUMBER = /^\d{4,20}$/;
/** User ids of Binance, OKX, Bybit and KuCoin: 4 to 20 digits. */
const EXCHANGE_ID = /^[1-9][0-9]{3,19}$/;

/** Also texts that people confuse with addresses: user ids of exchanges, and Bitcoin's addresses. */
export type AddressShape = ChainFamily | 'bitcoin' | 'number';

/** `zero`: the all-zero address. No one has its key, so money sent there is lost. */
export type AddressFault = 'shape' | 'checksum' | 'zero';

const isZero = (bytes: Uint8Array) => bytes.every((byte) => byte === 0);

function solanaBytes(text: string): Uint8Array | undefined {
  const bytes = BASE58.test(text) ? base58.decode(text) : undefined;
  return bytes?.length === SOLANA_BYTES ? bytes : undefined;
}

/** The shape of a complete text, whether or not it is a valid address of that shape. */
export function shapeOfAddress(text: string): AddressShape | undefined {
  if (isEvmAddress(text)) return 'evm';
  if (isTronForm(text)) return 'tron';
  if (NUMBER.test(text)) return 'number';
  if (solanaBytes(text)) return 'solana';
  return BITCOIN.test(text) ? 'bitcoin' : undefined;
}

function findEvmFault(text: string): AddressFault | undefined {
  if (!isEvmAddress(text)) return 'shape';
  if (/^0x0+$/.test(text)) return 'zero';
  return text === text.toLowerCase() || text === checksumAddress(text) ? undefined : 'checksum';
}

/** Only base58: the hex forms have no checksum, and one is also a valid EVM address. */
function findTronFault(text: string): AddressFault | undefined {
  if (!isTronForm(text)) return 'shape';
  const bytes = tronBytes(text);
  if (!bytes) return 'checksum';
  return isZero(bytes) ? 'zero' : undefined;
}

function findSolanaFault(text: string): AddressFault | undefined {
  const bytes = solanaBytes(text);
  if (!bytes) return 'shape';
  return isZero(bytes) ? 'zero' : undefined;
}

const FAULTS: Readonly<Record<ChainFamily, (text: string) => AddressFault | undefined>> = {
  evm: findEvmFault,
  tron: findTronFault,
  solana: findSolanaFault,
};

/** Why a text is not an address of a family; undefined when it is one. Mixed-case EVM addresses need their checksum. */
export function findAddressFault(family: ChainFamily, text: string): AddressFault | undefined {
  return FAULTS[family](text);
}

/** The one form of an address in which it is stored; undefined when the text is not an address of the family. */
export function normalizeAddress(family: NetworkFamily, text: string): string | undefined {
  // Addresses of test stores are created with the store and never typed.
  if (family === 'sandbox') return undefined;
  if (family === 'exchange') return EXCHANGE_ID.test(text) ? text : undefined;
  if (findAddressFault(family, text) !== undefined) return undefined;
  return family === 'evm' ? checksumAddress(text) : text;
}
