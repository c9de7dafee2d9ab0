import type { Network } from '../networks/network.ts';
import type { Pass } from './chain-source.ts';
import type { ChainTransfer } from './transfer.ts';

/**
 * The port of sources that are asked account by account, because reading everything would cost too much: Solana today.
 * Each account has coverage of its own, so that one that is flooded delays nobody else.
 */

/** A slot (or whatever orders the source) and its time in whole seconds. */
export type AccountMark = { height: number; time: number };

export type AccountCommitment = 'confirmed' | 'finalized';

export type AccountHeads = Record<AccountCommitment, AccountMark>;

export type AccountRequest = {
  /** The store's address: the owner, not an account derived from it. */
  account: string;
  /** Everything after this block, up to the other, both as of `commitment`. */
  after: AccountMark;
  upTo: AccountMark;
  commitment: AccountCommitment;
  /** The second read of a range asks another provider, when there is one. */
  pass: Pass;
  /** Transactions that are known to be unreadable: they are neither asked for nor told again. */
  unread?: ReadonlySet<string>;
};

export type AccountTransfer = ChainTransfer & {
  /** In whole seconds. */
  blockTime: number;
  /** Keys that the transaction named beside the payment: they tell which quote it is for. At most 8. */
  references: string[];
  /** The provider that showed it, where that is another than the one that listed it. */
  shownBy?: string;
};

/**
 * Why a transaction cannot be read. `version`: of a version that is newer than we are. `malformed`: the answer cannot be
 * decoded. `missing`: it is listed and not given, or given elsewhere than it is listed; mostly for a moment only.
 */
export type ReadingFault = { fault: 'version' | 'malformed' | 'missing'; reason: string };

/** A transaction that is listed for an account and that no provider lets us read. */
export type UnreadableTransaction = ReadingFault & {
  txId: string;
  height: number;
  /** The newest block below it: up to there the account can be covered. */
  below: AccountMark;
};

/**
 * Complete from `after` to `end`, but for what is `unreadable`. `end` is `upTo`, or less when there was more than one answer
 * may hold: the next request goes on from there. What is confirmed above `upTo` may be among the transfers, too.
 */
export type AccountRead = {
  transfers: AccountTransfer[];
  end: AccountMark;
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

/** What one transaction did for an account. An absent one proves nothing: a provider may be behind. */
export type AccountTransaction = { txId: string } & (
  | { outcome: 'read'; transfers: AccountTransfer[] }
  | ({ outcome: 'unreadable' } & ReadingFault)
  | { outcome: 'absent' }
);

export type AccountTransactions = { transactions: AccountTransaction[]; by: string };

export type AccountSource = {
  readonly network: Network;
  /** The names of the providers, in the order of the configuration. */
  readonly providers: readonly string[];
  heads: (pass: Pass) => Promise<AccountHeads>;
  /**
   * A block that is surely older than a time, and not much; the given one if it is older itself. Throws a SourceError of
   * the kind `unsupported` when the provider has not kept anything that old.
   */
  markBefore: (time: number, upTo: AccountMark, pass: Pass) => Promise<AccountMark>;
  /** Complete, or throws a SourceError: an incomplete answer must never look empty. */
  readAccount: (request: AccountRequest) => Promise<AccountRead>;
  /** In the order of the ids. */
  readTransactions: (request: TransactionsRequest) => Promise<AccountTransactions>;
  /**
   * What accounts hold, in a form that only compares: one that changed has something to read. A hint that saves reading,
   * never a proof: money that came and went looks like none.
   */
  fingerprints?: (accounts: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  /** Throws when the node serves another chain, or a token is not what our list says. */
  verify: () => Promise<void>;
};
