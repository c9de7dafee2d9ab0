import type { Clock } from '../../lib/clock.ts';
import { fetchJson } from '../../lib/fetch-json.ts';
import { SourceError } from '../chain-source.ts';
import { MAX_ANSWER_BYTES, TIMEOUT_MS, transportError } from '../json-rpc/json-rpc.ts';
import type { RpcProvider } from '../json-rpc/rpc-provider.ts';
import { createRpcProvider } from '../json-rpc/rpc-provider.ts';

/** A provider's JSON-RPC and solidified HTTP view under one base URL. */

export type TronEndpoint = RpcProvider & {
  /** Posts to the solidified view. `blocks`: a refused request about several can be made smaller. */
  ask: (name: string, body: Record<string, number>, blocks?: number) => Promise<unknown>;
};

const KEY_HEADER = 'TRON-PRO-API-KEY';

type TronAddress = { base: string; headers: Record<string, string> };

/** An API key before the host (`https://KEY@api.trongrid.io`) becomes a header. */
export function parseTronAddress(url: string): TronAddress {
  const parsed = new URL(url);
  const key = decodeURIComponent(parsed.username);
  const parts = parsed.pathname.split('/').filter((part) => part !== '');
  if (parts.at(-1) === 'jsonrpc') parts.pop();
  return { base: [parsed.origin, ...parts].join('/'), headers: key === '' ? {} : { [KEY_HEADER]: key } };
}

/** The rate limiter and errors have HTTP status 200 and an `Error` field. */
function isRefusal(answer: unknown): boolean {
  return typeof answer === 'object' && answer !== null && 'Error' in answer;
}

/** A used-up quota at Tron's gateways. */
const RATE_STATUSES: ReadonlySet<number> = new Set([403, 429, 503]);

type TronLimits = { timeoutMs?: number | undefined; maxBytes?: number };

export function createTronEndpoint(url: string, monotonic: Clock, limits: TronLimits = {}): TronEndpoint {
  const { timeoutMs = TIMEOUT_MS, maxBytes = MAX_ANSWER_BYTES } = limits;
  const { base, headers } = parseTronAddress(url);
  return {
    ...createRpcProvider(`${base}/jsonrpc`, monotonic, { timeoutMs, maxBytes, headers, rateStatuses: RATE_STATUSES }),
    ask: async (name, body, blocks = 1) => {
      const target = `${base}/walletsolidity/${name}`;
      const answer = await fetchJson(target, { timeoutMs, maxBytes, body, headers }).catch((cause: unknown) => {
        throw transportError(cause, { blocks, judgeLimit: () => 'rate' }, RATE_STATUSES);
      });
      if (isRefusal(answer)) throw new SourceError('rate', `${name} was refused by the node's limiter.`);
      return answer;
    },
  };
}
