import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { listClaims } from '../../src/invoices/claim-sql.ts';
import { readCheckoutFacts } from '../../src/checkout/checkout-facts-sql.ts';
import { checkAsPayer, readNamed } from '../../rig/invoices/name-transactions.ts';
import type { EngineFixture } from '../../rig/invoices/engine-fixture.ts';
import { openEngineFixture, openPayableStore } from '../../rig/invoices/engine-fixture.ts';
import { explain, follow, settle } from '../../rig/invoices/follow-network.ts';
import { statusOf, transfersOf } from '../../rig/invoices/look-up.ts';
import { newInvoice, pay, select, unitsOf } from '../../rig/invoices/pay-invoice.ts';

/** Payments of a wrong amount: which customers are asked about them, and what becomes of their claims. */

let engine: EngineFixture;
beforeAll(async () => {
  engine = await openEngineFixture(inject('template'), ['BSC']);
  await follow(engine, 'BSC');
});
afterAll(() => engine.close());

const ONE = 10n ** 18n;

async function openInvoice(store: Awaited<ReturnType<typeof openPayableStore>>, amount = '50') {
  const transId = await newInvoice(engine, store, amount);
  return { transId, quote: await select(engine, transId, 'BSC', 'USDT') };
}

async function factsOf(transId: string) {
  const [facts] = await readCheckoutFacts(engine.as('api').pool, [transId]);
  if (!facts) throw new Error(`There is no ${transId}.`);
  return facts;
}

/** What a customer's page knows of the payment. */
async function knownTo(transId: string) {
  const { quotes, transfers, claimedTxIds } = await factsOf(transId);
  return { isAsked: quotes.some(({ isAsked }) => isAsked), arrivals: transfers.length, claims: claimedTxIds.length };
}

const claimsTo = async (storeId: bigint, hash: string) => {
  const { rows } = await engine.database.pool.query<{ id: bigint }>('select id from transfers where tx_id = $1', [
    hash,
  ]);
  const claims = await listClaims(
    engine.database.queries,
    [storeId],
    rows.map(({ id }) => id),
  );
  return claims.map(({ transId }) => transId);
};

async function changesOf(transId: string): Promise<number> {
  const { rows } = await engine.database.pool.query<{ count: number }>(
    `select count(*)::integer as count from invoice_changes c join invoices i on i.id = c.invoice_id where i.trans_id = $1`,
    [transId],
  );
  return rows[0]?.count ?? 0;
}

test('a wrong amount that may be for several invoices is asked about on all of their pages, and shown on none', async () => {
  const store = await openPayableStore(engine);
  const [first, second] = [await openInvoice(store), await openInvoice(store)];
  const far = await openInvoice(store, '90');
  const before = await changesOf(second.transId);
  const hash = await pay(engine, first.quote, unitsOf(first.quote) - ONE);
  await settle(engine, 'BSC');
  await explain(engine);
  expect(await transfersOf(engine, hash)).toMatchObject([{ reason: 'short', trans_id: null }]);
  for (const { transId } of [first, second])
    expect(await knownTo(transId)).toEqual({ isAsked: true, arrivals: 0, claims: 0 });
  expect(await knownTo(far.transId)).toEqual({ isAsked: false, arrivals: 0, claims: 0 });
  expect(await changesOf(second.transId)).toBeGreaterThan(before);
});

test('a wrong amount that can only be for one invoice is shown on its page instead', async () => {
  const store = await openPayableStore(engine);
  const only = await openInvoice(store);
  await openInvoice(store, '90');
  await pay(engine, only.quote, unitsOf(only.quote) - ONE);
  await settle(engine, 'BSC');
  await explain(engine);
  expect(await knownTo(only.transId)).toEqual({ isAsked: false, arrivals: 1, claims: 0 });
});

test('a submitted hash is a claim that the merchant sees with all others, and attaches nothing', async () => {
  const store = await openPayableStore(engine);
  const [first, second] = [await openInvoice(store), await openInvoice(store)];
  const hash = await pay(engine, first.quote, unitsOf(first.quote) - ONE);
  await settle(engine, 'BSC');
  await explain(engine);
  expect(await checkAsPayer(engine, second.transId, hash)).toBe('short');
  expect(await checkAsPayer(engine, first.transId, hash)).toBe('short');
  await readNamed(engine);
  await settle(engine, 'BSC');
  expect(await claimsTo(store.id, hash)).toEqual([second.transId, first.transId]);
  expect(await knownTo(first.transId)).toEqual({ isAsked: true, arrivals: 0, claims: 1 });
  for (const { transId } of [first, second]) expect(await statusOf(engine, store, transId)).toBe('waiting');
  expect(await transfersOf(engine, hash)).toMatchObject([{ reason: 'short', trans_id: null }]);
});

test('a claim is shown to no other store, and a hash that paid another address is no claim', async () => {
  const [store, other] = [await openPayableStore(engine), await openPayableStore(engine)];
  const [own, foreign] = [await openInvoice(store), await openInvoice(other)];
  const hash = await pay(engine, own.quote, unitsOf(own.quote) - ONE);
  await settle(engine, 'BSC');
  await explain(engine);
  expect(await checkAsPayer(engine, foreign.transId, hash)).toBe('other-address');
  expect(await checkAsPayer(engine, own.transId, hash)).toBe('short');
  expect(await claimsTo(other.id, hash)).toEqual([]);
  expect(await claimsTo(store.id, hash)).toEqual([own.transId]);
});

test('a payment that is attached or left its chain is no longer asked about', async () => {
  const store = await openPayableStore(engine);
  const [first, second] = [await openInvoice(store), await openInvoice(store)];
  const hash = await pay(engine, first.quote, unitsOf(first.quote) - ONE);
  await settle(engine, 'BSC');
  await explain(engine);
  await engine.database.pool.query('update transfers set canonical = false where tx_id = $1', [hash]);
  expect((await knownTo(second.transId)).isAsked).toBe(false);
});
