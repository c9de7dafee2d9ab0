import type { ClientRefusal } from '../../../src/networks/client-refusals.ts';
import { wordRefusal } from '../../../src/networks/client-refusals.ts';
import { RpcError } from '../json-rpc.ts';
import type { NodeBlock, NodeLog } from './network-block.ts';
import { logsOf, toHex } from './network-block.ts';
import { throughIndex } from './network-faults.ts';
import { heightOfTag } from './network-tags.ts';
import type { NodeView } from './network-view.ts';
import { blockByHash, entriesIn, writeBlock, writeLog, writeReceipts, writeTransaction } from './network-view.ts';

/** JSON-RPC methods of a network's client: what the client answers, refuses, and leaves out without an error. */

type Params = readonly unknown[];
type Method = (view: NodeView, params: Params) => unknown;

const INVALID_PARAMS = -32_602;
const MISSING_METHOD = -32_601;
const SERVER = -32_000;
const HASH_LENGTH = 66;

const refuse = (refusal: ClientRefusal, numbers: Record<string, number> = {}): never => {
  throw new RpcError(refusal.code, wordRefusal(refusal, numbers));
};

const missing = (method: string) =>
  new RpcError(MISSING_METHOD, `the method ${method} does not exist/is not available`);

/** A block's height by tag or number; throws the client's refusal of a tag that the client does not know. */
function heightOf(view: NodeView, asked: unknown): number {
  if (typeof asked !== 'string') throw new RpcError(INVALID_PARAMS, 'invalid argument 0');
  const { chain, faults, executed, random } = view;
  const tagged = heightOfTag({ profile: chain.profile, faults, latest: executed, random }, asked);
  if (typeof tagged === 'number') return tagged;
  if (tagged) {
    view.counts.refusedTags += 1;
    return refuse(tagged);
  }
  if (!/^0x[0-9a-f]+$/i.test(asked))
    throw new RpcError(INVALID_PARAMS, 'invalid argument 0: hex string without 0x prefix');
  return Number(asked);
}

/** The block at a height or tag; undefined for a block that the backend has not accepted. */
function blockAt(view: NodeView, asked: unknown): NodeBlock | undefined {
  if (typeof asked === 'string' && asked.length === HASH_LENGTH) return blockByHash(view, asked);
  const height = heightOf(view, asked);
  return height > view.accepted ? undefined : view.chain.block(height);
}

type Filter = {
  fromBlock?: string;
  toBlock?: string;
  blockHash?: string;
  address?: string | string[];
  topics?: unknown[];
};

function matches({ address, topics = [] }: Filter, log: NodeLog): boolean {
  const addresses = address === undefined ? [] : [address].flat().map((one) => one.toLowerCase());
  if (addresses.length > 0 && !addresses.includes(log.address.toLowerCase())) return false;
  return topics.every((wanted, place) => {
    const topic = log.topics[place]?.toLowerCase();
    if (wanted === null || wanted === undefined) return true;
    const choices = ([wanted].flat() as string[]).map((one) => one.toLowerCase());
    return topic !== undefined && choices.includes(topic);
  });
}

/**
 * Whether a block may have logs: blocks with only the network's own transactions are skipped, because these seldom have
 * logs.
 */
function mayHaveLogs({ chain, faults }: NodeView, block: NodeBlock): boolean {
  const bridged = chain.profile.ownTransactions.some(({ place }) => place === 'closing');
  return block.paid.length > 0 || block.traffic !== null || bridged || faults.foreign !== null;
}

function logsBetween(view: NodeView, filter: Filter, from: number, to: number): NodeLog[] {
  const found: NodeLog[] = [];
  for (let height = from; height <= to; height += 1) {
    const block = view.chain.block(height);
    if (!block || !mayHaveLogs(view, block)) continue;
    for (const log of logsOf(block, entriesIn(view, block))) if (matches(filter, log)) found.push(log);
  }
  return found;
}

function indexed(view: NodeView, logs: readonly NodeLog[]): NodeLog[] {
  const { chain, faults, hidden, accepted: head, executed, counts } = view;
  return throughIndex({ head, executed, faults, hidden, nowMs: chain.clock.nowMs() }, counts, logs);
}

/** Refuses a method for a block that holds transactions, at nodes that have the method for small answers only. */
function refuseIfBusy(view: NodeView, block: NodeBlock, method: string): void {
  if (!view.faults.refusesBusyBlocks || !mayHaveLogs(view, block)) return;
  view.counts.refusedMethods += 1;
  throw missing(method);
}

function logsByHash(view: NodeView, filter: Filter): NodeLog[] {
  const block = blockByHash(view, filter.blockHash ?? '');
  if (!block) throw new RpcError(SERVER, 'unknown block');
  refuseIfBusy(view, block, 'eth_getLogs');
  const logs = logsBetween(view, filter, block.height, block.height);
  if (view.chain.profile.logsByHash !== 'receipts') return indexed(view, logs);
  return block.height > view.executed ? [] : logs;
}

/** Ends a range at the node's head, or throws the client's refusal of ranges beyond it. */
function withinHead(view: NodeView, from: number, to: number): number {
  const { profile } = view.chain;
  const { beyondHead } = profile.refusals;
  // Clients that accept blocks before they execute them answer `eth_getLogs` up to the accepted head without an error.
  const head = profile.unexecutedSeconds > 0 ? view.accepted : view.executed;
  if (to <= head) return to;
  if (beyondHead !== null && beyondHead !== 'unknown' && (beyondHead.when === 'end' || from > head)) {
    view.counts.beyondHead += 1;
    return refuse(beyondHead.refusal, { given: to, head });
  }
  return head;
}

function getLogs(view: NodeView, [raw]: Params): unknown[] {
  const filter = (raw ?? {}) as Filter;
  if (filter.blockHash !== undefined) return logsByHash(view, filter).map((log) => writeLog(view, log));
  const from = heightOf(view, filter.fromBlock ?? 'latest');
  const asked = heightOf(view, filter.toBlock ?? 'latest');
  const { logsMaxRange, logsMaxResults, refusals } = view.chain.profile;
  if (from > asked) throw new RpcError(SERVER, 'invalid block range params');
  const { range, results } = refusals;
  if (logsMaxRange !== null && asked - from + 1 > logsMaxRange && range !== null && range !== 'unknown') {
    view.counts.limits.range += 1;
    return refuse(range, { limit: logsMaxRange });
  }
  const to = withinHead(view, from, asked);
  const logs = indexed(view, logsBetween(view, filter, from, to));
  if (logsMaxResults !== null && logs.length > logsMaxResults && results !== null && results !== 'unknown') {
    view.counts.limits.results += 1;
    const fitting = logs[logsMaxResults - 1]?.block.height ?? from;
    return refuse(results, { limit: logsMaxResults, from, to: Math.max(from, fitting - 1) });
  }
  const written = logs.map((log) => writeLog(view, log));
  if (!view.faults.duplicateLogs || written.length === 0) return written;
  view.counts.duplicateLogs += 1;
  return written.flatMap((log) => [log, log]);
}

function getTransaction(view: NodeView, hash: unknown): { block: NodeBlock; place: number } | undefined {
  const height = view.chain.heightOf(String(hash));
  const candidates = [height, ...(view.faults.foreign?.transfers ?? []).map((one) => one.height)];
  for (const candidate of candidates) {
    const block = candidate === undefined || candidate > view.executed ? undefined : view.chain.block(candidate);
    const place = block ? entriesIn(view, block).findIndex(({ transaction }) => transaction.hash === hash) : -1;
    if (block && place >= 0) return { block, place };
  }
  return undefined;
}

/** Answers a state method from the real node's newest state, for any requested block. */
const stateOf =
  (method: string, place: number): Method =>
  (view, params) =>
    view.chain.anvil.rpc(method, [...params.slice(0, place), 'latest']);

const METHODS: Record<string, Method> = {
  eth_chainId: ({ chain }) => toHex(chain.network.chainId ?? 0),
  net_version: ({ chain }) => String(chain.network.chainId),
  eth_blockNumber: ({ executed }) => toHex(executed),
  eth_getBlockByNumber: (view, [at, whole]) => {
    const block = blockAt(view, at);
    return block ? writeBlock(view, block, whole === true) : null;
  },
  eth_getBlockByHash: (view, [hash, whole]) => {
    const block = blockByHash(view, String(hash));
    return block ? writeBlock(view, block, whole === true) : null;
  },
  eth_getLogs: getLogs,
  eth_getBlockReceipts: (view, [at]) => {
    const block = blockAt(view, at);
    if (block) refuseIfBusy(view, block, 'eth_getBlockReceipts');
    // For a block that is not executed yet the answer is null, not an empty list of receipts.
    return block && block.height <= view.executed ? writeReceipts(view, block) : null;
  },
  eth_getTransactionByHash: (view, [hash]) => {
    const found = getTransaction(view, hash);
    const entry = found && entriesIn(view, found.block)[found.place];
    return entry ? writeTransaction(view, found.block, entry.transaction, found.place) : null;
  },
  eth_getTransactionReceipt: (view, [hash]) => {
    const found = getTransaction(view, hash);
    return found ? (writeReceipts(view, found.block)[found.place] ?? null) : null;
  },
  eth_call: stateOf('eth_call', 1),
  eth_getBalance: stateOf('eth_getBalance', 1),
  eth_getCode: stateOf('eth_getCode', 1),
};

/** The node's answer to one call; throws its error. */
export async function askNode(view: NodeView, method: string, params: Params): Promise<unknown> {
  const known = METHODS[method];
  if (!known) throw missing(method);
  return known(view, params);
}
