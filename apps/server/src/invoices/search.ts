import { normalizeAddress } from '@counterfoil/core/address.ts';
import type { Network } from '../networks/network.ts';
import { isTransId } from './invoice.ts';

/** Recognises search input by its shape. */

type Sought =
  | { kind: 'invoice'; transId: string }
  | { kind: 'event'; eventId: string }
  | { kind: 'transaction'; txIds: readonly string[] }
  | { kind: 'address'; addresses: readonly string[] }
  | { kind: 'text'; text: string };

const EVENT = /^evt_[A-Za-z0-9_-]{1,100}$/;
const HEXADECIMAL_HASH = /^(?:0x)?([0-9a-f]{64})$/i;
/** A Solana signature, which is a transaction id. */
const SIGNATURE = /^[1-9A-HJ-NP-Za-km-z]{80,90}$/;
/** In any case: a mistyped checksum must still find the address. */
const EVM_ADDRESS = /^0x[0-9a-f]{40}$/i;
const FAMILIES = ['evm', 'tron', 'solana'] as const satisfies readonly Network['family'][];

/** Stored forms of an address; none if the text is no address. */
function addressesIn(text: string): string[] {
  const written = EVM_ADDRESS.test(text) ? text.toLowerCase() : text;
  const normal = FAMILIES.map((family) => normalizeAddress(family, written)).filter((one) => one !== undefined);
  return normal.length === 0 ? [] : [...new Set([...normal, text, written])];
}

export function recognise(typed: string): Sought {
  const text = typed.trim();
  const code = text.toUpperCase();
  if (isTransId(code)) return { kind: 'invoice', transId: code };
  if (EVENT.test(text)) return { kind: 'event', eventId: text };
  const digits = HEXADECIMAL_HASH.exec(text)?.[1]?.toLowerCase();
  // Networks write the same hash with and without 0x.
  if (digits !== undefined) return { kind: 'transaction', txIds: [`0x${digits}`, digits] };
  if (SIGNATURE.test(text)) return { kind: 'transaction', txIds: [text] };
  const addresses = addressesIn(text);
  return addresses.length > 0 ? { kind: 'address', addresses } : { kind: 'text', text };
}

export const MATCHES = [
  'trans_id',
  'event',
  'transaction',
  'named_transaction',
  'sender',
  'receiver',
  'request_id',
  'request_id_start',
] as const;
type Match = (typeof MATCHES)[number];

export type SearchResult = {
  matched: Match;
  /** Null for unmatched transfers. */
  transId: string | null;
  storeId: bigint | null;
  status: string | null;
  requestId: string | null;
  eventId: string | null;
  network: string | null;
  txId: string | null;
  token: string | null;
  /** In base units. */
  units: string | null;
  at: Date;
};
