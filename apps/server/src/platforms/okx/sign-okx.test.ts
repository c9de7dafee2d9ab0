import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { signOkx } from './sign-okx.ts';

const CREDENTIALS = { apiKey: 'key', apiSecret: '22582BD0CFF14C41EDBF1AB98506286D', passphrase: 'phrase' };
const NOW_MS = Date.UTC(2020, 11, 8, 9, 8, 57, 715);

describe('signing for OKX', () => {
  test('the signature is over time, method and path with its query, as in the example of the documentation', () => {
    const headers = signOkx(CREDENTIALS, { path: '/api/v5/account/balance?ccy=BTC', nowMs: NOW_MS });
    expect(headers).toEqual({
      'OK-ACCESS-KEY': 'key',
      'OK-ACCESS-SIGN': createHmac('sha256', CREDENTIALS.apiSecret)
        .update('2020-12-08T09:08:57.715ZGET/api/v5/account/balance?ccy=BTC')
        .digest('base64'),
      'OK-ACCESS-TIMESTAMP': '2020-12-08T09:08:57.715Z',
      'OK-ACCESS-PASSPHRASE': 'phrase',
    });
  });

  test('a signature never changes: this one was made by another program', () => {
    const headers = signOkx(
      { apiKey: 'key', apiSecret: 'secret', passphrase: 'phrase' },
      { path: '/api/v5/asset/deposit-history?ccy=USDT', nowMs: 1_794_734_000_000 },
    );
    expect(headers['OK-ACCESS-SIGN']).toBe('CxVilRr4D3+MosuaWY5vS6aotiHT+urt5Y56ytQzqlE=');
  });

  test('a key without its passphrase is refused before anything is sent', () => {
    expect(() => signOkx({ apiKey: 'key', apiSecret: 'secret' }, { path: '/', nowMs: NOW_MS })).toThrow(
      expect.objectContaining({ name: 'SourceError', kind: 'unsupported' }),
    );
  });
});
