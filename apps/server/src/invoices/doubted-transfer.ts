import type { Network } from '../networks/network.ts';
import { profileOf } from '../networks/profile.ts';

/** Transfers that only a person can decide: one read showed them, and no receipt proves or disproves them. Pure rules. */

export type TransferFacts = {
  id: bigint;
  invoiceId: bigint | null;
  canonical: boolean;
  /** By a receipt or a second read. */
  proven: boolean;
  /** By its own mark, or because its tier is covered past it. */
  settled: boolean;
  blockTime: Date;
};

const SHORTEST_SECONDS = 600;
/** What is final is usually known after the lag of a network's finality; twice that is beyond doubt. */
const LAGS = 2;

/** For so long after its block, readers may still prove or disprove a transfer by themselves. */
export function readersDecideSeconds(network: Network): number {
  return Math.max(SHORTEST_SECONDS, LAGS * profileOf(network).finalizedLagSeconds);
}

const ABSENT = 'There is no such transfer to a watched address.';

/** Why a transfer may not be discarded; undefined when it may. */
export function refuseDiscard(facts: TransferFacts | undefined): string | undefined {
  if (!facts) return ABSENT;
  if (!facts.canonical) return 'The transfer is no longer in the chain as we read it: there is nothing to discard.';
  if (facts.proven)
    return 'The transfer was confirmed by a second question: only a reorg takes it away, and that is undone by itself.';
  return undefined;
}

/** Why a transfer may not be accepted; undefined when it may. */
export function refuseAccept(facts: TransferFacts | undefined, network: Network, now: Date): string | undefined {
  if (!facts) return ABSENT;
  if (!facts.canonical)
    return 'The transfer is no longer in the chain as we read it. chain rescan finds it if it is there.';
  if (facts.proven || facts.settled) return 'The transfer is confirmed already: nobody need vouch for it.';
  const waitSeconds = readersDecideSeconds(network) - (now.getTime() - facts.blockTime.getTime()) / 1000;
  if (waitSeconds > 0)
    return `Readers may still decide it by themselves: try again in ${Math.ceil(waitSeconds / 60)} minutes.`;
  return undefined;
}
