import { describe, expect, test } from 'vitest';
import { signBinance } from './sign-binance.ts';

/** The example key of https://developers.binance.com/docs/binance-spot-api-docs/rest-api/request-security */
const EXAMPLE_KEY = {
  apiKey: 'vmPUZE6mv9SD5VNHk4HlWFsOr6aKE2zvsw0MuIgwCIPy6utIco14y7Ju91duEh8A',
  apiSecret: 'NhqPtmdSJYdKjVHjA7PZj4Mge3R5YNiP1e3UZjInClVN65XAbvqqM6A7H5fATj0j',
};
const ORDER = { side: 'BUY', type: 'LIMIT', timeInForce: 'GTC', quantity: 1, price: '0.1', recvWindow: 5000 };

describe('signatures of the documentation', () => {
  test.each([
    ['ASCII characters', 'LTCBTC', 'c8db56825ae71d6d79447849e617115f4a920fa2acdcab2b053c4b2838bd6b71'],
    ['other characters', '１２３４５６', 'e1353ec6b14d888f1164ae9af8228a3dbd508bc82eb867db8ab6046442f33ef3'],
  ])('a request with %s', (_, symbol, signature) => {
    const { query, headers } = signBinance({ symbol, ...ORDER, timestamp: 1_499_827_319_559 }, EXAMPLE_KEY);
    expect(query.endsWith(`&signature=${signature}`)).toBe(true);
    expect(headers).toEqual({ 'X-MBX-APIKEY': EXAMPLE_KEY.apiKey });
  });
});

test('the URL parser changes nothing of a signed query', () => {
  const { query } = signBinance({ 'na me': ` '"<>#?&=+%/\\^\`{|}~!*()€😀` }, EXAMPLE_KEY);
  expect(new URL(`https://api.example.com/path?${query}`).search).toBe(`?${query}`);
});
