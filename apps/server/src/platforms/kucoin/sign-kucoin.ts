import { createHmac } from 'node:crypto';
import { SourceError } from '../../sources/chain-source.ts';
import type { ExchangeCredentials } from '../statement-source.ts';

/** The version of keys that KuCoin issues today. Their passphrase is sent signed, not in plain text. */
const KEY_VERSION = '3';

type KucoinRequest = {
  /**
   * The path with its query. It must hold no character that would have to be encoded, because its signature covers the
   * path before encoding.
   */
  path: string;
  /** The present by KuCoin's clock. */
  nowMs: number;
};

/** Headers that sign a GET request: the time, the method and the path, by HMAC-SHA256 in Base64. */
export function signKucoin(
  { apiKey, apiSecret, passphrase }: ExchangeCredentials,
  { path, nowMs }: KucoinRequest,
): Record<string, string> {
  if (passphrase === undefined) throw new SourceError('unsupported', 'A key of KuCoin needs its passphrase.');
  const sign = (text: string) => createHmac('sha256', apiSecret).update(text).digest('base64');
  const timestamp = String(nowMs);
  return {
    'KC-API-KEY': apiKey,
    'KC-API-SIGN': sign(`${timestamp}GET${path}`),
    'KC-API-TIMESTAMP': timestamp,
    'KC-API-PASSPHRASE': sign(passphrase),
    'KC-API-KEY-VERSION': KEY_VERSION,
  };
}
