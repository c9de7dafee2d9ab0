import type { Hex } from 'viem';
import { pad } from 'viem';
import type { Clock } from '../../../src/lib/clock.ts';
import type { Network } from '../../../src/networks/network.ts';
import { findNetwork } from '../networks.ts';
import type { NetworkProfile } from '../../../src/networks/profile.ts';
import { profileOf } from '../../../src/networks/profile.ts';
import type { Anvil } from './anvil.ts';
import { startAnvil } from './anvil.ts';
import type { Entry, NodeBlock, RawReceipt, RawTransaction, Traffic } from './network-block.ts';
import { digestOf, entriesOf, toHex } from './network-block.ts';
import { payByBatch } from './payment.ts';
import { rollback } from './reorg.ts';
import { canonicalTokens, installCanonicalTokens } from './token.ts';

/**
 * A simulated chain that makes blocks as its network does. Payments run in a real EVM node; the blocks around payments
 * are made up, so that thousands of blocks cost nothing. Block hashes are invented, which no reader can notice, because
 * no reader recomputes hashes.
 */

/** A signed transaction that a reorg includes again, and in which of the replaced blocks, counted from the lowest. */
type Placed = { rawTransaction: Hex; offset: number };

export type NetworkChain = {
  readonly symbol: string;
  readonly network: Network;
  readonly profile: NetworkProfile;
  readonly clock: Clock;
  readonly anvil: Anvil;
  /** Token contract that strangers' traffic and bridges move. */
  readonly busyToken: Hex;
  head(): number;
  block(height: number): NodeBlock | undefined;
  blockByHash(hash: string): NodeBlock | undefined;
  /**
   * Height of a transaction's block; undefined for transactions of blocks that hold only the network's own
   * transactions.
   */
  heightOf(transactionHash: string): number | undefined;
  entries(block: NodeBlock): readonly Entry[];
  /**
   * Makes blocks at the network's pace, the first after the last block or at a given second. Pending payments go into
   * one of the new blocks.
   */
  produce(count: number, options?: ProduceOptions): Promise<NodeBlock>;
  /** Number of blocks that are due by the clock, and the time of the first in milliseconds. */
  due(): { blocks: number; firstMs: number };
  /** Makes the blocks that are due by the clock. */
  advance(options?: ProduceOptions): Promise<NodeBlock>;
  /** Replaces the newest blocks by as many others of the same times, which hold only the given transactions. */
  reorg(depth: number, again?: readonly Placed[]): Promise<NodeBlock>;
  stop(): Promise<void>;
};

type ProduceOptions = {
  /** Time of the first new block, in seconds; when absent, the usual time between blocks after the last block. */
  atTime?: number;
  /** Which of the new blocks gets the pending payments, counted from the first (0 unless given). */
  pendingInto?: number;
  /** Whether the caller knows that no payment is pending, which saves a question to the real node. */
  empty?: boolean;
  /** Traffic of strangers in each of the new blocks. */
  traffic?: Traffic;
  /** Whether each of the new blocks holds a transaction of an unknown type. */
  strange?: boolean;
};

const SPARE_HISTORY = 40;
const SECOND_MS = 1_000;

type Parts = Pick<NetworkChain, 'symbol' | 'network' | 'profile' | 'clock' | 'anvil' | 'busyToken'>;
type State = {
  parts: Parts;
  blocks: NodeBlock[];
  byHash: Map<string, NodeBlock>;
  byTransaction: Map<string, number>;
  blockMs: number;
  /** Number of the present fork, raised with each reorg: empty blocks of another fork get other hashes. */
  fork: number;
  /** Queue of changes: only one change of the chain runs at a time. */
  turn: Promise<unknown>;
};

type Content = Pick<NodeBlock, 'realNumber' | 'paid'> & { hash: Hex };

const lastOf = ({ blocks }: State): NodeBlock => {
  const last = blocks.at(-1);
  if (!last) throw new Error('The chain has no block.');
  return last;
};

function push(state: State, timeMs: number, content: Content | null, more: Partial<NodeBlock> = {}): NodeBlock {
  const parent = lastOf(state);
  const height = parent.height + 1;
  const block: NodeBlock = {
    height,
    hash: digestOf(state.parts.symbol, state.fork, height, parent.hash),
    parentHash: parent.hash,
    timeMs,
    realNumber: null,
    paid: [],
    traffic: null,
    strange: false,
    ...content,
    ...more,
  };
  state.blocks.push(block);
  state.byHash.set(block.hash, block);
  if (block.paid.length + Number(block.strange) + (block.traffic ? 1 : 0) === 0) return block;
  const { profile, busyToken } = state.parts;
  for (const { transaction } of entriesOf(block, profile, busyToken)) state.byTransaction.set(transaction.hash, height);
  return block;
}

async function minePending(state: State): Promise<Content | null> {
  const { anvil } = state.parts;
  const { pending } = await anvil.rpc<{ pending: Hex }>('txpool_status');
  if (BigInt(pending) === 0n) return null;
  await anvil.rpc('anvil_mine', ['0x1']);
  type RealBlock = { number: Hex; hash: Hex; transactions: RawTransaction[] };
  const block = await anvil.rpc<RealBlock>('eth_getBlockByNumber', ['latest', true]);
  const receipts = await anvil.rpc<RawReceipt[]>('eth_getBlockReceipts', [block.number]);
  const paid = block.transactions.map((transaction, place) => {
    const receipt = receipts[place];
    if (receipt?.transactionHash !== transaction.hash) throw new Error(`${transaction.hash} has no receipt.`);
    return { transaction, receipt };
  });
  return { hash: block.hash, realNumber: Number(block.number), paid };
}

async function produce(state: State, count: number, options: ProduceOptions = {}): Promise<NodeBlock> {
  const { atTime, pendingInto = 0, traffic = null, strange = false, empty = false } = options;
  const last = lastOf(state);
  const firstMs = Math.max(last.timeMs, atTime === undefined ? last.timeMs + state.blockMs : atTime * SECOND_MS);
  for (let place = 0; place < count; place += 1) {
    const holds = !empty && place === Math.min(pendingInto, count - 1);
    const content = holds ? await minePending(state) : null;
    push(state, firstMs + place * state.blockMs, content, { traffic, strange });
  }
  return lastOf(state);
}

function dueOf(state: State): { blocks: number; firstMs: number } {
  const { timeMs } = lastOf(state);
  const blocks = Math.floor((state.parts.clock.nowMs() - timeMs) / state.blockMs);
  return { blocks: Math.max(0, blocks), firstMs: timeMs + state.blockMs };
}

function advance(state: State, options: ProduceOptions = {}): Promise<NodeBlock> {
  return produce(state, dueOf(state).blocks, options);
}

function removeAbove(state: State, height: number): NodeBlock[] {
  const removed = state.blocks.splice(height + 1);
  for (const block of removed) state.byHash.delete(block.hash);
  for (const [hash, at] of state.byTransaction) if (at > height) state.byTransaction.delete(hash);
  return removed;
}

async function reorg(state: State, depth: number, again: readonly Placed[] = []): Promise<NodeBlock> {
  const { anvil } = state.parts;
  const removed = removeAbove(state, lastOf(state).height - depth);
  const real = removed.filter(({ realNumber }) => realNumber !== null).length;
  state.fork += 1;
  // Another miner's address gives the block another hash, even if its payments and its time are the same.
  await anvil.rpc('anvil_setCoinbase', [pad(toHex(state.fork), { size: 20 })]);
  if (real > 0) await rollback(anvil, real);
  for (const [offset, { timeMs }] of removed.entries()) {
    const raw = again.filter((one) => one.offset === offset);
    for (const { rawTransaction } of raw) await anvil.rpc('eth_sendRawTransaction', [rawTransaction]);
    const content = raw.length > 0 ? await minePending(state) : null;
    if ((content?.paid.length ?? 0) !== raw.length) throw new Error('The node left a transaction out.');
    push(state, timeMs, content);
  }
  return lastOf(state);
}

function chainOf(state: State): NetworkChain {
  const { parts, blocks, byHash, byTransaction } = state;
  const inTurn = (work: () => Promise<NodeBlock>): Promise<NodeBlock> => {
    const turn = state.turn.then(work);
    state.turn = turn.catch(() => undefined);
    return turn;
  };
  return {
    ...parts,
    head: () => lastOf(state).height,
    block: (height) => blocks[height],
    blockByHash: (hash) => byHash.get(hash),
    heightOf: (transactionHash) => byTransaction.get(transactionHash),
    entries: (block) => entriesOf(block, parts.profile, parts.busyToken),
    due: () => dueOf(state),
    produce: (count, options) => inTurn(() => produce(state, count, options)),
    advance: (options) => inTurn(() => advance(state, options)),
    reorg: (depth, again) => inTurn(() => reorg(state, depth, again)),
    stop: () => parts.anvil.stop(),
  };
}

/** Starts a chain with its tokens and enough history for a final block. The history ends at the clock's time. */
export async function startNetworkChain(symbol: string, clock: Clock): Promise<NetworkChain> {
  const network = findNetwork(symbol);
  if (!network || network.chainId === null) throw new Error(`${symbol} does not run in an EVM.`);
  const profile = profileOf(network);
  const [token] = canonicalTokens(network.chainId);
  if (!token) throw new Error(`The rig knows no token of ${symbol}.`);
  const anvil = await startAnvil({ chainId: network.chainId });
  try {
    await installCanonicalTokens(anvil);
    // The batch contract is deployed here by a first use, which mines a block of the real node: later uses mine none.
    await payByBatch(anvil, []);
    const blockMs = profile.blockSeconds * SECOND_MS;
    const history = profile.finalizedLagBlocks.most + SPARE_HISTORY;
    const genesis: NodeBlock = {
      height: 0,
      hash: `0x${profile.genesisHash.replace('0x', '')}`,
      parentHash: `0x${'00'.repeat(32)}`,
      timeMs: clock.nowMs() - history * blockMs,
      realNumber: null,
      paid: [],
      traffic: null,
      strange: false,
    };
    const busyToken = token.address.toLowerCase() as Hex;
    const state: State = {
      parts: { symbol, network, profile, clock, anvil, busyToken },
      blocks: [genesis],
      byHash: new Map([[genesis.hash, genesis]]),
      byTransaction: new Map(),
      blockMs,
      fork: 0,
      turn: Promise.resolve(),
    };
    await advance(state);
    return chainOf(state);
  } catch (cause) {
    await anvil.stop();
    throw cause;
  }
}
