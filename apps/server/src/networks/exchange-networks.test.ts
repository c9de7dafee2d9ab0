import { describe, expect, test } from 'vitest';
import { baseUrlsWith, EXCHANGE_NETWORKS } from './exchange-networks.ts';

describe('hosts of exchange platforms', () => {
  test.each([
    ['EXCHANGE_PAY:OKX', 'https://eea.okx.com'],
    ['EXCHANGE_PAY:OKX', 'https://us.okx.com'],
    ['EXCHANGE_PAY:BYBIT', 'https://api.bybit.nl'],
    ['EXCHANGE_PAY:BYBIT', 'https://api.bybit-tr.com'],
    ['EXCHANGE_PAY:BYBIT', 'https://api.bybit.kz'],
    ['EXCHANGE_PAY:BYBIT', 'https://api.bybitgeorgia.ge'],
    ['EXCHANGE_PAY:BYBIT', 'https://api.bybit.ae'],
    ['EXCHANGE_PAY:BYBIT', 'https://api.bybit.id'],
    ['EXCHANGE_PAY:KUCOIN', 'https://api.kucoin.eu'],
  ])('%s has a region at %s, which is neither the usual host nor counted with it', (id, baseUrl) => {
    const network = EXCHANGE_NETWORKS.find((one) => one.id === id);
    expect(network?.platform.baseUrls.slice(1)).toContain(baseUrl);
    expect(baseUrlsWith(baseUrl)).toEqual([baseUrl]);
  });

  test('the two usual hosts of Bybit are counted together', () => {
    const both = ['https://api.bybit.com', 'https://api.bytick.com'];
    for (const baseUrl of both) expect(baseUrlsWith(baseUrl)).toEqual(both);
  });

  test('a host is listed once, with https and no path', () => {
    const all = EXCHANGE_NETWORKS.flatMap(({ platform }) => platform.baseUrls);
    expect(new Set(all).size).toBe(all.length);
    for (const baseUrl of all) expect(baseUrl).toBe(`https://${new URL(baseUrl).host}`);
  });
});
