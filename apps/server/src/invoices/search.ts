/** What a search found, and why it matched. */

export const MATCHES = [
  'trans_id',
  'event',
  'transaction',
  'named_transaction',
  'sender',
  'receiver',
  'request_id',
  'request_id_start',
  'trans_id_start',
  'transaction_start',
  'words',
  'amount',
] as const;
type Match = (typeof MATCHES)[number];

export type SearchResult = {
  matched: Match;
  /** Null for unmatched transfers. */
  transId: string | null;
  storeId: bigint | null;
  status: string | null;
  requestId: string | null;
  name: string | null;
  eventId: string | null;
  network: string | null;
  txId: string | null;
  token: string | null;
  /** In base units. */
  units: string | null;
  /** The transfer, if it is unmatched. */
  transferId: bigint | null;
  at: Date;
};
