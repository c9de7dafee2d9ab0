import { describe, expect, test } from 'vitest';
import { signBybit } from './sign-bybit.ts';

describe('signing for Bybit', () => {
  test('a signature never changes: this one was made by another program', () => {
    const headers = signBybit({ apiKey: 'key', apiSecret: 'secret' }, { query: 'coin=USDT', nowMs: 1_794_734_000_000 });
    expect(headers).toEqual({
      'X-BAPI-API-KEY': 'key',
      'X-BAPI-TIMESTAMP': '1794734000000',
      'X-BAPI-RECV-WINDOW': '5000',
      'X-BAPI-SIGN': 'cbc10055d14ad1bfc41a2012293eb198bdfc98c786a8c55b83c0667799cc7c92',
    });
  });
});
