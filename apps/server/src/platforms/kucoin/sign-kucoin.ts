import { createHmac } from 'node:crypto';
import { SourceError } from '../../sources/chain-source.ts';
import type { ExchangeCredentials } from '../statement-source.ts';

/**
 * The versions of keys that KuCoin accepts, the one that it issues today first. KuCoin's key page shows which version a
 * key has (www.kucoin.com/docs-new, "Authentication"). Both send the passphrase signed, not in plain text.
 */
export const KEY_VERSIONS = ['3', '2'] as const;
export type KeyVersion = (typeof KEY_VERSIONS)[number];

type KucoinRequest = {
  /**
   * The path with its query. It must hold no character that would have to be encoded, because its signature covers the
   * path before encoding.
   */
  path: string;
  /** The present by KuCoin's clock. */
  nowMs: number;
  version: KeyVersion;
};

/** Headers that sign a GET request: the time, the method and the path, by HMAC-SHA256 in Base64. */
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
