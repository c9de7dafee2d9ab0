import { callRpc, RpcError } from '../json-rpc.ts';

/**
 * A backend of a provider: a node that may be behind. Like geth, the backend answers with nothing when asked for blocks
 * that it does not have.
 */

export type Backend = {
  url: string;
  /** Number of the newest blocks that the backend has not seen yet. */
  lagBlocks?: number;
  /** Weight of this backend among all; 1 unless given. */
  share?: number;
};

export type Call = { id: unknown; method: string; params: readonly unknown[] };

/** Limits of `eth_getLogs` at a provider, and the error code with which the provider refuses larger requests. */
export type LogLimits = { blocks?: number; logs?: number; code: number };

type Filter = { fromBlock?: string; toBlock?: string; blockHash?: string };
type Numbered = { number?: string | null; blockNumber?: string | null } | null;

/** Methods that read state, and the position of the parameter that names the block. */
const STATE_METHODS: Record<string, number> = {
  eth_call: 1,
  eth_getBalance: 1,
  eth_getCode: 1,
  eth_getTransactionCount: 1,
  eth_getStorageAt: 2,
};
const BY_NUMBER = new Set([
  'eth_getBlockByNumber',
  'eth_getBlockReceipts',
  'eth_getBlockTransactionCountByNumber',
  'trace_block',
  'debug_traceBlockByNumber',
]);
const BY_HASH = new Set(['eth_getBlockByHash', 'eth_getTransactionByHash', 'eth_getTransactionReceipt']);
const HASH_LENGTH = 66;
const REFUSED = -32_000;
const UNKNOWN_FORM = 'the rig does not know this form of naming a block';

const hex = (value: number) => `0x${value.toString(16)}`;
const upstream = <Result>(backend: Backend, method: string, params: readonly unknown[]) =>
  callRpc<Result>(backend.url, { method, params });

async function headOf(backend: Backend): Promise<number> {
  const head = Number(await upstream<string>(backend, 'eth_blockNumber', []));
  return Math.max(0, head - (backend.lagBlocks ?? 0));
}

/** Height of a tag at this backend: a node that is behind at the head is as far behind with its final block. */
async function numberOf(backend: Backend, tag: string, head: number): Promise<number> {
  if (tag === 'earliest') return 0;
  if (tag === 'latest' || tag === 'pending') return head;
  if (tag !== 'safe' && tag !== 'finalized') return Number(tag);
  const block = await upstream<{ number: string }>(backend, 'eth_getBlockByNumber', [tag, false]);
  return Math.max(0, Number(block.number) - (backend.lagBlocks ?? 0));
}

/**
 * Passes on a block or transaction, or null if it is above the backend's head; pending transactions have no block and
 * are passed on.
 */
function unlessAhead(found: Numbered, head: number): Numbered {
  const number = found?.number ?? found?.blockNumber;
  return typeof number === 'string' && Number(number) > head ? null : found;
}

async function logsOf(backend: Backend, filter: Filter, head: number, limits: LogLimits | null): Promise<unknown[]> {
  if (filter.blockHash !== undefined) {
    const block = await upstream<Numbered>(backend, 'eth_getBlockByHash', [filter.blockHash, false]);
    if (!unlessAhead(block, head)) throw new RpcError(REFUSED, 'unknown block');
    return upstream<unknown[]>(backend, 'eth_getLogs', [filter]);
  }
  const from = await numberOf(backend, filter.fromBlock ?? 'latest', head);
  const asked = await numberOf(backend, filter.toBlock ?? 'latest', head);
  if (limits?.blocks !== undefined && asked - from + 1 > limits.blocks) {
    throw new RpcError(limits.code, `exceed max block range: ${limits.blocks}`);
  }
  const to = Math.min(asked, head);
  if (from > to) return [];
  const bounded = { ...filter, fromBlock: hex(from), toBlock: hex(to) };
  const logs = await upstream<unknown[]>(backend, 'eth_getLogs', [bounded]);
  if (limits?.logs !== undefined && logs.length > limits.logs) {
    throw new RpcError(limits.code, `query returned more than ${limits.logs} results`);
  }
  return logs;
}

async function stateAt(backend: Backend, call: Call, place: number, head: number): Promise<unknown> {
  const asked = call.params[place] ?? 'latest';
  if (typeof asked !== 'string') throw new RpcError(REFUSED, UNKNOWN_FORM);
  const number = await numberOf(backend, asked, head);
  if (number > head) throw new RpcError(REFUSED, 'header not found');
  return upstream(backend, call.method, [...call.params.slice(0, place), hex(number)]);
}

async function blockAt(backend: Backend, { method, params }: Call, head: number): Promise<unknown> {
  const [asked, ...rest] = params;
  if (typeof asked !== 'string') throw new RpcError(REFUSED, UNKNOWN_FORM);
  if (asked.length === HASH_LENGTH) {
    const block = await upstream<Numbered>(backend, 'eth_getBlockByHash', [asked, false]);
    return unlessAhead(block, head) ? upstream(backend, method, params) : null;
  }
  const number = await numberOf(backend, asked, head);
  return number > head ? null : upstream(backend, method, [hex(number), ...rest]);
}

/** The backend's answer to one call; throws its error. */
export async function askBackend(backend: Backend, call: Call, limits: LogLimits | null): Promise<unknown> {
  const { method, params } = call;
  const head = await headOf(backend);
  if (method === 'eth_blockNumber') return hex(head);
  if (method === 'eth_getLogs') return logsOf(backend, params[0] as Filter, head, limits);
  if (BY_HASH.has(method)) return unlessAhead(await upstream<Numbered>(backend, method, params), head);
  if (BY_NUMBER.has(method)) return blockAt(backend, call, head);
  const place = STATE_METHODS[method];
  return place === undefined ? upstream(backend, method, params) : stateAt(backend, call, place, head);
}
