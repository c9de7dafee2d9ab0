import { normalizeAddress } from './address.ts';
import { isEventId, isTransId } from './code.ts';
import { isEvmAddress } from './evm-address.ts';
import type { ChainFamily } from './network-family.ts';

/** Recognises what is typed into the search box by its shape. */

/** A typed number as a range: 119.04 also finds 119.043518. */
export type SoughtAmount = { from: string; below: string };

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

/** Fewest characters of a code or hash, so that few share them. */
const LEAST_PREFIX = 6;
const TRANS_ID_PREFIX = /^(?:TID-)?([0-9A-Z]{6,16})$/;
const HASH_PREFIX = /^(?:0x)?([0-9a-f]{6,63})$/i;
const SIGNATURE_PREFIX = /^[1-9A-HJ-NP-Za-km-z]{6,90}$/;

/** The beginning of an invoice code. */
export function codePrefixOf(typed: string): string | undefined {
  const prefix = TRANS_ID_PREFIX.exec(typed.trim().toUpperCase())?.[1];
  return prefix === undefined ? undefined : `TID-${prefix}`;
}

/** Beginnings of a transaction id in its stored forms. */
export function hashPrefixesOf(typed: string): string[] {
  const text = typed.trim();
  const digits = HASH_PREFIX.exec(text)?.[1]?.toLowerCase();
  const hexadecimal = digits === undefined ? [] : [`0x${digits}`, digits];
  const signature = SIGNATURE_PREFIX.test(text) && text.length >= LEAST_PREFIX ? [text] : [];
  return [...new Set([...hexadecimal, ...signature])];
}

const AMOUNT = /^\$?(\d{1,12})(?:\.(\d{1,8}))?$/;

/** The amounts that begin with the typed digits. */
export function amountOf(typed: string): SoughtAmount | undefined {
  const found = AMOUNT.exec(typed.trim().replaceAll(',', ''));
  if (!found) return undefined;
  const [, whole = '', part = ''] = found;
  const scale = 10n ** BigInt(part.length);
  const units = BigInt(whole + part) + 1n;
  const below = part === '' ? String(units) : `${units / scale}.${String(units % scale).padStart(part.length, '0')}`;
  return { from: part === '' ? whole : `${whole}.${part}`, below };
}

/** Most words that a title or order is searched for. */
const MAX_WORDS = 6;

/** Words in lower case, each of which a title or order must contain. */
export const wordsOf = (typed: string): string[] =>
  typed.trim().toLowerCase().split(/\s+/).filter(Boolean).slice(0, MAX_WORDS);
