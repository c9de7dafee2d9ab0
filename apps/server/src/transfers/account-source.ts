import type { Network } from '../networks/network.ts';
import type { ChainTransfer } from './transfer.ts';

/**
 * The port of sources that are asked account by account, because reading everything would cost too much: Solana today.
 * Each account has coverage of its own, so that one that is flooded delays nobody else.
 */

/** A slot (or whatever orders the source) and its time in whole seconds. */
export type AccountMark = { height: number; time: number };

export type AccountCommitment = 'confirmed' | 'finalized';

export type AccountRequest = {
  /** The store's address: the owner, not an account derived from it. */
  account: string;
  /** Everything after this slot, up to the other, both as of `commitment`. */
  after: number;
  upTo: AccountMark;
  commitment: AccountCommitment;
  /** The second look at a range asks another provider, when there is one. */
  pass: 'first' | 'second';
};

export type AccountTransfer = ChainTransfer & {
  /** In whole seconds. */
  blockTime: number;
  /** Keys that the transaction named beside the payment: they tell which quote it is for. At most 8. */
  references: string[];
};

/**
 * Complete from `after` to `end`. `end` is `upTo`, or less when there was more than one answer may hold: the next request
 * goes on from there.
 */
export type AccountRead = { transfers: AccountTransfer[]; end: AccountMark };

export type AccountSource = {
  readonly network: Network;
  /** The most heights that a second can have: how far back to begin for a moment that has passed. */
  readonly heightsPerSecond: number;
  heads: (pass: 'first' | 'second') => Promise<Record<AccountCommitment, AccountMark>>;
  /** Complete, or throws a SourceError: an incomplete answer must never look empty. */
  readAccount: (request: AccountRequest) => Promise<AccountRead>;
  /**
   * What accounts hold, in a form that only compares: one that changed has something to read. A hint that saves looking,
   * never a proof: money that came and went looks like none.
   */
  fingerprints?: (accounts: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  /** Throws when the node serves another chain, or a token is not what our list says. */
  verify: () => Promise<void>;
};
