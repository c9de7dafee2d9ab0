import { createHmac } from 'node:crypto';
import type { ExchangeCredentials } from '../statement-source.ts';

/** Largest age of a request on arrival, by its signed time, which may be at most a second ahead of Bybit's clock. */
const RECEIVE_WINDOW_MS = '5000';

type BybitRequest = {
  query: string;
  /** Bybit's time: older signatures than the receive window are refused. */
  nowMs: number;
};

/** Headers of a signed GET request: time, key, receive window and query, by HMAC-SHA256 in hex. */
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
