import type { Hex } from 'viem';
import type { Entry, NodeBlock, NodeLog, RawTransaction } from './network-block.ts';
import { bloomOfBlock, digestOf, logsOf, madeUpEntry, toHex, transferLog } from './network-block.ts';
import type { NetworkChain } from './network-chain.ts';
import type { FaultCounts, HiddenLog, NodeFaults } from './network-faults.ts';

/** One backend's view of the chain during a call, and how the backend writes blocks, receipts and logs. */

export type NodeView = {
  chain: NetworkChain;
  faults: NodeFaults;
  counts: FaultCounts;
  hidden: Map<string, HiddenLog>;
  random: () => number;
  /** Newest block that the backend has accepted, and newest block that the backend has executed. */
  accepted: number;
  executed: number;
};

/** Blocks between the accepted and the executed head, where a network executes later than it accepts. */
const USUAL_QUEUE_BLOCKS = 2;
/**
 * Distance in blocks to the block that a header's bloom filter describes, where the filter is not of the header's own
 * block.
 */
const FOREIGN_BLOOM_BLOCKS = 5;
const SECOND_MS = 1_000;

export function viewOf(parts: Omit<NodeView, 'accepted' | 'executed'>, lagBlocks: number): NodeView {
  const { chain, faults } = parts;
  const { unexecutedSeconds, blockSeconds } = chain.profile;
  const standsAt = faults.headStandsAt ?? chain.head();
  if (chain.head() > standsAt) parts.counts.frozenHeads += 1;
  const accepted = Math.max(0, Math.min(standsAt, chain.head()) - lagBlocks);
  const stalled = Math.ceil(Math.min(faults.queueSeconds, unexecutedSeconds) / blockSeconds);
  const queue = unexecutedSeconds > 0 ? Math.max(USUAL_QUEUE_BLOCKS, stalled) : 0;
  return { ...parts, accepted, executed: Math.max(0, accepted - queue) };
}

/** Hash of a block as this provider shows it: a provider that follows another chain shows other hashes. */
function hashIn({ faults, counts }: NodeView, { height, hash }: NodeBlock): Hex {
  if (!faults.foreign || height <= faults.foreign.above) return hash;
  counts.foreign += 1;
  return digestOf('foreign', hash);
}

export function blockByHash(view: NodeView, hash: string): NodeBlock | undefined {
  const { chain, faults } = view;
  const found = chain.blockByHash(hash);
  if (!faults.foreign) return found && found.height <= view.accepted ? found : undefined;
  for (let height = view.accepted; height > faults.foreign.above; height -= 1) {
    const block = chain.block(height);
    if (block && hashIn(view, block) === hash) return block;
  }
  return found && found.height <= faults.foreign.above ? found : undefined;
}

/** All transactions that the provider shows in a block. */
export function entriesIn({ chain, faults }: NodeView, block: NodeBlock): readonly Entry[] {
  const own = chain.entries(block);
  const foreign = (faults.foreign?.transfers ?? []).filter(({ height }) => height === block.height);
  if (foreign.length === 0) return own;
  const added = foreign.map(({ token, to, units }, place) => {
    const log = transferLog(token, token, to, units);
    return madeUpEntry(digestOf('foreign', block.hash, place), { to: token }, [log]);
  });
  return [...own, ...added];
}

const secondsOf = ({ timeMs }: NodeBlock) => toHex(Math.floor(timeMs / SECOND_MS));

export function writeTransaction(view: NodeView, block: NodeBlock, transaction: RawTransaction, place: number) {
  return {
    ...transaction,
    blockHash: hashIn(view, block),
    blockNumber: toHex(block.height),
    transactionIndex: toHex(place),
  };
}

export function writeLog(view: NodeView, log: NodeLog) {
  return {
    address: log.address,
    topics: log.topics,
    data: log.data,
    blockHash: hashIn(view, log.block),
    blockNumber: toHex(log.block.height),
    blockTimestamp: secondsOf(log.block),
    transactionHash: log.transactionHash,
    transactionIndex: toHex(log.transactionIndex),
    logIndex: toHex(log.logIndex),
    removed: false,
  };
}

export function writeReceipts(view: NodeView, block: NodeBlock): unknown[] {
  const entries = entriesIn(view, block);
  const logs = Map.groupBy(logsOf(block, entries), ({ transactionHash }) => transactionHash);
  return entries.map(({ transaction, receipt }, place) =>
    Object.assign({}, receipt, {
      type: transaction.type,
      blockHash: hashIn(view, block),
      blockNumber: toHex(block.height),
      transactionIndex: toHex(place),
      logs: (logs.get(transaction.hash) ?? []).map((log) => writeLog(view, log)),
    }),
  );
}

/** Bloom filter of a header: of its own block or, where the profile calls blooms unreliable, of an earlier block. */
function bloomIn(view: NodeView, block: NodeBlock): Hex {
  const { chain } = view;
  const distance = chain.profile.bloomReliable ? 0 : FOREIGN_BLOOM_BLOCKS;
  const spoken = chain.block(Math.max(0, block.height - distance)) ?? block;
  return bloomOfBlock(spoken, entriesIn(view, spoken));
}

const zeros = (bytes: number): Hex => `0x${'00'.repeat(bytes)}`;
const HEADER = {
  baseFeePerGas: '0x0',
  difficulty: '0x0',
  extraData: '0x',
  gasLimit: '0x3938700',
  gasUsed: '0x0',
  miner: zeros(20),
  mixHash: zeros(32),
  nonce: zeros(8),
  receiptsRoot: zeros(32),
  sha3Uncles: zeros(32),
  size: '0x400',
  stateRoot: zeros(32),
  transactionsRoot: zeros(32),
  uncles: [],
};

const heavy = new WeakMap<NodeBlock, object>();

/** Writes a block. A block with megabytes of data is cached. */
export function writeBlock(view: NodeView, block: NodeBlock, whole: boolean): object {
  if (!whole || !block.traffic?.inputBytes || view.faults.foreign) return describeBlock(view, block, whole);
  const described = heavy.get(block) ?? describeBlock(view, block, true);
  heavy.set(block, described);
  return described;
}

function describeBlock(view: NodeView, block: NodeBlock, whole: boolean) {
  const entries = entriesIn(view, block);
  const parent = view.chain.block(block.height - 1);
  return {
    ...HEADER,
    number: toHex(block.height),
    hash: hashIn(view, block),
    parentHash: parent ? hashIn(view, parent) : block.parentHash,
    timestamp: secondsOf(block),
    logsBloom: bloomIn(view, block),
    transactions: entries.map(({ transaction }, place) =>
      whole ? writeTransaction(view, block, transaction, place) : transaction.hash,
    ),
  };
}
