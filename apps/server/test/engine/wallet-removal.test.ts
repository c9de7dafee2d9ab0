import { TESTER, VISITOR } from '../../rig/stores/open-store.ts';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { selectPaymentMethod } from '../../src/invoices/select-payment-method.ts';
import { addWallet } from '../../src/wallets/add-wallet.ts';
import { removeWallet } from '../../src/wallets/remove-wallet.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import type { EngineFixture } from '../../rig/invoices/engine-fixture.ts';
import { newInvoice, pay, select } from '../../rig/invoices/pay-invoice.ts';
import { openPayableStore, openEngineFixture } from '../../rig/invoices/engine-fixture.ts';
import { settle } from '../../rig/invoices/follow-network.ts';
import { statusOf } from '../../rig/invoices/look-up.ts';

let engine: EngineFixture;
let store: TestStore;
beforeAll(async () => {
  engine = await openEngineFixture(inject('template'), ['ETH']);
  store = await openPayableStore(engine);
  await settle(engine, 'ETH');
});
afterAll(() => engine.close());

test('what was quoted at an address that is removed completes; nothing new is quoted there, until it is added again', async () => {
  const open = await newInvoice(engine, store);
  const quote = await select(engine, open, 'ETH');
  const wallet = { store: store.ref, network: 'ETH', address: quote.toAddress };
  const removal = { ...wallet, reason: 'the key is lost' };
  expect(await removeWallet(engine, TESTER, removal)).toEqual({ address: quote.toAddress });
  await expect(removeWallet(engine, TESTER, removal)).rejects.toMatchObject({ code: 'WALLET_UNKNOWN' });
  const another = { network: 'ETH', token: 'USDC', transId: open };
  expect(await selectPaymentMethod(engine, VISITOR, another)).toEqual({ selected: false, refusal: 'not-offered' });

  await pay(engine, quote);
  await settle(engine, 'ETH');
  expect(await statusOf(engine, store, open)).toBe('completed');

  await addWallet(engine, TESTER, wallet);
  expect(
    await selectPaymentMethod(engine, VISITOR, { ...another, transId: await newInvoice(engine, store) }),
  ).toMatchObject({
    selected: true,
    quote: { toAddress: quote.toAddress },
  });
  const { rows } = await engine.database.pool.query(
    `select action, details ->> 'reason' as reason from audit_entries where action like 'wallet.%' order by id desc limit 2`,
  );
  expect(rows).toEqual([
    { action: 'wallet.add', reason: null },
    { action: 'wallet.remove', reason: 'the key is lost' },
  ]);
});
