import type { Network } from '../networks/network.ts';
import { normalizeAddress } from '../networks/address.ts';
import { isTransId } from './invoice.ts';

/** What somebody types into the search box, recognised by its shape. Pure. */

type Sought =
  | { kind: 'invoice'; transId: string }
  | { kind: 'event'; eventId: string }
  | { kind: 'transaction'; txIds: readonly string[] }
  | { kind: 'address'; addresses: readonly string[] }
  | { kind: 'text'; text: string };

const EVENT = /^evt_[A-Za-z0-9_-]{1,100}$/;
const HEXADECIMAL_HASH = /^(?:0x)?([0-9a-f]{64})$/i;
/** A signature of Solana, which is the id of its transaction. */
const SIGNATURE = /^[1-9A-HJ-NP-Za-km-z]{80,90}$/;
/** An address of an EVM network, in whatever case: a mistyped checksum must still find what is there. */
const EVM_ADDRESS = /^0x[0-9a-f]{40}$/i;
const FAMILIES = ['evm', 'tron', 'solana'] as const satisfies readonly Network['family'][];

/** The forms in which an address may be stored; none when the text is no address. */
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
  // Networks write the same kind of hash with and without 0x.
  if (digits !== undefined) return { kind: 'transaction', txIds: [`0x${digits}`, digits] };
  if (SIGNATURE.test(text)) return { kind: 'transaction', txIds: [text] };
  const addresses = addressesIn(text);
  return addresses.length > 0 ? { kind: 'address', addresses } : { kind: 'text', text };
}

/** How a result was found. */
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
  /** The invoice; null for money that pays none. */
  transId: string | null;
  storeId: bigint | null;
  status: string | null;
  requestId: string | null;
  eventId: string | null;
  network: string | null;
  txId: string | null;
  token: string | null;
  /** The amount that arrived, in the least units of the token. */
  units: string | null;
  at: Date;
};
