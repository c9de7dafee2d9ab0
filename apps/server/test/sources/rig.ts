import type { ChainSource } from '../../src/transfers/chain-source.ts';

/**
 * What a scenario needs of a chain, whichever it is. A source that has a rig runs all of them: nothing in them knows
 * what stands behind it.
 */

export type RigPayment = { to: string; units: bigint };

/** A transaction and the replaced block that gets it again, counted from the lowest. */
export type Again = { txId: string; offset: number };

/** Something that arrived, told by the chain itself and not by the adapter that is tested. */
export type Arrival = { txId: string; token: string; to: string; units: bigint; time: number };

/** Times are in seconds. */
export type RigHead = { height: number; time: number };

export type SourceRig = {
  /** Symbol of the network, of a token on it and of its own coin. */
  network: string;
  token: string;
  coin: string;
  blockSeconds: number;
  /** A block this deep is final. */
  finalDepth: number;
  /** A source of its own through the rig's door: what one reader process has. */
  createSource(): ChainSource;
  /** Where a worker process finds the same door. */
  settings(): Record<string, string>;
  newAddress(): string;
  /** Mines what is pending into the first block. Answers the new head. */
  mine(blocks: number, times: { atTime?: number; secondsBetween?: number }): Promise<RigHead>;
  /** Payments wait to be mined. They answer the id that the chain gives them. */
  payToken(payment: RigPayment): Promise<string>;
  payCoin(payment: RigPayment): Promise<string>;
  /** Several token payments in one transaction. */
  payTogether(payments: readonly RigPayment[]): Promise<string>;
  /** Replaces the newest blocks by as many others, which hold only the given transactions. */
  reorg(depth: number, again?: readonly Again[]): Promise<RigHead>;
  /** From now on backends that are so many blocks behind give this share of the answers, also within one batch. */
  lag(share: number, blocks: number): void;
  /** Nobody answers until `up`. */
  down(): Promise<void>;
  up(): Promise<void>;
  /** Everything of value that the chain holds for these addresses now. */
  arrivals(addresses: readonly string[]): Promise<Arrival[]>;
  stop(): Promise<void>;
};

export type RigStart = (startSeconds: number) => Promise<SourceRig>;
