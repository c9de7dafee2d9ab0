import type { Hex } from 'viem';
import type { FaultCounts, NodeFaults } from '../../rig/chains/evm/network-faults.ts';
import { NO_FAULTS } from '../../rig/chains/evm/network-faults.ts';
import type { NetworkProvider } from '../../rig/chains/evm/network-node.ts';
import type { SolanaDoor } from '../../rig/chains/solana/node.ts';
import type { TronNetworkProvider } from '../../rig/chains/tron/network.ts';

/** Providers of the drill: their faults, and how often faults changed an answer. */

export type HideLog = (transactionHash: Hex, place: number, until?: { seconds?: number; answers?: number }) => void;

/** Faults of a provider from now on; faults that are not named are off. */
export type SideFaults = {
  /** Share of answers from a node that is `lagBlocks` behind, drawn per request or per call of a batch. */
  stale?: { share: number; lagBlocks: number; splitBatches: boolean };
  logsLagBlocks?: number;
  logsLagSeconds?: number;
  logsHole?: { from: number; to: number };
  /** Whether the provider's head stops at the present block while the provider goes on answering. */
  standsStill?: boolean;
  /** Whether each log of a range is listed twice. */
  duplicateLogs?: boolean;
};

export type SideCounts = {
  staleAnswers: number;
  /** Answers with logs missing because the index was behind, had a hole, or blocks were not executed. */
  indexLag: number;
  /** Those of them that lacked logs because of a hole. */
  holes: number;
  /** Answers without a log that the drill hid. */
  missingLogs: number;
  phantoms: number;
  limits: number;
  /** Calls that were answered while the head stood still. */
  frozenHeads: number;
  duplicateLogs: number;
};

function nodeFaults(faults: SideFaults, head: number): Partial<NodeFaults> {
  const { stale, logsLagBlocks = 0, logsLagSeconds = 0, logsHole } = faults;
  const { share = 0, lagBlocks = 0, splitBatches = false } = stale ?? {};
  return {
    backends: stale
      ? [
          { share: 1 - share, lagBlocks: 0 },
          { share, lagBlocks },
        ]
      : NO_FAULTS.backends,
    splitBatches,
    reverseBatches: splitBatches,
    logsLagBlocks,
    logsLagSeconds,
    logsHole: logsHole ?? null,
    headStandsAt: faults.standsStill === true ? head : null,
    duplicateLogs: faults.duplicateLogs === true,
  };
}

function countsOf(counts: FaultCounts): SideCounts {
  const { calls, bytes, range, results } = counts.limits;
  return {
    staleAnswers: counts.staleAnswers,
    indexLag: counts.indexLag + counts.holes + counts.unexecuted,
    holes: counts.holes,
    missingLogs: counts.missingLogs,
    phantoms: counts.phantoms,
    limits: calls + bytes + range + results,
    frozenHeads: counts.frozenHeads,
    duplicateLogs: counts.duplicateLogs,
  };
}

export type SideProvider = {
  url: string;
  behave(faults: SideFaults): void;
  counts(): SideCounts;
};

/** A provider whose log index can be told to lack single logs. */
export type LogProvider = SideProvider & { hideLog: HideLog };

export function evmProvider(provider: NetworkProvider, head: () => number): LogProvider {
  return {
    url: provider.url,
    behave: (faults) => provider.behave(nodeFaults(faults, head())),
    counts: () => countsOf(provider.counts()),
    hideLog: (...hidden) => provider.hideLog(...hidden),
  };
}

export function tronProvider(provider: TronNetworkProvider, head: () => number): LogProvider {
  return {
    url: provider.url,
    behave: ({ stale, logsLagBlocks = 0, logsLagSeconds = 0, logsHole, standsStill, duplicateLogs }) =>
      provider.behave({
        headStandsAt: standsStill === true ? head() : null,
        duplicateLogs: duplicateLogs === true,
        lagShare: stale?.share ?? 0,
        lagBlocks: stale?.lagBlocks ?? 0,
        splitBatches: stale?.splitBatches ?? false,
        logsLagBlocks,
        logsLagSeconds,
        logsHole: logsHole ?? null,
      }),
    counts: () => countsOf(provider.counts()),
    hideLog: (...hidden) => provider.hideLog(...hidden),
  };
}

/**
 * Estimates how many answers had a fault, from the number of signature lists that were asked for while the fault was on:
 * the Solana rig does not count faults.
 */
export function solanaProvider(door: SolanaDoor, head: () => number): SideProvider {
  const listed = () => door.counts().calls['getSignaturesForAddress'] ?? 0;
  const answered = { stale: 0, lagging: 0, frozen: 0 };
  let behaving: SideFaults = {};
  let since = listed();
  const note = () => {
    const asked = listed() - since;
    since = listed();
    if (behaving.stale) answered.stale += Math.floor(asked * behaving.stale.share);
    if ((behaving.logsLagBlocks ?? 0) > 0) answered.lagging += asked;
    if (behaving.standsStill === true) answered.frozen += asked;
  };
  return {
    url: door.url,
    behave: (faults) => {
      note();
      behaving = faults;
      const { share = 0, lagBlocks = 0, splitBatches = false } = faults.stale ?? {};
      const standsAt = faults.standsStill === true ? head() : null;
      const indexLagSlots = faults.logsLagBlocks ?? 0;
      door.behave({ staleShare: share, lagSlots: lagBlocks, splitBatches, indexLagSlots, standsAt });
    },
    counts: () => {
      note();
      const none = { holes: 0, missingLogs: 0, phantoms: 0, limits: 0, duplicateLogs: 0 };
      return { ...none, staleAnswers: answered.stale, indexLag: answered.lagging, frozenHeads: answered.frozen };
    },
  };
}
