import { VISITOR } from '../../rig/stores/open-store.ts';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { readCheckoutFacts } from '../../src/checkout/checkout-facts-sql.ts';
import { selectPaymentMethod } from '../../src/invoices/select-payment-method.ts';
import type { QuoteRow } from '../../src/quotes/quote.ts';
import { readWatched } from '../../src/chains/watch-sql.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import type { EngineFixture } from '../../rig/invoices/engine-fixture.ts';
import { command } from '../../rig/invoices/run-command.ts';
import { endOf, statusOf, transfersOf } from '../../rig/invoices/look-up.ts';
import { expire, follow, mineAt, settle } from '../../rig/invoices/follow-network.ts';
import { newInvoice, pay, select } from '../../rig/invoices/pay-invoice.ts';
import { openPayableStore, openEngineFixture } from '../../rig/invoices/engine-fixture.ts';

/** A test store touches no live network, even if it was quoted on one before this rule. */

let engine: EngineFixture;
beforeAll(async () => {
  engine = await openEngineFixture(inject('template'), ['BSC']);
  await follow(engine, 'BSC');
});
afterAll(() => engine.close());

type Quoted = { store: TestStore; transId: string; quote: QuoteRow };

/** A test store from before the rule: with a wallet and an open quote on a live network. */
async function openQuotedBefore(): Promise<Quoted> {
  const store = await openPayableStore(engine);
  const transId = await newInvoice(engine, store);
  const quote = await select(engine, transId);
  await engine.database.pool.query('update stores set live = false where id = $1', [store.id]);
  return { store, transId, quote };
}

test('a payment on a live network never pays an invoice of a test store, which expires; the money is shown to its merchant', async () => {
  const { store, transId, quote } = await openQuotedBefore();
  const exact = await pay(engine, quote);
  await settle(engine, 'BSC');
  expect(await transfersOf(engine, exact)).toMatchObject([{ reason: 'unknown', trans_id: null }]);
  expect(await command(engine, 'inbox list', { store: store.merchantId })).toMatchObject([
    { tx: exact, reason: 'unknown' },
  ]);
  const name = { network: 'BSC', tx: exact, index: 'USDT:0' };
  await expect(command(engine, 'inbox attach', { invoice: transId, ...name })).rejects.toThrow(
    'belongs to a test store',
  );
  await mineAt(engine, 'BSC', (await endOf(engine, transId)) + 1);
  await settle(engine, 'BSC');
  await expire(engine);
  expect(await statusOf(engine, store, transId)).toBe('expired');
});

test('the page of a test store offers no network and shows no amount to pay, and nothing can be selected', async () => {
  const { transId, quote } = await openQuotedBefore();
  const [facts] = await readCheckoutFacts(engine.database.pool, [transId]);
  expect(facts).toMatchObject({ walletNetworks: [], quotes: [] });
  for (const token of [quote.token, 'USDC']) {
    const selection = await selectPaymentMethod(engine, VISITOR, { transId, network: 'BSC', token });
    expect(selection).toEqual({ selected: false, refusal: 'not-offered' });
  }
});

test('addresses of a test store are watched only while what was quoted there is in quarantine', async () => {
  const { quote } = await openQuotedBefore();
  const watched = () => readWatched(engine.database.queries, 'BSC');
  expect(await watched()).toContain(quote.toAddress);
  await engine.database.pool.query(`update amount_slots set held_until = '-infinity' where address = $1`, [
    quote.toAddress,
  ]);
  expect(await watched()).not.toContain(quote.toAddress);
});
