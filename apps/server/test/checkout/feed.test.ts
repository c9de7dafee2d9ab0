import type { Address } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readCheckoutFacts } from '../../src/checkout/checkout-facts-sql.ts';
import { readChanges, readPosition } from '../../src/invoices/change-feed-sql.ts';
import { reorg } from '../chain/reorg.ts';
import type { Shop } from '../engine/shop.ts';
import {
  chainOf,
  command,
  endOf,
  expire,
  factsOf,
  follow,
  mineAt,
  mineNow,
  newInvoice,
  openPayableStore,
  openShop,
  pay,
  select,
  settle,
  unitsOf,
} from '../engine/shop.ts';
import { payToken } from '../chain/payment.ts';
import { canonicalToken } from '../chain/token.ts';

/** Whatever a customer can see change is in the feed, by the engine's own verbs on a real chain. */

const LIMIT = 1_000;
/** The last digit that a payer is shown. */
const DIGIT = 1n;

let shop: Shop;
beforeAll(async () => {
  shop = await openShop(['ETH']);
  await follow(shop, 'ETH');
});
afterAll(() => shop.close());

async function openQuote(amount = '50') {
  const store = await openPayableStore(shop);
  const transId = await newInvoice(shop, store, amount);
  const quote = await select(shop, transId, 'ETH');
  return { transId, quote };
}

/** Whether `work` tells viewers of the invoice. */
async function tells(transId: string, work: () => Promise<unknown>): Promise<boolean> {
  const { id } = await factsOf(shop, transId);
  const position = await readPosition(shop.as('api').pool);
  await work();
  return (await readChanges(shop.as('api').pool, position, LIMIT)).invoiceIds.includes(id);
}

async function arrivalsOf(transId: string): Promise<(string | null)[]> {
  const [facts] = await readCheckoutFacts(shop.as('api').pool, [transId]);
  return facts?.transfers.map((transfer) => transfer.reason) ?? [];
}

describe('viewers are told of', () => {
  test('a selection, another one, and the first again', async () => {
    const store = await openPayableStore(shop);
    const transId = await newInvoice(shop, store);
    expect(await tells(transId, () => select(shop, transId, 'ETH'))).toBe(true);
    expect(await tells(transId, () => select(shop, transId, 'ETH', 'USDC'))).toBe(true);
    expect(await tells(transId, () => select(shop, transId, 'ETH'))).toBe(true);
  });

  test('a payment that was seen, and its completion', async () => {
    const { transId, quote } = await openQuote();
    await pay(shop, quote);
    const seen = async () => {
      await mineNow(shop, 'ETH', 6);
      await follow(shop, 'ETH');
    };
    expect(await tells(transId, seen)).toBe(true);
    expect(await tells(transId, () => settle(shop, 'ETH'))).toBe(true);
  });

  test('a payment that a reorganisation took away', async () => {
    const { transId, quote } = await openQuote();
    await settle(shop, 'ETH');
    await pay(shop, quote);
    await mineNow(shop, 'ETH', 6);
    await follow(shop, 'ETH');
    const taken = async () => {
      await reorg(chainOf(shop, 'ETH').anvil, 6);
      await mineNow(shop, 'ETH', 2);
      await follow(shop, 'ETH');
    };
    expect(await tells(transId, taken)).toBe(true);
  });

  test('the end', async () => {
    const { transId } = await openQuote();
    await mineAt(shop, 'ETH', (await endOf(shop, transId)) + 1);
    await settle(shop, 'ETH');
    expect(await tells(transId, () => expire(shop))).toBe(true);
  });

  test('late money, and its attachment by the merchant', async () => {
    const { transId, quote } = await openQuote();
    await mineAt(shop, 'ETH', (await endOf(shop, transId)) + 1);
    await settle(shop, 'ETH');
    await expire(shop);
    const hash = await pay(shop, quote);
    expect(await tells(transId, () => settle(shop, 'ETH'))).toBe(true);
    expect(await arrivalsOf(transId)).toEqual(['late']);
    const { rows } = await shop.database.pool.query<{ index: string }>('select index from transfers where tx_id = $1', [
      hash,
    ]);
    const values = { invoice: transId, network: 'ETH', tx: hash, index: rows[0]?.index ?? '' };
    const attach = () => command(shop, 'inbox attach', values);
    expect(await tells(transId, attach)).toBe(true);
  });
});

describe('money near one open amount is shown to its customer', () => {
  test.each<[string, bigint, string]>([
    ['a little short', -300_000n * DIGIT, 'short'],
    ['a little over', 300_000n * DIGIT, 'over'],
  ])('%s', async (_name, difference, reason) => {
    const { transId, quote } = await openQuote();
    await pay(shop, quote, unitsOf(quote) + difference);
    expect(await tells(transId, () => settle(shop, 'ETH'))).toBe(true);
    expect(await arrivalsOf(transId)).toEqual([reason]);
  });

  test('half of it may be anybody’s', async () => {
    const { transId, quote } = await openQuote();
    await pay(shop, quote, unitsOf(quote) / 2n);
    expect(await tells(transId, () => settle(shop, 'ETH'))).toBe(false);
    expect(await arrivalsOf(transId)).toEqual([]);
  });

  test('near two amounts, nobody is told: it may be the other’s', async () => {
    const store = await openPayableStore(shop);
    const transIds = [await newInvoice(shop, store, '50'), await newInvoice(shop, store, '51')];
    const [first] = await Promise.all(transIds.map((transId) => select(shop, transId, 'ETH')));
    if (!first) throw new Error('Nothing was selected.');
    await pay(shop, first, unitsOf(first) + 500_000n * DIGIT);
    await settle(shop, 'ETH');
    expect(await Promise.all(transIds.map(arrivalsOf))).toEqual([[], []]);
  });

  test('money to the address of another store never appears', async () => {
    const [mine, theirs] = [await openQuote(), await openQuote()];
    await payToken(chainOf(shop, 'ETH').anvil, {
      token: canonicalToken(1, 'USDT').address,
      to: theirs.quote.toAddress as Address,
      units: unitsOf(mine.quote),
    });
    await settle(shop, 'ETH');
    expect(await arrivalsOf(mine.transId)).toEqual([]);
  });
});
