import { FetchError, fetchJson } from '../../../lib/fetch-json.ts';
import { SourceError } from '../../chain-source.ts';
import type { RpcCall } from '../evm/json-rpc.ts';
import { callBatch, MAX_ANSWER_BYTES } from '../evm/json-rpc.ts';

/** One provider of Tron: JSON-RPC and the solidified HTTP view behind one base address. */

export type TronEndpoint = {
  call: (calls: readonly RpcCall[]) => Promise<unknown[]>;
  /** POST to the solidified view. `several` says that less can be asked for, should it be too much. */
  ask: (name: string, body: Record<string, number>, several?: boolean) => Promise<unknown>;
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

function transportError(cause: unknown, several: boolean): SourceError {
  if (!(cause instanceof FetchError))
    return new SourceError('unavailable', 'The provider could not be asked.', { cause });
  const heavy = cause.kind === 'too-large' || cause.kind === 'timeout' || cause.status === 413;
  return new SourceError(heavy && several ? 'range' : 'unavailable', cause.message, { cause });
}

/** The node's limiter, and every error of its own, is an object with this one field and the status 200. */
function isRefusal(answer: unknown): boolean {
  return typeof answer === 'object' && answer !== null && 'Error' in answer;
}

export function createTronEndpoint(url: string, timeoutMs: number): TronEndpoint {
  const { base, headers } = parseTronAddress(url);
  return {
    call: (calls) => callBatch(`${base}/jsonrpc`, calls, timeoutMs, headers),
    ask: async (name, body, several = false) => {
      const target = `${base}/walletsolidity/${name}`;
      const answer = await fetchJson(target, { timeoutMs, maxBytes: MAX_ANSWER_BYTES, body, headers }).catch(
        (cause: unknown) => {
          throw transportError(cause, several);
        },
      );
      if (isRefusal(answer)) throw new SourceError('unavailable', `${name} was refused by the node's limiter.`);
      return answer;
    },
  };
}
