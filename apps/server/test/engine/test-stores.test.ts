import { VISITOR } from '../harness.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readCheckoutFacts } from '../../src/checkout/checkout-facts-sql.ts';
import { selectPaymentMethod } from '../../src/invoices/select-payment-method.ts';
import type { QuoteRow } from '../../src/quotes/quote.ts';
import { readWatched } from '../../src/chains/watch-sql.ts';
import type { TestStore } from '../harness.ts';
import type { Shop } from './shop.ts';
import {
  command,
  endOf,
  expire,
  follow,
  mineAt,
  newInvoice,
  openPayableStore,
  openShop,
  pay,
  select,
  settle,
  statusOf,
  transfersOf,
} from './shop.ts';

/** A test store touches no live network, also where it was quoted on one before that was a rule. */

let shop: Shop;
beforeAll(async () => {
  shop = await openShop(['BSC']);
  await follow(shop, 'BSC');
});
afterAll(() => shop.close());

type Quoted = { store: TestStore; transId: string; quote: QuoteRow };

/** A test store as it stood before: with a wallet and an open quote on a live network. */
async function openQuotedBefore(): Promise<Quoted> {
  const store = await openPayableStore(shop);
  const transId = await newInvoice(shop, store);
  const quote = await select(shop, transId);
  await shop.database.pool.query('update stores set live = false where id = $1', [store.id]);
  return { store, transId, quote };
}

test('a payment on a live network never pays its invoice, which expires; the money is shown to its merchant', async () => {
  const { store, transId, quote } = await openQuotedBefore();
  const exact = await pay(shop, quote);
  await settle(shop, 'BSC');
  expect(await transfersOf(shop, exact)).toMatchObject([{ reason: 'unknown', trans_id: null }]);
  expect(await command(shop, 'inbox list', { store: store.merchantId })).toMatchObject([
    { tx: exact, reason: 'unknown' },
  ]);
  const name = { network: 'BSC', tx: exact, index: 'USDT:0' };
  await expect(command(shop, 'inbox attach', { invoice: transId, ...name })).rejects.toThrow('of a test store');
  await mineAt(shop, 'BSC', (await endOf(shop, transId)) + 1);
  await settle(shop, 'BSC');
  await expire(shop);
  expect(await statusOf(shop, store, transId)).toBe('expired');
});

test('its page offers no network and shows no amount to pay, and nothing can be selected', async () => {
  const { transId, quote } = await openQuotedBefore();
  const [facts] = await readCheckoutFacts(shop.database.pool, [transId]);
  expect(facts).toMatchObject({ walletNetworks: [], quotes: [] });
  for (const token of [quote.token, 'USDC']) {
    const selection = await selectPaymentMethod(shop, VISITOR, { transId, network: 'BSC', token });
    expect(selection).toEqual({ selected: false, refusal: 'not-offered' });
  }
});

test('its addresses are watched only while what was quoted there rests', async () => {
  const { quote } = await openQuotedBefore();
  const watched = () => readWatched(shop.database.queries, 'BSC');
  expect(await watched()).toContain(quote.toAddress);
  await shop.database.pool.query(`update amount_slots set held_until = '-infinity' where address = $1`, [
    quote.toAddress,
  ]);
  expect(await watched()).not.toContain(quote.toAddress);
});
