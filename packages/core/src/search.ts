import { normalizeAddress } from './address.ts';
import { isEventId, isTransId } from './code.ts';
import { isEvmAddress } from './evm-address.ts';
import type { ChainFamily } from './network-family.ts';

/** Recognises what is typed into the search box by its shape. */

export type Sought =
  | { kind: 'invoice'; transId: string }
  | { kind: 'event'; eventId: string }
  | { kind: 'transaction'; txIds: readonly string[] }
  | { kind: 'address'; addresses: readonly string[] }
  | { kind: 'text'; text: string };

const HEXADECIMAL_HASH = /^(?:0x)?([0-9a-f]{64})$/i;
/** A Solana signature, which is a transaction id. */
const SIGNATURE = /^[1-9A-HJ-NP-Za-km-z]{80,90}$/;
const FAMILIES: readonly ChainFamily[] = ['evm', 'tron', 'solana'];

/** Stored forms of an address; none if the text is not one. A mistyped EVM checksum must still find the address. */
function addressesIn(text: string): string[] {
  const written = isEvmAddress(text) ? text.toLowerCase() : text;
  const normal = FAMILIES.map((family) => normalizeAddress(family, written)).filter((one) => one !== undefined);
  return normal.length === 0 ? [] : [...new Set([...normal, text, written])];
}

export function recognizeSearch(typed: string): Sought {
  const text = typed.trim();
  const code = text.toUpperCase();
  if (isTransId(code)) return { kind: 'invoice', transId: code };
  if (isEventId(text)) return { kind: 'event', eventId: text };
  const digits = HEXADECIMAL_HASH.exec(text)?.[1]?.toLowerCase();
  // Networks write the same hash with and without 0x.
  if (digits !== undefined) return { kind: 'transaction', txIds: [`0x${digits}`, digits] };
  if (SIGNATURE.test(text)) return { kind: 'transaction', txIds: [text] };
  const addresses = addressesIn(text);
  return addresses.length > 0 ? { kind: 'address', addresses } : { kind: 'text', text };
}
