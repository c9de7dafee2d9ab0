import { Refusal } from '../lib/refusal.ts';
import type { Network } from '../networks/network.ts';
import { readingFactsOf } from '../networks/profile.ts';

/** Rules for doubted transfers, which an operator decides: a read showed one, and no receipt proves or disproves it. */

export type TransferFacts = {
  id: bigint;
  invoiceId: bigint | null;
  canonical: boolean;
  /** By a receipt or a second read. */
  proven: boolean;
  settled: boolean;
  /** Whether another transfer of the transaction has the same content: a provider may list a log twice. */
  hasTwin: boolean;
  blockTime: Date;
};

const SHORTEST_SECONDS = 600;
/** Finality lags before a doubted transfer may be accepted: readers usually know after one. */
const LAGS = 2;

/** Seconds after a transfer's block in which readers may still prove or disprove it. */
export function readersDecideSeconds(network: Network): number {
  return Math.max(SHORTEST_SECONDS, LAGS * readingFactsOf(network).finalizedLagSeconds);
}

export function refuseDiscard(facts: TransferFacts | undefined): Refusal | undefined {
  if (!facts) return new Refusal('TRANSFER_UNKNOWN');
  if (!facts.canonical) return new Refusal('TRANSFER_DISCARDED');
  if (facts.proven && !facts.hasTwin) return new Refusal('TRANSFER_CONFIRMED');
  return undefined;
}

export function refuseAccept(facts: TransferFacts | undefined, network: Network, now: Date): Refusal | undefined {
  if (!facts) return new Refusal('TRANSFER_UNKNOWN');
  if (!facts.canonical) return new Refusal('TRANSFER_NOT_IN_CHAIN');
  if (facts.proven || facts.settled) return new Refusal('TRANSFER_NEEDS_NOBODY');
  const waitSeconds = readersDecideSeconds(network) - (now.getTime() - facts.blockTime.getTime()) / 1000;
  if (waitSeconds > 0) return new Refusal('TRANSFER_UNDECIDED_YET', { minutes: Math.ceil(waitSeconds / 60) });
  return undefined;
}
