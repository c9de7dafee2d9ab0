import type { Address } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { payNative } from '../chain/payment.ts';
import * as solana from './solana-shop.ts';
import type { Shop } from './shop.ts';
import {
  chainOf,
  follow,
  mineNow,
  newInvoice,
  openPayableStore,
  openShop,
  pay,
  select,
  setPrices,
  settle,
  statusOf,
  transfersOf,
} from './shop.ts';

/** Coins worth less than ten cents are counted and not kept, unless somebody was quoted that very amount. */

let shop: Shop;
beforeAll(async () => {
  shop = await openShop(['BSC']);
  await follow(shop, 'BSC');
});
afterAll(() => shop.close());

const reader = () => chainOf(shop, 'BSC').follower;
/** Ten cents of a coin that costs 600 dollars. */
const TEN_CENTS = 166_666_666_666_666n;

async function openQuote(token = 'BNB') {
  const store = await openPayableStore(shop);
  const transId = await newInvoice(shop, store);
  const quote = await select(shop, transId, 'BSC', token);
  return { store, transId, quote, to: quote.toAddress as Address };
}

/** As a minute later, when the price is read again. */
function forgetLimit(): void {
  reader().dustLimit = undefined;
}

describe('coins', () => {
  test('worth less than ten cents at the last price are counted and not kept; ten cents are kept', async () => {
    const { to } = await openQuote();
    forgetLimit();
    const before = reader().counts.dust;
    const dust = await payNative(chainOf(shop, 'BSC').anvil, { to, units: TEN_CENTS - 1n });
    const enough = await payNative(chainOf(shop, 'BSC').anvil, { to, units: TEN_CENTS });
    await settle(shop, 'BSC');
    expect(await transfersOf(shop, dust)).toEqual([]);
    expect(await transfersOf(shop, enough)).toMatchObject([{ index: 'native', reason: 'short' }]);
    expect(reader().counts).toMatchObject({ dust: before + 1, disagreements: 0 });
  });

  test('of an amount that somebody was quoted pay, whatever has become of the price', async () => {
    const { store, transId, quote } = await openQuote();
    await setPrices(shop, { BNB: '0.0001' });
    forgetLimit();
    await pay(shop, quote);
    await settle(shop, 'BSC');
    expect(await statusOf(shop, store, transId)).toBe('completed');
  });

  test('that one read kept stay when the price falls before the second read', async () => {
    const { to } = await openQuote();
    await setPrices(shop);
    forgetLimit();
    const hash = await payNative(chainOf(shop, 'BSC').anvil, { to, units: TEN_CENTS });
    await mineNow(shop, 'BSC', 6);
    await follow(shop, 'BSC');
    await setPrices(shop, { BNB: '1' });
    forgetLimit();
    await settle(shop, 'BSC');
    expect(await transfersOf(shop, hash)).toMatchObject([{ canonical: true }]);
    expect(reader().counts.disagreements).toBe(0);
  });

  test('are all kept where no price is known, or only one of long ago', async () => {
    const { to } = await openQuote();
    await shop.database.pool.query(`update price_reports set observed_at = observed_at - interval '25 hours'`);
    forgetLimit();
    const hash = await payNative(chainOf(shop, 'BSC').anvil, { to, units: 1n });
    await settle(shop, 'BSC');
    expect(await transfersOf(shop, hash)).toMatchObject([{ index: 'native', reason: 'short' }]);
  });
});

describe('coins of Solana', () => {
  test('below ten cents are counted and not kept, and what stands beside them is', async () => {
    const accounts = await solana.openSolanaShop();
    try {
      const store = await solana.openSolanaStore(accounts);
      const { transId, quote } = await solana.openQuote(accounts, store, 'SOL');
      // An account holds no less than its rent, so it gets more than dust first.
      const first = await solana.pay(accounts, quote, { units: 10_000_000n });
      solana.produceNow(accounts, 2);
      const before = accounts.follower.counts.dust;
      const dust = await solana.pay(accounts, quote, { units: 666_665n });
      const paid = await solana.pay(accounts, quote);
      await solana.settle(accounts);
      expect(await transfersOf(accounts, dust)).toEqual([]);
      expect(await transfersOf(accounts, first)).toHaveLength(1);
      expect(await transfersOf(accounts, paid)).toMatchObject([{ trans_id: transId }]);
      expect(await statusOf(accounts, store, transId)).toBe('completed');
      expect(accounts.follower.counts.dust).toBeGreaterThan(before);
      expect(accounts.follower.counts.disagreements).toBe(0);
    } finally {
      await accounts.close();
    }
  });
});
