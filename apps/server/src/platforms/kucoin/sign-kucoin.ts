import { createHmac } from 'node:crypto';
import { SourceError } from '../../sources/chain-source.ts';
import type { ExchangeCredentials } from '../statement-source.ts';

/** Accepted key versions, current first (www.kucoin.com/docs-new, "Authentication"). */
export const KEY_VERSIONS = ['3', '2'] as const;
export type KeyVersion = (typeof KEY_VERSIONS)[number];

type KucoinRequest = {
  path: string;
  nowMs: number;
  version: KeyVersion;
};

/**
 * Headers of a signed GET request: time, method and path, by HMAC-SHA256 in Base64. The path must need no encoding,
 * because the signature covers it before encoding.
 */
export function signKucoin(
  { apiKey, apiSecret, passphrase }: ExchangeCredentials,
  { path, nowMs, version }: KucoinRequest,
): Record<string, string> {
  if (passphrase === undefined) throw new SourceError('unsupported', 'A key of KuCoin needs its passphrase.');
  const sign = (text: string) => createHmac('sha256', apiSecret).update(text).digest('base64');
  const timestamp = String(nowMs);
  return {
    'KC-API-KEY': apiKey,
    'KC-API-SIGN': sign(`${timestamp}GET${path}`),
    'KC-API-TIMESTAMP': timestamp,
    'KC-API-PASSPHRASE': sign(passphrase),
    'KC-API-KEY-VERSION': version,
  };
}
