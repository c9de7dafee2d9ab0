import type { Hex } from 'viem';
import type { NodeLog } from './network-block.ts';

/**
 * How a provider's node fails beyond what its profile says of every day. Each fault is counted when an answer is really
 * different for it: a drill can then prove that what it promises did happen.
 */

/** One of several nodes behind a provider's address. */
export type NodeBackend = {
  /** Its weight among them. */
  share: number;
  /** How many of the newest blocks it has not seen yet. */
  lagBlocks: number;
};

/** A transfer that only this provider's chain has. */
type ForeignTransfer = { height: number; token: Hex; to: Hex; units: bigint };

export type NodeFaults = {
  backends: readonly NodeBackend[];
  /** Each call of a batch goes to a backend of its own. */
  splitBatches: boolean;
  /** The answers of a batch stand in the opposite order, which JSON-RPC allows. */
  reverseBatches: boolean;
  /** The index that answers ranges is behind the headers of the same node, by blocks and by seconds of the chain's clock. */
  logsLagBlocks: number;
  logsLagSeconds: number;
  /** Logs are missing of the blocks that lie so far below the newest, while newer ones are there. */
  logsHole: { from: number; to: number } | null;
  /** Blocks of so many seconds have a header and wait for their execution, at most as long as the network lets them by design. */
  queueSeconds: number;
  /** `safe` is as far behind as it was ever seen, not as near. */
  slowSafe: boolean;
  /** `finalized` stands still at this height. */
  finalizedStandsAt: number | null;
  /** The node knows no final block, as after a restart. */
  finalizedUnknown: boolean;
  /** From this height on the provider is on another chain than everybody else, with transfers that nobody else has. */
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
  finalizedStandsAt: null,
  finalizedUnknown: false,
  foreign: null,
};

export type FaultCounts = {
  /** Calls that a backend answered which is behind. */
  staleAnswers: number;
  /** Batches whose calls were answered by several backends of different heights. */
  splitBatches: number;
  /** Answers of logs from which the index lacked a log: behind, with a hole, or not executed. */
  indexLag: number;
  holes: number;
  unexecuted: number;
  /** Answers that lacked a log which was hidden by name. */
  missingLogs: number;
  /** Answers that lacked a log of a transaction and held a later one. */
  phantoms: number;
  /** Refusals by the limits of the profile. */
  limits: Record<'calls' | 'bytes' | 'range' | 'results', number>;
  refusedTags: number;
  beyondHead: number;
  /** Answers that showed a block of another chain. */
  foreign: number;
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
});

/** A log that the index lacks, told by its transaction and its number there. */
export type HiddenLog = {
  transactionHash: Hex;
  place: number;
  /** Milliseconds of the chain's clock; null: for ever. */
  untilMs: number | null;
  /** In so many answers that would have held it; null: in all. */
  answers: number | null;
};

/** What a node's index of logs can see. */
export type IndexView = {
  /** The newest height and time that it has. */
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

/** The logs that the index has, of all that there are. What is lacking is counted. */
export function throughIndex(view: IndexView, counts: FaultCounts, logs: readonly NodeLog[]): NodeLog[] {
  const lacking = new Set<Absence>();
  /** The first log that is lacking, by transaction. */
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
