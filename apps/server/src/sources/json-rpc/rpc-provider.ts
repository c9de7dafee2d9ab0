import type { Clock } from '../../lib/clock.ts';
import type { RpcAnswer, RpcOptions } from './json-rpc.ts';
import { askEach, requireResults } from './json-rpc.ts';
import { createLimitMemory } from './limit-memory.ts';
import type { RpcCall } from './rpc-call.ts';
import { splitCalls } from './rpc-call.ts';

/** One provider. Calls are batched as it accepts; the calls of one batch may be answered by different backends. */
export type RpcProvider = {
  call: (calls: readonly RpcCall[]) => Promise<unknown[]>;
  each: (calls: readonly RpcCall[]) => Promise<RpcAnswer[]>;
};

export function createRpcProvider(url: string, monotonic: Clock, options: RpcOptions = {}): RpcProvider {
  const limits = createLimitMemory(monotonic);
  const request = (calls: readonly RpcCall[]) => askEach(url, calls, { ...options, limits });
  return {
    each: async (calls) => {
      const answers: RpcAnswer[] = [];
      for (const part of splitCalls(calls)) answers.push(...(await request(part)));
      return answers;
    },
    call: async (calls) => {
      const results: unknown[] = [];
      // Batches after a refused one are not sent.
      for (const part of splitCalls(calls)) results.push(...requireResults(await request(part)));
      return results;
    },
  };
}
