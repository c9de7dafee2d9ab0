import type { Network } from '../networks/network.ts';
import type { InnerCoins, InnerCoinsRequest } from './named-coins.ts';
import type { BlockRef, ChainTransfer } from './transfer.ts';

/** The port of chains read by block: protocols only, without cursors, coverage or invoices. */

/**
 * `first`, `second`: that configured provider, or any other when it does not answer. `{ not }`: any except this one;
 * fails where only one is configured. `{ only }`: this one alone.
 */
export type Pass = 'first' | 'second' | { not: string } | { only: string };

export type Heads = {
  latest: BlockRef;
  /** The `safe` block; null when not requested or not supported. */
  safe: BlockRef | null;
  finalized: BlockRef;
  by: string;
};

export type ReadRequest = {
  from: number;
  to: number;
  /** Whether to read the network's own coin too, which requires whole blocks. */
  native: boolean;
  /** Headers to return: all; those of the range's ends (enough below the final block); or the ends and every nth. */
  headers: 'all' | 'ends' | { every: number };
  pass: Pass;
};

/** All transfers of a range, to any address, and the headers that link it to the chain. */
export type ChainRead = {
  blocks: BlockRef[];
  transfers: ChainTransfer[];
  by: string;
  /**
   * The end of the range lacks transfers of busy tokens, and for a minute no provider could prove that none is missing.
   * The range counts as read; an alarm is raised.
   */
  quietTail?: boolean;
  /** Transactions of unknown kinds, without receiver or value field; coins that they move are not read. */
  unknownShapes?: number;
  /** Logs listed more than once; copies are not among `transfers`. */
  duplicateLogs?: number;
};

/** A receipt lists every log of its transaction, so the numbers in transfer indexes are right. */
export type ChainReceipt = {
  txId: string;
  height: number;
  blockHash: string;
  succeeded: boolean;
  /** Transfers of listed tokens to any address; receipts never contain the network's own coin. */
  transfers: ChainTransfer[];
};

/** A claim to check: this transaction, in this block, moved these coins to this address. */
export type StatedCoins = Pick<ChainTransfer, 'txId' | 'to' | 'units' | 'height' | 'blockHash'>;

export type RefusedProvider = { provider: string; reason: string };

export type LackedMethod = { provider: string; method: string };

export type StandingHead = { provider: string; height: number };

export type ChainSource = {
  readonly network: Network;
  /** Provider names in configured order; URLs of one host are one provider. */
  readonly providers: readonly string[];
  /** Number of configured URLs, which may exceed the number of providers. */
  readonly addressCount?: number;
  readonly maxRange: number;
  /**
   * Where the own coin can be read: `head`, in any read; `finalized`, only in second reads, because only final blocks
   * distinguish coin transfers from similar transactions.
   */
  readonly nativeFrom: 'head' | 'finalized';
  /** The newest, safe and final block. `tags.safe` is false when no tier needs that tag, which some clients refuse. */
  heads: (pass: Pass, tags?: { safe: boolean }) => Promise<Heads>;
  blockAt: (height: number, pass: Pass) => Promise<BlockRef | null>;
  /** Reads a range by its logs. Returns a complete answer or throws: an incomplete answer must never look empty. */
  read: (request: ReadRequest) => Promise<ChainRead>;
  /** Reads a range by block, from another index of the node than `read`. Returns a complete answer or throws. */
  readBlocks: (request: ReadRequest) => Promise<ChainRead>;
  /** Receipts in the order of the ids; null when the transaction is unknown, which proves nothing. */
  receipts: (txIds: readonly string[], pass: Pass) => Promise<(ChainReceipt | null)[]>;
  /** Checks claims about coins, which receipts lack; null when the transaction is unknown. */
  showsCoins: (coins: readonly StatedCoins[], pass: Pass) => Promise<(boolean | null)[]>;
  /** Removes transfers of failed transactions, which some chains list too. */
  confirm: (transfers: readonly ChainTransfer[], pass: Pass) => Promise<ChainTransfer[]>;
  /** Coins that a contract passed on in one transaction; absent where no provider supports it. */
  innerCoins?: (request: InnerCoinsRequest, pass: Pass) => Promise<InnerCoins>;
  standing?: () => readonly StandingHead[];
  /** Required methods that a provider lacks. */
  lacking?: () => readonly LackedMethod[];
  /** Providers that are not used, because they serve another chain. */
  refused?: () => readonly RefusedProvider[];
  /** Throws when no provider serves this network. */
  verify: () => Promise<void>;
};

/**
 * `range`: too many blocks. `rate`: rate limit. `not-yet`: no answer yet. `unsupported`: never. `unavailable`: no
 * useful answer. `inconsistent`: contradicts itself or an earlier answer.
 */
export type SourceErrorKind = 'range' | 'rate' | 'not-yet' | 'unsupported' | 'unavailable' | 'inconsistent';

export type SourceErrorOptions = {
  cause?: unknown;
  /** The number of blocks that the provider would answer. */
  suggestedRange?: number;
  /** The requested pause. */
  retryAfterMs?: number;
  /** Whether the provider proved to serve another chain. */
  wrongChain?: boolean;
};

/** Thrown when a source cannot answer or contradicts itself; the request may be retried. */
export class SourceError extends Error {
  readonly kind: SourceErrorKind;
  readonly suggestedRange: number | undefined;
  readonly retryAfterMs: number | undefined;
  readonly wrongChain: boolean;

  constructor(kind: SourceErrorKind, message: string, options: SourceErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.name = 'SourceError';
    this.kind = kind;
    this.suggestedRange = options.suggestedRange;
    this.retryAfterMs = options.retryAfterMs;
    this.wrongChain = options.wrongChain === true;
  }
}
