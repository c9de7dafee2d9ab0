import type { ServerResponse } from 'node:http';
import type { Call } from './evm/backend.ts';

/** Ways in which a provider fails a whole request. */

export type Fault =
  /** Cuts the connection without an answer. */
  | 'reset'
  /** Never answers. */
  | 'hang'
  /** Answers 429 with Retry-After. */
  | 'busy'
  /** Answers a page of a content delivery network with status 200. */
  | 'html'
  /** Answers JSON that is not JSON-RPC, as the rate limiters of some gateways do. */
  | 'foreign-json'
  /** Answers status 200 with an error object for each call. */
  | 'error-each'
  /** Answers status 200 with one error object without an id, also for a batch. */
  | 'error-whole';

export const RETRY_AFTER_SECONDS = 7;
const LIMIT_EXCEEDED = -32_005;
export const INTERNAL = -32_603;

export function sendJson(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** Fails a request in the given way. */
export function failRequest(fault: Fault, body: Call | Call[], response: ServerResponse): void {
  switch (fault) {
    case 'hang':
      return;
    case 'reset':
      response.socket?.resetAndDestroy();
      return;
    case 'busy':
      response.writeHead(429, { 'retry-after': String(RETRY_AFTER_SECONDS) }).end('Too Many Requests');
      return;
    case 'html':
      response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>One moment</title>');
      return;
    case 'foreign-json':
      sendJson(response, { Success: false, Error: 'The key exceeds the frequency limit.' });
      return;
    case 'error-whole':
      sendJson(response, { jsonrpc: '2.0', id: null, error: { code: LIMIT_EXCEEDED, message: 'limit exceeded' } });
      return;
    case 'error-each': {
      const error = { code: INTERNAL, message: 'internal error' };
      const answers = [body].flat().map(({ id }) => ({ jsonrpc: '2.0', id, error }));
      sendJson(response, Array.isArray(body) ? answers : answers[0]);
    }
  }
}
