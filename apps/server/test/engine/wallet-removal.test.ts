import { TESTER, VISITOR } from '../harness.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { selectPaymentMethod } from '../../src/invoices/select-payment-method.ts';
import { addWallet } from '../../src/wallets/add-wallet.ts';
import { removeWallet } from '../../src/wallets/remove-wallet.ts';
import type { TestStore } from '../harness.ts';
import type { Shop } from './shop.ts';
import { newInvoice, openPayableStore, openShop, pay, select, settle, statusOf } from './shop.ts';

let shop: Shop;
let store: TestStore;
beforeAll(async () => {
  shop = await openShop(['ETH']);
  store = await openPayableStore(shop);
  await settle(shop, 'ETH');
});
afterAll(() => shop.close());

test('what was quoted at an address that is removed completes; nothing new is quoted there, until it is added again', async () => {
  const open = await newInvoice(shop, store);
  const quote = await select(shop, open, 'ETH');
  const wallet = { store: store.ref, network: 'ETH', address: quote.toAddress };
  const removal = { ...wallet, reason: 'the key is lost' };
  expect(await removeWallet(shop, TESTER, removal)).toEqual({ address: quote.toAddress });
  await expect(removeWallet(shop, TESTER, removal)).rejects.toMatchObject({ code: 'WALLET_UNKNOWN' });
  const another = { network: 'ETH', token: 'USDC', transId: open };
  expect(await selectPaymentMethod(shop, VISITOR, another)).toEqual({ selected: false, refusal: 'not-offered' });

  await pay(shop, quote);
  await settle(shop, 'ETH');
  expect(await statusOf(shop, store, open)).toBe('completed');

  await addWallet(shop, TESTER, wallet);
  expect(
    await selectPaymentMethod(shop, VISITOR, { ...another, transId: await newInvoice(shop, store) }),
  ).toMatchObject({
    selected: true,
    quote: { toAddress: quote.toAddress },
  });
  const { rows } = await shop.database.pool.query(
    `select action, details ->> 'reason' as reason from audit_entries where action like 'wallet.%' order by id desc limit 2`,
  );
  expect(rows).toEqual([
    { action: 'wallet.add', reason: null },
    { action: 'wallet.remove', reason: 'the key is lost' },
  ]);
});
