import type { ProxyAnswers, ProxyCall } from '../rpc-proxy.ts';
import type { Anvil } from './anvil.ts';
import { headerAt } from './reorg.ts';

/** Answers of a node whose head stopped and that continues to answer, the most common failure. */

const hex = (value: number) => `0x${value.toString(16)}`;
const INVALID_RANGE = { code: -32_000, message: 'invalid block range params' };
const OF_BLOCK = new Set(['eth_getBlockByNumber', 'eth_getBlockReceipts']);

type Heights = { head: number; finalized: number };
type RangeFilter = { fromBlock?: string; toBlock?: string };

function heightOf({ head, finalized }: Heights, tag: unknown): number {
  if (tag === 'latest' || tag === 'pending') return head;
  return tag === 'finalized' || tag === 'safe' ? finalized : Number(tag);
}

/** The call as the real node must be asked, so that it answers nothing above the frozen head. */
function asked(heights: Heights, call: ProxyCall): ProxyCall {
  const [first, ...rest] = call.params;
  if (OF_BLOCK.has(call.method))
    return { ...call, params: [hex(Math.min(heightOf(heights, first), heights.head)), ...rest] };
  const { fromBlock, toBlock } = (first ?? {}) as RangeFilter;
  if (call.method !== 'eth_getLogs' || fromBlock === undefined) return call;
  const to = Math.min(heightOf(heights, toBlock), heights.head);
  return {
    ...call,
    params: [{ ...(first as object), fromBlock: hex(Math.min(Number(fromBlock), to)), toBlock: hex(to) }],
  };
}

/** Whether a call is about something above the frozen head, by its question or by its answer. */
function isAbove(heights: Heights, { method, params: [first] }: ProxyCall, result: unknown): boolean {
  if (OF_BLOCK.has(method)) return heightOf(heights, first) > heights.head;
  if (method === 'eth_getLogs') return Number((first as RangeFilter).fromBlock ?? 0) > heights.head;
  const placed = result as { blockNumber?: string | null } | null;
  return typeof placed === 'object' && placed !== null && Number(placed.blockNumber ?? 0) > heights.head;
}

/** Answers with the node's present state from now on. */
export async function freezeAnswers(anvil: Anvil): Promise<ProxyAnswers> {
  const heights = {
    head: (await headerAt(anvil, 'latest')).number,
    finalized: (await headerAt(anvil, 'finalized')).number,
  };
  return async (calls, ask) => {
    const byId = new Map((await ask(calls.map((call) => asked(heights, call)))).map((one) => [one.id, one]));
    return calls.map((call) => {
      const answer = byId.get(call.id) ?? { id: call.id, result: null };
      if (!isAbove(heights, call, answer.result)) return answer;
      const nothing = call.method === 'eth_getLogs' ? { error: INVALID_RANGE } : { result: null };
      return { jsonrpc: '2.0', id: call.id, ...nothing };
    });
  };
}
