import type { Network } from '../networks/network.ts';
import type { InnerCoins, InnerCoinsRequest } from './named-coins.ts';
import type { BlockRef, ChainTransfer } from './transfer.ts';

/** The port behind which chains differ. Adapters know their dialect and nothing of cursors, coverage or invoices. */

/**
 * Who answers. `first`: the first provider, and the others stand in for it. `second`: the second one, and the others stand
 * in. `{ not }`: any but the one of this name, for whom nobody stands in; unavailable where only one is configured.
 * `{ only }`: the one of this name.
 */
export type Pass = 'first' | 'second' | { not: string } | { only: string };

export type Heads = {
  latest: BlockRef;
  /** Null where it was not asked for, or the provider does not know it. */
  safe: BlockRef | null;
  finalized: BlockRef;
  /** The name of the provider that answered. */
  by: string;
};

export type ReadRequest = {
  from: number;
  to: number;
  /** Also the network's own coin, which needs whole blocks. */
  native: boolean;
  /** Every header of the range; its ends only, as below what is final; or its ends and one in so many between them. */
  headers: 'all' | 'ends' | { every: number };
  pass: Pass;
};

/** Everything in the range, to any address, and the headers that prove where it stands. */
export type ChainRead = {
  blocks: BlockRef[];
  transfers: ChainTransfer[];
  /** The name of the provider that answered. */
  by: string;
  /**
   * The end of the range is silent about tokens that always move, and no provider could prove for a minute that nothing
   * is missing there. It is answered all the same, and a person should be told.
   */
  quietTail?: boolean;
  /** Transactions of a kind that names no receiver or no value, where there were some: their coins are not read. */
  unknownShapes?: number;
};

/** What became of a transaction. A receipt lists every log, so the numbers of its transfers are the true ones. */
export type ChainReceipt = {
  txId: string;
  height: number;
  blockHash: string;
  succeeded: boolean;
  /** Token transfers of our list, to any address. Coins are not among them. */
  transfers: ChainTransfer[];
};

/** Coins that a transaction itself moves, where they are said to stand. */
export type StatedCoins = Pick<ChainTransfer, 'txId' | 'to' | 'units' | 'height' | 'blockHash'>;

export type RefusedProvider = { provider: string; reason: string };

export type ChainSource = {
  readonly network: Network;
  /** The names of the providers, in the order of the configuration. */
  readonly providers: readonly string[];
  readonly maxRange: number;
  /**
   * Where the network's own coin can be read: from the head on, or, where only the final view tells a coin from what
   * looks like one, by the second read alone. Such a source is never asked for it in a first read.
   */
  readonly nativeFrom: 'head' | 'finalized';
  /** What a second read asks another provider: the logs of the range once more, or the range block by block in any case. */
  readonly secondQuestion: 'logs' | 'blocks';
  /** `safe` says whether a tier needs that tag: some clients refuse to know it. */
  heads: (pass: Pass, tags?: { safe: boolean }) => Promise<Heads>;
  blockAt: (height: number, pass: Pass) => Promise<BlockRef | null>;
  /** The logs of a range. Complete, or throws: an incomplete answer must never look empty. */
  read: (request: ReadRequest) => Promise<ChainRead>;
  /** The same block by block, by another index than the one that answers ranges. Complete, or throws. */
  readBlocks: (request: ReadRequest) => Promise<ChainRead>;
  /** In the order of the ids; null for a transaction that the provider does not know, which proves nothing. */
  receipts: (txIds: readonly string[], pass: Pass) => Promise<(ChainReceipt | null)[]>;
  /** Whether coins stand where they are said to: receipts do not tell. Null for a transaction that the provider does not know. */
  showsCoins: (coins: readonly StatedCoins[], pass: Pass) => Promise<(boolean | null)[]>;
  /** Drops transfers of transactions that failed: some chains list those too. */
  confirm: (transfers: readonly ChainTransfer[], pass: Pass) => Promise<ChainTransfer[]>;
  /** Coins that a contract passed on in one transaction; absent where no provider can tell. */
  innerCoins?: (request: InnerCoinsRequest, pass: Pass) => Promise<InnerCoins>;
  /** Providers that are asked nothing, because they serve another chain. */
  refused?: () => readonly RefusedProvider[];
  /** Throws when the node serves another chain, or a token's decimals are not those of our list. */
  verify: () => Promise<void>;
};

/**
 * Why a source did not answer. `range`: too much was asked for at once. `rate`: asked too often. `not-yet`: it does not have
 * that yet. `unsupported`: it never will. `unavailable`: it said nothing useful. `inconsistent`: it said what cannot be.
 */
export type SourceErrorKind = 'range' | 'rate' | 'not-yet' | 'unsupported' | 'unavailable' | 'inconsistent';

export type SourceErrorOptions = {
  cause?: unknown;
  /** The range that the provider suggests. */
  suggestedRange?: number;
  /** How long the provider asks to be left alone. */
  retryAfterMs?: number;
  /** It proved to serve another chain than ours. */
  wrongChain?: boolean;
};

/** The source could not answer, or answered something that cannot be: try again. */
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
