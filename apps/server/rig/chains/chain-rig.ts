import type { ManualClock } from '../../src/lib/clock.ts';
import type { Step } from '../../src/chains/follow-chain.ts';
import type { Counts } from '../../src/chains/follower-counts.ts';
import type { EngineFixture } from '../invoices/engine-fixture.ts';

/**
 * What a scenario needs of a chain, of any family. Scenarios use only this interface, so every source with a rig runs
 * all scenarios.
 */

export type RigPayment = { to: string; units: bigint };

/** One of several payments that a single transaction makes. */
export type RigShare = RigPayment & { token: string };

/** A transaction that a reorg includes again, and in which of the replaced blocks, counted from the lowest. */
export type Again = { txId: string; offset: number };

/** A payment that arrived, as the chain itself shows it, not as the adapter under test reads it. */
export type Arrival = { txId: string; token: string; to: string; units: bigint; time: number };

/** Height and time of the head, in seconds. */
export type RigHead = { height: number; time: number };

/** A reader that follows the rig's chain for an engine, either whole or account by account. */
export type RigReader = {
  /** Takes one step, and waits for the work that the step began. */
  step(): Promise<Step>;
  /** Reads until nothing is left to read now. */
  toEnd(): Promise<void>;
  /** Height up to which the final tier is covered, for the whole chain or for all followed accounts. */
  covered(): Promise<number>;
  /** Releases the lease, so that another reader can continue immediately. */
  handOver(): Promise<void>;
  counts: Counts;
};

/**
 * Failpoints where a worker dies: in the commit of a first read (`seen`), and in the commit of coverage or a proof
 * (`settled`).
 */
export type Deaths = { recorded: [seen: string, settled: string]; inside: [string, string]; after: [string, string] };

export type SourceRig = {
  /** Symbols of the network, of a token on it and of its own coin. */
  network: string;
  token: string;
  coin: string;
  blockSeconds: number;
  /** Confirmations after which a block is final. */
  finalDepth: number;
  /** Whether a coin payment is seen before it is final. */
  seesCoinsEarly: boolean;
  /** What must follow a reorg before the reader undoes the dropped transfers: blocks on top, and seconds of doubt. */
  reorgIsBelieved: { blocks: number; seconds: number };
  /**
   * Tokens of three payments by one transaction to one address that the chain shows separately: of one token, unless it
   * only shows sums.
   */
  toldApart: [string, string, string];
  failpoints: Deaths;
  /** Creates a reader, as one process has it, that asks the rig's provider. */
  createReader(engine: EngineFixture): RigReader;
  /** Environment settings with which a worker process asks the same provider. */
  settings(): Record<string, string>;
  newAddress(): string;
  /** Mines blocks, with pending payments in the first mined block. Returns the new head. */
  mine(blocks: number, times: { atTime?: number; secondsBetween?: number }): Promise<RigHead>;
  /** Sends a payment, which waits to be mined. Returns the transaction's id on this chain. */
  payToken(payment: RigPayment): Promise<string>;
  payCoin(payment: RigPayment): Promise<string>;
  /** Sends several payments in one transaction. */
  payTogether(payments: readonly RigShare[]): Promise<string>;
  /** Replaces the newest blocks by as many other blocks, which hold only the given transactions. */
  reorg(depth: number, again?: readonly Again[]): Promise<RigHead>;
  /** From now on, backends that are `blocks` behind give this share of the answers, even within one batch. */
  lag(share: number, blocks: number): void;
  /** Takes the provider down until `up`: the provider gives no usable answer. */
  down(): Promise<void>;
  up(): Promise<void>;
  /** Every payment above zero to these addresses that the chain holds now. */
  arrivals(addresses: readonly string[]): Promise<Arrival[]>;
  stop(): Promise<void>;
};

/** Starts a rig. Only the fixture's user moves the clock. */
export type RigStart<Rig extends SourceRig = SourceRig> = (startSeconds: number, clock: ManualClock) => Promise<Rig>;
