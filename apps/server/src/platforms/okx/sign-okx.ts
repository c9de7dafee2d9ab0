import { createHmac } from 'node:crypto';
import { SourceError } from '../../sources/chain-source.ts';
import type { ExchangeCredentials } from '../statement-source.ts';

type OkxRequest = {
  /** Path with query as sent: OKX counts a GET's query as part of the path. */
  path: string;
  nowMs: number;
};

/** Headers of a signed GET request: time, method and path, by HMAC-SHA256 in Base64. */
export function signOkx(
  { apiKey, apiSecret, passphrase }: ExchangeCredentials,
  { path, nowMs }: OkxRequest,
): Record<string, string> {
  if (passphrase === undefined) throw new SourceError('unsupported', 'A key of OKX needs its passphrase.');
  const timestamp = new Date(nowMs).toISOString();
  return {
    'OK-ACCESS-KEY': apiKey,
    'OK-ACCESS-SIGN': createHmac('sha256', apiSecret).update(`${timestamp}GET${path}`).digest('base64'),
    'OK-ACCESS-TIMESTAMP': timestamp,
    'OK-ACCESS-PASSPHRASE': passphrase,
  };
}
