import { Refusal } from '../lib/refusal.ts';
import type { Network } from '../networks/network.ts';
import { readingFactsOf } from '../networks/profile.ts';

/**
 * Rules for doubted transfers, which a person decides: a read showed the transfer, and no receipt proves or disproves
 * it. Pure.
 */

export type TransferFacts = {
  id: bigint;
  invoiceId: bigint | null;
  canonical: boolean;
  /** Whether the transfer is proven, by a receipt or a second read. */
  proven: boolean;
  /** Whether the transfer is settled, by its own mark or because coverage of its tier has passed it. */
  settled: boolean;
  /**
   * Whether the transaction has another transfer of the same content in the chain. One of the two may be a copy: a
   * provider may list a log twice.
   */
  hasTwin: boolean;
  blockTime: Date;
};

const SHORTEST_SECONDS = 600;
/**
 * How many finality lags of its network a doubted transfer waits before a person may accept it: readers usually know
 * after one lag whether the transfer is final.
 */
const LAGS = 2;

/** Seconds after a transfer's block in which readers may still prove or disprove the transfer by themselves. */
export function readersDecideSeconds(network: Network): number {
  return Math.max(SHORTEST_SECONDS, LAGS * readingFactsOf(network).finalizedLagSeconds);
}

/** Why a doubted transfer may not be discarded; undefined when it may be. */
export function refuseDiscard(facts: TransferFacts | undefined): Refusal | undefined {
  if (!facts) return new Refusal('TRANSFER_UNKNOWN');
  if (!facts.canonical) return new Refusal('TRANSFER_DISCARDED');
  if (facts.proven && !facts.hasTwin) return new Refusal('TRANSFER_CONFIRMED');
  return undefined;
}

/** Why a doubted transfer may not be accepted; undefined when it may be. */
export function refuseAccept(facts: TransferFacts | undefined, network: Network, now: Date): Refusal | undefined {
  if (!facts) return new Refusal('TRANSFER_UNKNOWN');
  if (!facts.canonical) return new Refusal('TRANSFER_NOT_IN_CHAIN');
  if (facts.proven || facts.settled) return new Refusal('TRANSFER_NEEDS_NOBODY');
  const waitSeconds = readersDecideSeconds(network) - (now.getTime() - facts.blockTime.getTime()) / 1000;
  if (waitSeconds > 0) return new Refusal('TRANSFER_UNDECIDED_YET', { minutes: Math.ceil(waitSeconds / 60) });
  return undefined;
}
