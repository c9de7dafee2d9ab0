import type { Network } from '../networks/network.ts';
import type { Pass, StandingHead } from './chain-source.ts';
import type { ChainTransfer } from './transfer.ts';

/**
 * The port to networks that are read account by account, because reading every block would cost too much: Solana, and
 * the sandbox's networks. Each followed account has its own coverage, so that a flooded followed account delays no
 * other.
 */

/** A position in the chain: height (Solana: slot) and time in whole seconds. */
export type ChainPosition = { height: number; time: number };

export type AccountCommitment = 'confirmed' | 'finalized';

export type AccountHeads = Record<AccountCommitment, ChainPosition>;

export type AccountRequest = {
  /** The followed account: the store's own address, not a token account derived from it. */
  account: string;
  /**
   * Start of the range, exclusive; `upTo` is the end of the range, inclusive. Both are positions of blocks that are as
   * final as `commitment` says.
   */
  after: ChainPosition;
  upTo: ChainPosition;
  commitment: AccountCommitment;
  /** Which provider to ask: a second read asks another provider than the first read, if there is another. */
  pass: Pass;
  /** Transactions known to be unreadable, which are not fetched or reported again. */
  unread?: ReadonlySet<string>;
};

export type AccountTransfer = ChainTransfer & {
  /** The block's time in whole seconds. */
  blockTime: number;
  /** References in the transaction, at most 8: keys added by the payer's wallet that name the quote being paid. */
  references: string[];
  /** The provider that showed this transfer, if not the provider that listed its transaction. */
  shownBy?: string;
};

/**
 * Why a transaction cannot be read. `version`: its version is newer than this code knows. `malformed`: the answer
 * cannot be decoded. `missing`: the transaction is listed but not returned, or returned with another slot; mostly for a
 * moment only.
 */
export type ReadingFault = { fault: 'version' | 'malformed' | 'missing'; reason: string };

/** A transaction that is listed for a followed account and that no provider lets us read. */
export type UnreadableTransaction = ReadingFault & {
  txId: string;
  height: number;
  /** The newest block below the transaction: coverage of the followed account may reach up to it. */
  below: ChainPosition;
};

/**
 * The answer to a read of a followed account: complete from `after` to `end`, except for `unreadable`. `end` is below
 * `upTo` when the range holds more than one answer can; the next request continues at `end`. Confirmed transfers above
 * `upTo` may be included.
 */
export type AccountRead = {
  transfers: AccountTransfer[];
  end: ChainPosition;
  unreadable: UnreadableTransaction[];
  /** The name of the provider that answered. */
  by: string;
};

export type TransactionsRequest = {
  account: string;
  txIds: readonly string[];
  commitment: AccountCommitment;
  pass: Pass;
};

/**
 * What one transaction brought to a followed account. `pending`: the source knows the transaction, which is less final
 * than the request asks. `absent` proves nothing: the provider may be behind.
 */
export type AccountTransaction = { txId: string } & (
  | { outcome: 'read'; transfers: AccountTransfer[] }
  | ({ outcome: 'unreadable' } & ReadingFault)
  | { outcome: 'pending' }
  | { outcome: 'absent' }
);

export type AccountTransactions = { transactions: AccountTransaction[]; by: string };

export type AccountSource = {
  readonly network: Network;
  /** The names of the providers, in the order of the configuration. */
  readonly providers: readonly string[];
  heads: (pass: Pass) => Promise<AccountHeads>;
  /** Providers that are not asked for now, because their heads stand still while another provider's moves. */
  standing?: () => readonly StandingHead[];
  /**
   * Finds a block that is surely older than `time`, but not by much; returns `upTo` if `upTo` is older than `time`.
   * Throws a SourceError of kind `unsupported` when the provider keeps no block that old.
   */
  positionBefore: (time: number, upTo: ChainPosition, pass: Pass) => Promise<ChainPosition>;
  /**
   * Reads a followed account. Returns a complete answer or throws a SourceError: an incomplete answer must never look
   * empty.
   */
  readAccount: (request: AccountRequest) => Promise<AccountRead>;
  /** Reads named transactions as far as they concern a followed account, in the order of the ids. */
  readTransactions: (request: TransactionsRequest) => Promise<AccountTransactions>;
  /**
   * A fingerprint of each followed account's balances: a change means that there is something to read. A fingerprint is
   * a hint that saves reads, never a proof: money that came and went leaves the same balances.
   */
  fingerprints?: (accounts: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  /** Throws when the node serves another chain, or when a token on the chain is not what our list says. */
  verify: () => Promise<void>;
};
