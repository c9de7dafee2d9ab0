import type { Network } from '../networks/network.ts';
import type { InnerCoins, InnerCoinsRequest } from './named-coins.ts';
import type { BlockRef, ChainTransfer } from './transfer.ts';

/**
 * The port of chains that are read block by block. An adapter knows the dialect of its family of networks, and nothing
 * of cursors, coverage or invoices.
 */

/**
 * Which provider a question goes to. `first`, `second`: the first or second configured one, or any other when it does
 * not answer. `{ not }`: any provider except this one; fails where only one is configured. `{ only }`: this provider
 * alone.
 */
export type Pass = 'first' | 'second' | { not: string } | { only: string };

export type Heads = {
  latest: BlockRef;
  /** The block tagged `safe`; null when the tag was not asked for or the provider does not know it. */
  safe: BlockRef | null;
  finalized: BlockRef;
  /** The name of the provider that answered. */
  by: string;
};

export type ReadRequest = {
  from: number;
  to: number;
  /** Whether to read transfers of the network's own coin too, which takes whole blocks. */
  native: boolean;
  /**
   * Which headers to return: all; only those of the range's two ends (enough below the final block); or the ends and
   * every nth.
   */
  headers: 'all' | 'ends' | { every: number };
  pass: Pass;
};

/**
 * The answer to a read of a range: all transfers of the range, to any address, and the headers that tie the range to
 * the chain.
 */
export type ChainRead = {
  blocks: BlockRef[];
  transfers: ChainTransfer[];
  /** The name of the provider that answered. */
  by: string;
  /**
   * Set when the end of the range shows no transfer of tokens that always move, and for a minute no provider could
   * prove that none is missing. The range counts as read all the same; an alarm tells the operator.
   */
  quietTail?: boolean;
  /**
   * Number of transactions of unknown kinds, which have no receiver field or no value field; the coins that such
   * transactions move are not read.
   */
  unknownShapes?: number;
  /** Number of logs that the answer listed more than once; the copies are not among `transfers`. */
  duplicateLogs?: number;
};

/**
 * A transaction's receipt. A receipt lists every log of its transaction, so the numbers in the indexes of its transfers
 * are right.
 */
export type ChainReceipt = {
  txId: string;
  height: number;
  blockHash: string;
  succeeded: boolean;
  /** Transfers of tokens that we list, to any address; the network's own coin is never in a receipt. */
  transfers: ChainTransfer[];
};

/** A claim to check: this transaction, in this block, moved these coins to this address. */
export type StatedCoins = Pick<ChainTransfer, 'txId' | 'to' | 'units' | 'height' | 'blockHash'>;

type RefusedProvider = { provider: string; reason: string };

type LackedMethod = { provider: string; method: string };

/** A provider whose head stands still, and at which height. */
export type StandingHead = { provider: string; height: number };

export type ChainSource = {
  readonly network: Network;
  /** The names of the providers, in the order of the configuration. Addresses of one host are one provider. */
  readonly providers: readonly string[];
  /** Number of configured URLs; larger than the number of providers when several URLs share a host. */
  readonly addressCount?: number;
  readonly maxRange: number;
  /**
   * Where the network's own coin can be read: `head`, in any read; `finalized`, in second reads only, because only
   * final blocks tell a transfer of coins from what looks like one.
   */
  readonly nativeFrom: 'head' | 'finalized';
  /** The newest, safe and final block. `tags.safe` is false when no tier needs that tag, which some clients refuse. */
  heads: (pass: Pass, tags?: { safe: boolean }) => Promise<Heads>;
  blockAt: (height: number, pass: Pass) => Promise<BlockRef | null>;
  /**
   * Reads a range by its logs. Returns a complete answer or throws: an incomplete answer must never look like an empty
   * one.
   */
  read: (request: ReadRequest) => Promise<ChainRead>;
  /** Reads a range block by block, from another index of the node than `read`. Returns a complete answer or throws. */
  readBlocks: (request: ReadRequest) => Promise<ChainRead>;
  /** Receipts in the order of the ids; null when the provider does not know the transaction, which proves nothing. */
  receipts: (txIds: readonly string[], pass: Pass) => Promise<(ChainReceipt | null)[]>;
  /**
   * Checks claims about coins, of which receipts say nothing: whether each claim is true, or null when the provider
   * does not know the transaction.
   */
  showsCoins: (coins: readonly StatedCoins[], pass: Pass) => Promise<(boolean | null)[]>;
  /** Returns the transfers without those of failed transactions, which some chains list too. */
  confirm: (transfers: readonly ChainTransfer[], pass: Pass) => Promise<ChainTransfer[]>;
  /** Reads coins that a contract passed on inside one transaction; absent where no provider can tell. */
  innerCoins?: (request: InnerCoinsRequest, pass: Pass) => Promise<InnerCoins>;
  /** Providers that are not asked for now, because their heads stand still while another provider's moves. */
  standing?: () => readonly StandingHead[];
  /** Methods that reading needs and that a provider was found not to have. */
  lacking?: () => readonly LackedMethod[];
  /** Providers that are no longer asked, because they serve another chain. */
  refused?: () => readonly RefusedProvider[];
  /** Throws when the node serves another chain, or a token's decimals are not those of our list. */
  verify: () => Promise<void>;
};

/**
 * Why a source did not answer. `range`: too many blocks at once. `rate`: asked too often. `not-yet`: the provider does
 * not have the answer yet. `unsupported`: the provider will never have it. `unavailable`: no useful answer.
 * `inconsistent`: an answer that contradicts itself or an earlier one.
 */
export type SourceErrorKind = 'range' | 'rate' | 'not-yet' | 'unsupported' | 'unavailable' | 'inconsistent';

export type SourceErrorOptions = {
  cause?: unknown;
  /** The number of blocks that the provider says it would answer for. */
  suggestedRange?: number;
  /** How long the provider asks not to be called. */
  retryAfterMs?: number;
  /** Whether the provider proved to serve another chain. */
  wrongChain?: boolean;
};

/** Thrown when a source could not answer, or contradicted itself; the question may be asked again later. */
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
