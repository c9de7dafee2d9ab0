import { createHmac } from 'node:crypto';
import type { ExchangeCredentials } from '../statement-source.ts';

/** Parameters in the order in which they are sent. */
export type BinanceParameters = Readonly<Record<string, string | number>>;

type SignedQuery = { query: string; headers: Record<string, string> };

/**
 * Reserved characters that encodeURIComponent leaves as they are. The URL parser would change one of them, the
 * apostrophe, after the query was signed.
 */
const RESERVED = /[!'()*]/g;

/** Percent-encodes all but letters, digits and - . _ ~, as the examples of the documentation do. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(RESERVED, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
}

/**
 * The query of a signed request. The signature, a HMAC with SHA-256 over the query as it is sent, is its last parameter.
 * See https://developers.binance.com/docs/binance-spot-api-docs/rest-api/request-security
 */
export function signBinance(parameters: BinanceParameters, { apiKey, apiSecret }: ExchangeCredentials): SignedQuery {
  const query = Object.entries(parameters)
    .map(([name, value]) => `${encode(name)}=${encode(String(value))}`)
    .join('&');
  const signature = createHmac('sha256', apiSecret).update(query).digest('hex');
  return { query: `${query}&signature=${signature}`, headers: { 'X-MBX-APIKEY': apiKey } };
}
