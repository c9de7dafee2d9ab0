import type { Hex } from 'viem';
import type { NodeLog } from './network-block.ts';

/**
 * Faults of a provider's node beyond the usual behaviour that its profile describes. A fault is counted only when it
 * really changed an answer, so that a drill can prove that the fault happened.
 */

/** One of several nodes behind a provider's URL. */
export type NodeBackend = {
  /** Weight of this backend among all. */
  share: number;
  /** Number of the newest blocks that the backend has not seen yet. */
  lagBlocks: number;
};

/** A transfer that a provider of the rig invents: no other provider shows this transfer. */
type ForeignTransfer = { height: number; token: Hex; to: Hex; units: bigint };

export type NodeFaults = {
  backends: readonly NodeBackend[];
  /** Whether each call of a batch goes to its own backend. */
  splitBatches: boolean;
  /** Whether answers of a batch come in reverse order, which JSON-RPC allows. */
  reverseBatches: boolean;
  /** How far the log index is behind the headers of the same node, in blocks and in seconds of the chain's clock. */
  logsLagBlocks: number;
  logsLagSeconds: number;
  /** Blocks, as distances from the head, whose logs the index lacks although it has newer logs. */
  logsHole: { from: number; to: number } | null;
  /** Age in seconds up to which blocks have a header but are not executed yet; at most what the profile allows. */
  queueSeconds: number;
  /** Whether `safe` is as far behind as was ever observed, instead of as near. */
  slowSafe: boolean;
  /** Height at which the node's head stopped while it still answers; null while the head moves. */
  headStandsAt: number | null;
  /** Whether answers for the logs of a range list each log twice. */
  duplicateLogs: boolean;
  /** Whether the node has no receipts of whole blocks, and no logs by block hash, for blocks that hold transactions. */
  refusesBusyBlocks: boolean;
  /** Height at which `finalized` stopped moving; null while `finalized` moves. */
  finalizedStandsAt: number | null;
  /** Whether the node knows no final block, as after a restart. */
  finalizedUnknown: boolean;
  /** Another chain that the provider shows above this height, with transfers that no other provider has. */
  foreign: { above: number; transfers: readonly ForeignTransfer[] } | null;
};

export const NO_FAULTS: NodeFaults = {
  backends: [{ share: 1, lagBlocks: 0 }],
  splitBatches: false,
  reverseBatches: false,
  logsLagBlocks: 0,
  logsLagSeconds: 0,
  logsHole: null,
  queueSeconds: 0,
  slowSafe: false,
  headStandsAt: null,
  duplicateLogs: false,
  refusesBusyBlocks: false,
  finalizedStandsAt: null,
  finalizedUnknown: false,
  foreign: null,
};

export type FaultCounts = {
  /** Calls that a lagging backend answered. */
  staleAnswers: number;
  /** Batches whose calls were answered by backends of different heights. */
  splitBatches: number;
  /** Answers with logs missing because the index was behind, had a hole, or the block was not executed. */
  indexLag: number;
  holes: number;
  unexecuted: number;
  /** Answers without a log that a test hid. */
  missingLogs: number;
  /** Answers that lacked a log of a transaction and held a later log of the same transaction. */
  phantoms: number;
  /** Calls that a rig's node refused, by the limit of its network's profile that the calls exceeded. */
  limits: Record<'calls' | 'bytes' | 'range' | 'results', number>;
  refusedTags: number;
  beyondHead: number;
  /** Answers that showed a block of another chain. */
  foreign: number;
  /** Calls answered with a stalled head while the chain is ahead. */
  frozenHeads: number;
  /** Answers that listed a log twice. */
  duplicateLogs: number;
  /** Calls about a busy block that were refused as unsupported. */
  refusedMethods: number;
};

export const noCounts = (): FaultCounts => ({
  staleAnswers: 0,
  splitBatches: 0,
  indexLag: 0,
  holes: 0,
  unexecuted: 0,
  missingLogs: 0,
  phantoms: 0,
  limits: { calls: 0, bytes: 0, range: 0, results: 0 },
  refusedTags: 0,
  beyondHead: 0,
  foreign: 0,
  frozenHeads: 0,
  duplicateLogs: 0,
  refusedMethods: 0,
});

/** A log that the index lacks, named by its transaction and its number there. */
export type HiddenLog = {
  transactionHash: Hex;
  place: number;
  /** When the log appears again, in milliseconds of the chain's clock; null means never. */
  untilMs: number | null;
  /** Number of answers from which the log is missing; null means all. */
  answers: number | null;
};

/** A node's log index at the time of one call. */
export type IndexView = {
  /** Height of the newest block that the node has; `nowMs` is the time by the chain's clock. */
  head: number;
  nowMs: number;
  executed: number;
  faults: NodeFaults;
  hidden: Map<string, HiddenLog>;
};

const SECOND_MS = 1_000;

export const hiddenKey = (transactionHash: string, place: number) => `${transactionHash} ${place}`;

type Absence = 'indexLag' | 'holes' | 'unexecuted' | 'missingLogs';

function absenceOf(view: IndexView, log: NodeLog): Absence | null {
  const { faults, head, nowMs } = view;
  const { height, timeMs } = log.block;
  if (height > view.executed) return 'unexecuted';
  const { logsLagBlocks, logsLagSeconds } = faults;
  const young = logsLagSeconds > 0 && timeMs > nowMs - logsLagSeconds * SECOND_MS;
  if (young || height > head - logsLagBlocks) return 'indexLag';
  const hole = faults.logsHole;
  if (hole && height <= head - hole.from && height >= head - hole.to) return 'holes';
  const hidden = view.hidden.get(hiddenKey(log.transactionHash, log.place));
  if (!hidden || hidden.answers === 0) return null;
  return hidden.untilMs === null || nowMs < hidden.untilMs ? 'missingLogs' : null;
}

/** Removes the logs that the index lacks, and counts them as faults. */
export function throughIndex(view: IndexView, counts: FaultCounts, logs: readonly NodeLog[]): NodeLog[] {
  const lacking = new Set<Absence>();
  /** Number of the first missing log, for each transaction that lacks a log. */
  const robbed = new Map<string, number>();
  const present = logs.filter((log) => {
    const absence = absenceOf(view, log);
    if (absence === null) return true;
    const { transactionHash, place } = log;
    lacking.add(absence);
    robbed.set(transactionHash, Math.min(place, robbed.get(transactionHash) ?? place));
    const hidden = absence === 'missingLogs' && view.hidden.get(hiddenKey(transactionHash, place));
    if (hidden && hidden.answers !== null) hidden.answers -= 1;
    return false;
  });
  for (const absence of lacking) counts[absence] += 1;
  const misnumbered = ({ transactionHash, place }: NodeLog) => place > (robbed.get(transactionHash) ?? place);
  if (present.some(misnumbered)) counts.phantoms += 1;
  return present;
}
