import type { Clock } from '../../../lib/clock.ts';
import type { RpcAnswer, RpcOptions } from './json-rpc.ts';
import { askEach, requireResults } from './json-rpc.ts';
import { createLimitMemory } from './limit-memory.ts';
import type { RpcCall } from './rpc-call.ts';

/** One provider of JSON-RPC, and what it has refused lately. */
export type RpcProvider = {
  /** All results in the order of the calls; throws when one of them is missing or an error. */
  call: (calls: readonly RpcCall[]) => Promise<unknown[]>;
  /** What became of each call. */
  each: (calls: readonly RpcCall[]) => Promise<RpcAnswer[]>;
};

export function createRpcProvider(url: string, monotonic: Clock, options: RpcOptions = {}): RpcProvider {
  const limits = createLimitMemory(monotonic);
  const each = (calls: readonly RpcCall[]) => askEach(url, calls, { ...options, limits });
  return { each, call: async (calls) => requireResults(await each(calls)) };
}
