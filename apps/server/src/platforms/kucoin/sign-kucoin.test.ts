import { describe, expect, test } from 'vitest';
import { signKucoin } from './sign-kucoin.ts';

const REQUEST = { path: '/api/v1/deposits?currency=USDT', nowMs: 1_794_734_000_000, version: '3' } as const;

describe('signing for KuCoin', () => {
  test('a signature never changes: this one, and that of the passphrase, were made by another program', () => {
    expect(signKucoin({ apiKey: 'key', apiSecret: 'secret', passphrase: 'phrase' }, REQUEST)).toEqual({
      'KC-API-KEY': 'key',
      'KC-API-SIGN': 'wWIBfxuvOGo+j91ZvsaVRe/m7KoeLg2hE/aUOY6yQ/o=',
      'KC-API-TIMESTAMP': '1794734000000',
      'KC-API-PASSPHRASE': '+n/mrTSNU7CrscsmDK22syRThdivpLcovw6amkVEEug=',
      'KC-API-KEY-VERSION': '3',
    });
  });

  test('a key without its passphrase is refused before anything is sent', () => {
    expect(() => signKucoin({ apiKey: 'key', apiSecret: 'secret' }, REQUEST)).toThrow(
      expect.objectContaining({ name: 'SourceError', kind: 'unsupported' }),
    );
  });
});
