import type { Hex } from 'viem';
import { RpcError } from '../json-rpc.ts';
import type { EvmLog, EvmReceipt, EvmTransaction, TronView } from './block.ts';
import {
  blockIdOf,
  blockView,
  logView,
  readEvmBlock,
  readEvmReceipts,
  receiptView,
  toHex,
  transactionView,
  TRON_CHAIN_ID,
} from './block.ts';

/** JSON-RPC of java-tron with its errors: tags, ranges, limits, and answers that are left out without an error. */

/** Views of a node at three ports: full, solidified and PBFT. */
export type TronPort = 'full' | 'solidity' | 'pbft';

export type TronLimits = {
  maxBatchCalls: number;
  maxAnswerBytes: number;
  maxBlockRange: number;
  maxSubTopics: number;
  maxResults: number;
  /** Whether logs have their block's time. */
  timestampInLogs: boolean;
  /** Heights processed while JSON-RPC was off: their logs are missing permanently. */
  unindexed: { from: number; to: number } | null;
};

type Context = { view: TronView; port: TronPort; limits: TronLimits };
type Params = readonly unknown[];
type Method = (context: Context, params: Params) => Promise<unknown>;

const INVALID = -32_602;
const MISSING = -32_601;
const LIMIT_EXCEEDED = -32_005;
const MAX_TOPICS = 4;

const refuse = (message: string): never => {
  throw new RpcError(INVALID, message);
};
const PENDING = 'TAG pending not supported';

const newest = ({ view, port }: Context) => (port === 'full' ? view.head : view.solid);

/** Height of a block given by tag, hexadecimal or decimal number. */
function heightOf(context: Context, asked: unknown): number {
  if (typeof asked !== 'string') return refuse('invalid block number');
  if (/^earliest$/i.test(asked)) return 0;
  if (/^latest$/i.test(asked)) return newest(context);
  if (/^finalized$/i.test(asked)) return context.view.solid;
  if (/^pending$/i.test(asked)) return refuse(PENDING);
  if (/^0x[0-9a-f]+$/i.test(asked) || /^\d+$/.test(asked)) return Number(asked);
  return refuse('invalid block number');
}

/** Height in a filter of logs, where decimals are refused; null means the head. */
function logHeightOf(context: Context, asked: unknown): number | null {
  if (asked === undefined || asked === null || asked === '') return null;
  if (typeof asked !== 'string') return refuse('Incorrect hex syntax');
  if (/^latest$/i.test(asked)) return null;
  if (/^pending$/i.test(asked)) return refuse(PENDING);
  if (/^earliest$/i.test(asked)) return 0;
  if (/^finalized$/i.test(asked)) return context.view.solid;
  return /^0x[0-9a-f]+$/i.test(asked) ? Number(asked) : refuse('Incorrect hex syntax');
}

/** Height of a block hash, which begins with the number. */
async function heightOfHash(context: Context, hash: unknown): Promise<number | null> {
  const digits = typeof hash === 'string' ? hash.replace(/^0x/, '') : '';
  if (!/^[0-9a-z]{64}$/i.test(digits)) return refuse('invalid hash value');
  const height = Number.parseInt(digits.slice(0, 16), 16);
  if (!Number.isSafeInteger(height)) return null;
  const block = await readEvmBlock(context.view, height);
  return block && blockIdOf(height, block.hash) === `0x${digits}` ? height : null;
}

const TWENTY_BYTES = /^(?:0x)?([0-9a-f]{40})$/i;
const TWENTY_ONE_BYTES = /^(?:0x)?41([0-9a-f]{40})$/i;

function filterAddress(text: unknown, complaint: string): Hex {
  const digits = TWENTY_BYTES.exec(String(text))?.[1];
  return digits === undefined ? refuse(`${complaint}: ${String(text)}`) : `0x${digits.toLowerCase()}`;
}

/**
 * Parses an address in the parameters of a method that asks about state (`eth_call` and the like), with or without
 * Tron's prefix.
 */
function stateAddress(text: unknown): Hex {
  const digits = (TWENTY_ONE_BYTES.exec(String(text)) ?? TWENTY_BYTES.exec(String(text)))?.[1];
  return digits === undefined ? refuse('invalid address hash value') : `0x${digits.toLowerCase()}`;
}

type Filter = { address?: unknown; topics?: unknown; fromBlock?: unknown; toBlock?: unknown; blockHash?: unknown };

function addressesOf({ address }: Filter): Hex[] | undefined {
  if (address === undefined || address === null) return undefined;
  if (typeof address === 'string') return [filterAddress(address, 'invalid address')];
  if (!Array.isArray(address)) return refuse('invalid addresses in query');
  return address.map((one, place) => filterAddress(one, `invalid address at index ${place}`));
}

function topicsOf({ topics }: Filter, { maxSubTopics }: TronLimits): unknown[] {
  const list = Array.isArray(topics) ? (topics as unknown[]) : [];
  if (list.length > MAX_TOPICS) refuse(`topics size should be <= ${MAX_TOPICS}`);
  for (const topic of list) {
    if (Array.isArray(topic) && topic.length > maxSubTopics) refuse(`exceed max topics: ${maxSubTopics}`);
  }
  return list;
}

async function rangeOf(context: Context, filter: Filter): Promise<{ from: number; to: number }> {
  const head = newest(context);
  const { fromBlock, toBlock, blockHash } = filter;
  if (blockHash !== undefined && blockHash !== null) {
    if (fromBlock !== undefined || toBlock !== undefined) {
      refuse('cannot specify both BlockHash and FromBlock/ToBlock, choose one or the other');
    }
    const height = (await heightOfHash(context, blockHash)) ?? refuse('invalid blockHash');
    return { from: height, to: height };
  }
  const to = logHeightOf(context, toBlock) ?? Number.POSITIVE_INFINITY;
  const onlyTo = (fromBlock === undefined || fromBlock === '') && toBlock !== undefined;
  const from = onlyTo ? Math.min(to, head) : (logHeightOf(context, fromBlock) ?? head);
  if (from > to) refuse('please verify: fromBlock <= toBlock');
  const { maxBlockRange } = context.limits;
  if (maxBlockRange > 0 && Math.min(to, head) - from > maxBlockRange) {
    refuse(`exceed max block range: ${maxBlockRange}`);
  }
  return { from, to: Math.min(to, head) };
}

async function getLogs(context: Context, filter: Filter): Promise<unknown[]> {
  const { limits, view } = context;
  const address = addressesOf(filter);
  const topics = topicsOf(filter, limits);
  const { from, to } = await rangeOf(context, filter);
  // A range above the head is answered as empty, without an error.
  if (from > to) return [];
  const found = await view.chain.rpc<EvmLog[]>('eth_getLogs', [
    { ...(address && { address }), topics, fromBlock: toHex(from), toBlock: toHex(to) },
  ]);
  const { unindexed, maxResults } = limits;
  const logs = found.filter(
    ({ blockNumber }) => !unindexed || Number(blockNumber) < unindexed.from || Number(blockNumber) > unindexed.to,
  );
  const candidates = new Set(logs.map(({ blockNumber }) => blockNumber)).size;
  if (logs.length > maxResults || candidates >= maxResults) {
    throw new RpcError(LIMIT_EXCEEDED, `query returned more than ${maxResults} results`);
  }
  return logs.map((log) => logView(log, limits.timestampInLogs));
}

async function getBlock(context: Context, height: number | null, whole: unknown): Promise<unknown> {
  if (height === null || height > newest(context)) return null;
  const block = await readEvmBlock(context.view, height);
  return block && blockView(block, whole === true);
}

async function getTransaction(context: Context, hash: unknown): Promise<unknown> {
  const found = await context.view.chain.rpc<EvmTransaction | null>('eth_getTransactionByHash', [hash]);
  if (!found?.blockNumber) return null;
  const block = await readEvmBlock(context.view, Number(found.blockNumber));
  return block && transactionView(found, block);
}

async function getReceipt(context: Context, hash: unknown): Promise<unknown> {
  const found = await context.view.chain.rpc<EvmReceipt | null>('eth_getTransactionReceipt', [hash]);
  if (!found || Number(found.blockNumber) > newest(context)) return null;
  return receiptView(found, context.limits.timestampInLogs);
}

async function getBlockReceipts(context: Context, asked: unknown): Promise<unknown> {
  const height = heightOf(context, asked);
  if (height === 0 || height > newest(context)) return null;
  const receipts = await readEvmReceipts(context.view, height);
  return receipts.map((receipt) => receiptView(receipt, context.limits.timestampInLogs));
}

/** Refuses every block but `latest`: state is known at the head only. */
function requireLatest(asked: unknown): void {
  const tag = String(asked);
  if (/^latest$/i.test(tag)) return;
  if (/^(?:earliest|pending|finalized)$/i.test(tag)) refuse('TAG [earliest | pending | finalized] not supported');
  if (/^(?:0x[0-9a-f]+|\d+)$/i.test(tag)) refuse('QUANTITY not supported, just support TAG as latest');
  refuse('invalid block number');
}

async function callContract({ view }: Context, [call, at]: Params): Promise<unknown> {
  requireLatest(at);
  const { to, from, data } = call as { to?: unknown; from?: unknown; data?: Hex };
  const request = { to: stateAddress(to), ...(from !== undefined && { from: stateAddress(from) }), data };
  return view.chain.rpc('eth_call', [request, toHex(view.head)]);
}

const stateOf =
  (method: string, place: number): Method =>
  async ({ view }, params) => {
    requireLatest(params[place]);
    const middle = params.slice(1, place);
    return view.chain.rpc(method, [stateAddress(params[0]), ...middle, toHex(view.head)]);
  };

async function newFilter(context: Context, filter: Filter): Promise<Hex> {
  for (const bound of [filter.fromBlock, filter.toBlock]) {
    if (typeof bound === 'string' && /^finalized$/i.test(bound)) refuse('invalid block range params');
  }
  addressesOf(filter);
  topicsOf(filter, context.limits);
  await rangeOf(context, filter);
  return toHex(TRON_CHAIN_ID);
}

const METHODS: Record<string, Method> = {
  eth_chainId: async () => toHex(TRON_CHAIN_ID),
  net_version: async () => toHex(TRON_CHAIN_ID),
  web3_clientVersion: async () => 'TRON/v4.8.1/Linux/Java1.8/GreatVoyage-v4.8.1',
  eth_blockNumber: async (context) => toHex(newest(context)),
  eth_getBlockByNumber: async (context, [at, whole]) => getBlock(context, heightOf(context, at), whole),
  eth_getBlockByHash: async (context, [hash, whole]) => getBlock(context, await heightOfHash(context, hash), whole),
  eth_getLogs: (context, [filter]) => getLogs(context, filter as Filter),
  eth_newFilter: (context, [filter]) => newFilter(context, filter as Filter),
  eth_getTransactionByHash: (context, [hash]) => getTransaction(context, hash),
  eth_getTransactionReceipt: (context, [hash]) => getReceipt(context, hash),
  eth_getBlockReceipts: (context, [at]) => getBlockReceipts(context, at),
  eth_call: callContract,
  eth_getBalance: stateOf('eth_getBalance', 1),
  eth_getCode: stateOf('eth_getCode', 1),
  eth_getStorageAt: stateOf('eth_getStorageAt', 2),
};

const NOT_ON_PBFT = new Set(['eth_getLogs', 'eth_newFilter']);

/** The node's answer to a single call; throws the node's error. */
export async function askTronRpc(context: Context, method: string, params: Params): Promise<unknown> {
  const known = METHODS[method];
  if (!known || (context.port === 'pbft' && NOT_ON_PBFT.has(method))) {
    throw new RpcError(MISSING, `the method ${method} does not exist/is not available`);
  }
  return known(context, params);
}
