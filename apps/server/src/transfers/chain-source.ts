import type { Network } from '../networks/network.ts';
import type { BlockRef, ChainTransfer } from './transfer.ts';

/** The port behind which chains differ. Adapters know their dialect and nothing of cursors, coverage or invoices. */

export type Heads = { latest: BlockRef; safe: BlockRef | null; finalized: BlockRef };

export type ReadRequest = {
  from: number;
  to: number;
  /** Also the network's own coin, which needs whole blocks. */
  native: boolean;
  /** Every header of the range, or its ends only: below what is final the ends suffice. */
  headers: 'all' | 'ends';
  /** The second look at a range asks another provider, when there is one. */
  pass: 'first' | 'second';
};

/** Everything in the range, to any address, and the headers that prove where it stands. */
export type ChainRead = { blocks: BlockRef[]; transfers: ChainTransfer[] };

export type ChainSource = {
  readonly network: Network;
  readonly maxRange: number;
  /**
   * Where the network's own coin can be read: from the head on, or, where only the final view tells a coin from what
   * looks like one, by the second look alone. Such a source is never asked for it in a first look.
   */
  readonly nativeFrom: 'head' | 'finalized';
  heads: (pass: 'first' | 'second') => Promise<Heads>;
  blockAt: (height: number, pass: 'first' | 'second') => Promise<BlockRef | null>;
  /** Complete, or throws: an incomplete answer must never look empty. */
  read: (request: ReadRequest) => Promise<ChainRead>;
  /** Drops transfers of transactions that failed: some chains list those too. */
  confirm: (transfers: readonly ChainTransfer[], pass: 'first' | 'second') => Promise<ChainTransfer[]>;
  /** Throws when the node serves another chain, or a token's decimals are not those of our list. */
  verify: () => Promise<void>;
};

/** The source could not answer, or answered something that cannot be: try again. */
export class SourceError extends Error {
  readonly kind: 'unavailable' | 'range' | 'inconsistent';
  /** The range that the provider suggests. */
  readonly suggestedRange: number | undefined;

  constructor(kind: SourceError['kind'], message: string, options: { cause?: unknown; suggestedRange?: number } = {}) {
    super(message, { cause: options.cause });
    this.name = 'SourceError';
    this.kind = kind;
    this.suggestedRange = options.suggestedRange;
  }
}
