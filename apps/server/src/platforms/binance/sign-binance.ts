import { createHmac } from 'node:crypto';
import type { ExchangeCredentials } from '../statement-source.ts';

export type BinanceParameters = Readonly<Record<string, string | number>>;

type SignedQuery = { query: string; headers: Record<string, string> };

/** Left as they are by encodeURIComponent. The URL parser would change the apostrophe after signing. */
const RESERVED = /[!'()*]/g;

/** Percent-encodes all but letters, digits and - . _ ~, as in the documentation's examples. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(RESERVED, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
}

/**
 * Signs a query: HMAC-SHA256 over the query as sent, as its last parameter.
 * https://developers.binance.com/docs/binance-spot-api-docs/rest-api/request-security
 */
export function signBinance(parameters: BinanceParameters, { apiKey, apiSecret }: ExchangeCredentials): SignedQuery {
  const query = Object.entries(parameters)
    .map(([name, value]) => `${encode(name)}=${encode(String(value))}`)
    .join('&');
  const signature = createHmac('sha256', apiSecret).update(query).digest('hex');
  return { query: `${query}&signature=${signature}`, headers: { 'X-MBX-APIKEY': apiKey } };
}
