import type { ManualClock } from '../../src/lib/clock.ts';
import type { Step } from '../../src/chains/follow-chain.ts';
import type { FollowerCounts } from '../../src/chains/follower.ts';
import type { EngineFixture } from '../invoices/engine-fixture.ts';

/**
 * What a scenario needs of a chain, whichever it is. A source that has a rig runs all of them: nothing in them knows
 * what stands behind it.
 */

export type RigPayment = { to: string; units: bigint };

/** One of several payments of a transaction. */
export type RigShare = RigPayment & { token: string };

/** A transaction and the replaced block that gets it again, counted from the lowest. */
export type Again = { txId: string; offset: number };

/** Something that arrived, told by the chain itself and not by the adapter that is tested. */
export type Arrival = { txId: string; token: string; to: string; units: bigint; time: number };

/** Times are in seconds. */
export type RigHead = { height: number; time: number };

/** A reader that follows the rig's chain for an engine, either whole or account by account. */
export type RigReader = {
  /** Takes one step, and waits for whatever that step began. */
  step(): Promise<Step>;
  /** Until there is nothing left to read now. */
  toEnd(): Promise<void>;
  /** How high everything that is followed is covered by what is final. */
  covered(): Promise<number>;
  /** Whoever else reads may go on at once. */
  handOver(): Promise<void>;
  counts: FollowerCounts;
};

/** Where a worker dies: in its commit of what it saw, and in that of what it covered. */
export type Deaths = { recorded: [seen: string, settled: string]; inside: [string, string]; after: [string, string] };

export type SourceRig = {
  /** Symbol of the network, of a token on it and of its own coin. */
  network: string;
  token: string;
  coin: string;
  blockSeconds: number;
  /** A block this deep is final. */
  finalDepth: number;
  /** Whether a coin is seen before it is final. */
  seesCoinsEarly: boolean;
  /** What must follow a reorg until the reader takes back what it dropped: blocks on top of it, and a while of doubt. */
  reorgIsBelieved: { blocks: number; seconds: number };
  /** Three that one transaction may pay to one address with each told apart: the same, unless the chain only tells sums. */
  toldApart: [string, string, string];
  failpoints: Deaths;
  /** A reader of its own that asks the rig's provider: what one process has. */
  createReader(engine: EngineFixture): RigReader;
  /** Settings that let a worker process ask the same provider. */
  settings(): Record<string, string>;
  newAddress(): string;
  /** Mines what is pending into the first block. Answers the new head. */
  mine(blocks: number, times: { atTime?: number; secondsBetween?: number }): Promise<RigHead>;
  /** Payments wait to be mined. They answer the id that the chain gives them. */
  payToken(payment: RigPayment): Promise<string>;
  payCoin(payment: RigPayment): Promise<string>;
  /** Several payments in one transaction. */
  payTogether(payments: readonly RigShare[]): Promise<string>;
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

/** Only the fixture's user moves this clock. */
export type RigStart<Rig extends SourceRig = SourceRig> = (startSeconds: number, clock: ManualClock) => Promise<Rig>;
