import type { Network } from '../networks/network.ts';
import type { Pass, RefusedProvider, StandingHead } from './chain-source.ts';
import type { ChainTransfer } from './transfer.ts';

/**
 * The port of networks that are read account by account, because reading every block would cost too much: Solana, and
 * the sandbox. Each account has its own coverage, so that a flooded one delays no other.
 */

export type ChainPosition = { height: number; time: number };

export type AccountCommitment = 'confirmed' | 'finalized';

export type AccountHeads = Record<AccountCommitment, ChainPosition>;

export type AccountRequest = {
  /** The store's own address, not a token account derived from it. */
  account: string;
  /** A range from `after` (exclusive) to `upTo` (inclusive): positions of blocks as final as `commitment`. */
  after: ChainPosition;
  upTo: ChainPosition;
  commitment: AccountCommitment;
  /** Which provider to ask; a second read uses another one than the first, if there is one. */
  pass: Pass;
  /** Known unreadable transactions, not to be fetched or reported again. */
  unread?: ReadonlySet<string>;
};

export type AccountTransfer = ChainTransfer & {
  blockTime: number;
  /** Up to 8 keys added by the payer's wallet that identify the quote. */
  references: string[];
  /** The provider that showed this transfer, if it is not the one that listed its transaction. */
  shownBy?: string;
};

/**
 * `version`: newer than this code supports. `malformed`: cannot be decoded. `missing`: listed but not returned, or with
 * another slot; mostly temporary.
 */
export type ReadingFault = { fault: 'version' | 'malformed' | 'missing'; reason: string };

/** A transaction listed for an account that no provider lets us read. */
export type UnreadableTransaction = ReadingFault & {
  txId: string;
  height: number;
  /** The newest block below: coverage may reach it. */
  below: ChainPosition;
};

/**
 * Complete from `after` to `end`, except for `unreadable`. `end` is below `upTo` when one answer cannot hold the range;
 * the next request continues there. May include confirmed transfers above `upTo`.
 */
export type AccountRead = {
  transfers: AccountTransfer[];
  end: ChainPosition;
  unreadable: UnreadableTransaction[];
  by: string;
};

export type TransactionsRequest = {
  account: string;
  txIds: readonly string[];
  commitment: AccountCommitment;
  pass: Pass;
};

/** `pending`: known, but not final enough. `absent` proves nothing: the provider may lag. */
export type AccountTransaction = { txId: string } & (
  | { outcome: 'read'; transfers: AccountTransfer[] }
  | ({ outcome: 'unreadable' } & ReadingFault)
  | { outcome: 'pending' }
  | { outcome: 'absent' }
);

export type AccountTransactions = { transactions: AccountTransaction[]; by: string };

export type AccountSource = {
  readonly network: Network;
  /** Provider names in configured order. */
  readonly providers: readonly string[];
  heads: (pass: Pass) => Promise<AccountHeads>;
  /** Providers that are skipped, because their heads stall while another's moves. */
  standing?: () => readonly StandingHead[];
  positionBefore: (time: number, upTo: ChainPosition, pass: Pass) => Promise<ChainPosition>;
  /** Returns a complete answer or throws a SourceError: an incomplete answer must never look empty. */
  readAccount: (request: AccountRequest) => Promise<AccountRead>;
  /** Reads given transactions as far as they concern an account, in the order of the ids. */
  readTransactions: (request: TransactionsRequest) => Promise<AccountTransactions>;
  /** Balances, for comparison. No change proves nothing: money that came and went leaves the same balances. */
  fingerprints?: (accounts: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  /** Providers that are not used, because they serve another chain. */
  refused?: () => readonly RefusedProvider[];
  /** Throws when no provider serves this network with the tokens of our list. */
  verify: () => Promise<void>;
};
