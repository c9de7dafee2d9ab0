import { createHmac } from 'node:crypto';
import { SourceError } from '../../sources/chain-source.ts';
import type { ExchangeCredentials } from '../statement-source.ts';

type OkxRequest = {
  /** The path with its query, as it is sent: OKX counts the query of a GET as a part of the path. */
  path: string;
  /** The present by OKX's clock. */
  nowMs: number;
};

/** Headers that sign a GET request: the time, the method and the path, by HMAC-SHA256 in Base64. */
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
