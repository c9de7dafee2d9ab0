import type { Clock } from '../../lib/clock.ts';
import type { RpcAnswer, RpcOptions } from './json-rpc.ts';
import { askEach, requireResults } from './json-rpc.ts';
import { createLimitMemory } from './limit-memory.ts';
import type { RpcCall } from './rpc-call.ts';
import { splitCalls } from './rpc-call.ts';

/**
 * One provider of JSON-RPC. It is sent as much at once as it will answer, request after request. Nobody promises that
 * one backend answers the calls of a request, still less those of several: whoever compares answers must not rely on it.
 */
export type RpcProvider = {
  /** All results in the order of the calls; throws when one of them is missing or an error. */
  call: (calls: readonly RpcCall[]) => Promise<unknown[]>;
  /** What became of each call. */
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
      // What follows a refused request is not asked for any more.
      for (const part of splitCalls(calls)) results.push(...requireResults(await request(part)));
      return results;
    },
  };
}
