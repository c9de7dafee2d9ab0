/** JSON-RPC calls of readers, the blocks that they concern, and their batches. */

export type RpcCall = { method: string; params: unknown[] };

/** Nodes and gateways refuse more than a hundred. */
export const MAX_CALLS_PER_REQUEST = 90;
/** Most whole blocks or their receipts per batch: twenty of the largest stay below ten megabytes. */
export const MAX_WHOLE_BLOCKS_PER_REQUEST = 20;

export const getBlock = (at: string, whole = false): RpcCall => ({
  method: 'eth_getBlockByNumber',
  params: [at, whole],
});

export const getBlockReceipts = (at: string): RpcCall => ({ method: 'eth_getBlockReceipts', params: [at] });

export const getReceipt = (txId: string): RpcCall => ({ method: 'eth_getTransactionReceipt', params: [txId] });

export const getTransaction = (txId: string): RpcCall => ({ method: 'eth_getTransactionByHash', params: [txId] });

type LogFilter = { fromBlock?: string; toBlock?: string; blockHash?: string };

/** Methods whose first parameter is one block or transaction. */
const OF_ONE_BLOCK = new Set([
  'eth_getBlockByNumber',
  'eth_getBlockByHash',
  'eth_getBlockReceipts',
  'eth_getTransactionReceipt',
  'eth_getTransactionByHash',
]);

/** Blocks that a request concerns. It can be made smaller only if there are several. */
export function countBlocks(calls: readonly RpcCall[]): number {
  const named = new Set<unknown>();
  let widest = 0;
  for (const { method, params } of calls) {
    // Tags such as `latest` are not counted.
    if (OF_ONE_BLOCK.has(method) && String(params[0]).startsWith('0x')) named.add(params[0]);
    if (method !== 'eth_getLogs') continue;
    const { fromBlock, toBlock, blockHash } = (params[0] ?? {}) as LogFilter;
    if (blockHash !== undefined) named.add(blockHash);
    else widest = Math.max(widest, Number(toBlock) - Number(fromBlock) + 1 || 1);
  }
  return Math.max(widest, named.size);
}

const isWhole = ({ method, params }: RpcCall) =>
  method === 'eth_getBlockReceipts' || (method === 'eth_getBlockByNumber' && params[1] === true);

export function splitCalls(calls: readonly RpcCall[]): RpcCall[][] {
  const requests: RpcCall[][] = [];
  let whole = 0;
  for (const call of calls) {
    const last = requests.at(-1);
    const weight = isWhole(call) ? 1 : 0;
    if (last && last.length < MAX_CALLS_PER_REQUEST && whole + weight <= MAX_WHOLE_BLOCKS_PER_REQUEST) {
      last.push(call);
      whole += weight;
    } else {
      requests.push([call]);
      whole = weight;
    }
  }
  return requests;
}
