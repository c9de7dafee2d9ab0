import type { Clock } from '../../lib/clock.ts';
import { fetchJson } from '../../lib/fetch-json.ts';
import { SourceError } from '../chain-source.ts';
import { MAX_ANSWER_BYTES, TIMEOUT_MS, transportError } from '../json-rpc/json-rpc.ts';
import type { RpcProvider } from '../json-rpc/rpc-provider.ts';
import { createRpcProvider } from '../json-rpc/rpc-provider.ts';

/** One provider of Tron: JSON-RPC and the solidified HTTP view behind one base address. */

export type TronEndpoint = RpcProvider & {
  /** POST to the solidified view. Less can be asked for when it speaks of several blocks, should it be too much. */
  ask: (name: string, body: Record<string, number>, blocks?: number) => Promise<unknown>;
};

const KEY_HEADER = 'TRON-PRO-API-KEY';

export type TronAddress = { base: string; headers: Record<string, string> };

/** A key stands before the host, as in `https://KEY@api.trongrid.io`, and goes into a header. */
export function parseTronAddress(url: string): TronAddress {
  const parsed = new URL(url);
  const key = decodeURIComponent(parsed.username);
  const parts = parsed.pathname.split('/').filter((part) => part !== '');
  if (parts.at(-1) === 'jsonrpc') parts.pop();
  return { base: [parsed.origin, ...parts].join('/'), headers: key === '' ? {} : { [KEY_HEADER]: key } };
}

/** The node's limiter, and every error of its own, is an object with this one field and the status 200. */
function isRefusal(answer: unknown): boolean {
  return typeof answer === 'object' && answer !== null && 'Error' in answer;
}

/** The gateway's quotas are refused with any of these. */
const REST_STATUSES: ReadonlySet<number> = new Set([403, 429, 503]);

export type TronLimits = { timeoutMs?: number | undefined; maxBytes?: number };

export function createTronEndpoint(url: string, monotonic: Clock, limits: TronLimits = {}): TronEndpoint {
  const { timeoutMs = TIMEOUT_MS, maxBytes = MAX_ANSWER_BYTES } = limits;
  const { base, headers } = parseTronAddress(url);
  return {
    ...createRpcProvider(`${base}/jsonrpc`, monotonic, { timeoutMs, maxBytes, headers, restStatuses: REST_STATUSES }),
    ask: async (name, body, blocks = 1) => {
      const target = `${base}/walletsolidity/${name}`;
      const answer = await fetchJson(target, { timeoutMs, maxBytes, body, headers }).catch((cause: unknown) => {
        throw transportError(cause, { blocks, judgeLimit: () => 'rate' }, REST_STATUSES);
      });
      if (isRefusal(answer)) throw new SourceError('rate', `${name} was refused by the node's limiter.`);
      return answer;
    },
  };
}
