import { createHmac } from 'node:crypto';
import type { ExchangeCredentials } from '../statement-source.ts';

/**
 * How old a request may be when it reaches Bybit, by the time in its signature. The time in a signature may be no more
 * than a second ahead of Bybit's clock.
 */
const RECEIVE_WINDOW_MS = '5000';

type BybitRequest = {
  /** The query as it is sent, without its question mark. */
  query: string;
  /** The present by Bybit's clock: Bybit refuses a signature that is older than the receive window. */
  nowMs: number;
};

/** Headers that sign a GET request: time, key, receive window and query, by HMAC-SHA256 in hexadecimal. */
export function signBybit(
  { apiKey, apiSecret }: ExchangeCredentials,
  { query, nowMs }: BybitRequest,
): Record<string, string> {
  const timestamp = String(nowMs);
  return {
    'X-BAPI-API-KEY': apiKey,
    'X-BAPI-TIMESTAMP': timestamp,
    'X-BAPI-RECV-WINDOW': RECEIVE_WINDOW_MS,
    'X-BAPI-SIGN': createHmac('sha256', apiSecret)
      .update(timestamp + apiKey + RECEIVE_WINDOW_MS + query)
      .digest('hex'),
  };
}
