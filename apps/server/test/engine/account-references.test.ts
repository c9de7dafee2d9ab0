import { base58 } from '@scure/base';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { createReference } from '../../src/quotes/quote.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { auditOf, eventsOf, lookUp, statusOf, transfersOf } from '../../rig/invoices/look-up.ts';
import { command } from '../../rig/invoices/run-command.ts';
import { expire } from '../../rig/invoices/follow-network.ts';
import { unitsOf } from '../../rig/invoices/pay-invoice.ts';
import type { SolanaFixture } from '../../rig/invoices/solana-fixture.ts';
import {
  goPast,
  openQuote,
  openSolanaFixture,
  openSolanaStore,
  pay,
  settle,
} from '../../rig/invoices/solana-fixture.ts';

/** A payment that names its quote is matched by that quote alone; one that names none is matched by its amount. */

let engine: SolanaFixture;
let store: TestStore & { wallet: string };
beforeAll(async () => {
  engine = await openSolanaFixture(inject('template'));
  store = await openSolanaStore(engine);
});
afterAll(() => engine.close());

type Named = { reason: string | null; trans_id: string | null; named: string | null };

/** Reason and invoice of a transaction, and the invoice whose quote it names. */
async function namedBy(hash: string): Promise<Named[]> {
  const { rows } = await engine.database.pool.query<Named>(
    `select t.reason, i.trans_id, n.trans_id as named from transfers t left join invoices i on i.id = t.invoice_id
       left join quotes q on q.id = t.quote_id left join invoices n on n.id = q.invoice_id
     where t.tx_id = $1 order by t.index`,
    [hash],
  );
  return rows;
}

const referenceOf = ({ quote }: { quote: { reference: string | null } }) => quote.reference ?? '';

test('every quote has a key of its own, of the form that wallets take', async () => {
  const first = await openQuote(engine, store);
  const second = await openQuote(engine, store);
  expect(base58.decode(referenceOf(first))).toHaveLength(32);
  expect(referenceOf(second)).not.toBe(referenceOf(first));
});

test('an exact payment with its reference completes', async () => {
  const open = await openQuote(engine, store);
  const hash = await pay(engine, open.quote, { references: [createReference(), referenceOf(open)] });
  await settle(engine);
  expect(await lookUp(engine, store, open.transId)).toMatchObject({ status: 'completed', transaction_hash: hash });
});

test.each([
  ['short', -5n, 'USDT'],
  ['over', 5n, 'USDT'],
  ['wrong_token', 0n, 'USDC'],
] as const)(
  'a payment that is %s pays nothing, and is listed with the invoice it names to be attached',
  async (reason, differing, token) => {
    const open = await openQuote(engine, store);
    const units = unitsOf(open.quote) + differing;
    const hash = await pay(engine, open.quote, { units, token, references: [referenceOf(open)] });
    await settle(engine);
    expect(await statusOf(engine, store, open.transId)).toBe('waiting');
    expect(await namedBy(hash)).toEqual([{ reason, trans_id: null, named: open.transId }]);
    expect(await command(engine, 'inbox list', { store: store.merchantId })).toContainEqual(
      expect.objectContaining({ tx: hash, reason, invoice: open.transId }),
    );
    await command(engine, 'inbox attach', {
      invoice: open.transId,
      network: 'SOL',
      tx: hash,
      index: `${token}:${store.wallet}`,
    });
    expect(await lookUp(engine, store, open.transId)).toMatchObject({ status: 'completed', transaction_hash: hash });
    expect(await auditOf(engine, `invoice:${open.transId}`)).toContain('transfer.attach');
    await settle(engine);
    expect(await eventsOf(engine, open.transId)).toHaveLength(1);
  },
);

test('a payment that names a quote of a test store, from before those touched no live network, pays nothing', async () => {
  const before = await openSolanaStore(engine);
  const open = await openQuote(engine, before);
  await engine.database.pool.query('update stores set live = false where id = $1', [before.id]);
  const hash = await pay(engine, open.quote, { references: [referenceOf(open)] });
  await settle(engine);
  expect(await namedBy(hash)).toEqual([{ reason: 'unknown', trans_id: null, named: null }]);
  expect(await statusOf(engine, before, open.transId)).toBe('waiting');
});

test('the exact amount of another invoice does not pay that one when the payment names this one', async () => {
  const named = await openQuote(engine, store);
  const other = await openQuote(engine, store, 'USDT', '70');
  const hash = await pay(engine, named.quote, { units: unitsOf(other.quote), references: [referenceOf(named)] });
  await settle(engine);
  expect(await namedBy(hash)).toEqual([{ reason: 'over', trans_id: null, named: named.transId }]);
  expect(await statusOf(engine, store, other.transId)).toBe('waiting');
  expect(await statusOf(engine, store, named.transId)).toBe('waiting');
});

test("a reference of somebody else's address, or of nobody, changes nothing: the amount decides", async () => {
  const foreign = await openQuote(engine, await openSolanaStore(engine));
  const open = await openQuote(engine, store);
  const hash = await pay(engine, open.quote, { references: [referenceOf(foreign), createReference()] });
  await settle(engine);
  expect(await namedBy(hash)).toEqual([{ reason: null, trans_id: open.transId, named: open.transId }]);
  expect(await statusOf(engine, store, open.transId)).toBe('completed');
});

test('a second exact payment with the reference of a paid invoice is kept as paid already', async () => {
  const open = await openQuote(engine, store);
  await pay(engine, open.quote, { references: [referenceOf(open)] });
  await settle(engine);
  const again = await pay(engine, open.quote, { references: [referenceOf(open)] });
  await settle(engine);
  expect(await transfersOf(engine, again)).toMatchObject([{ reason: 'already_paid', trans_id: open.transId }]);
});

test('a late payment with a reference is recorded as late for the invoice it names', async () => {
  const open = await openQuote(engine, store);
  await goPast(engine, open.transId);
  const hash = await pay(engine, open.quote, { references: [referenceOf(open)] });
  await settle(engine);
  await expire(engine);
  expect(await statusOf(engine, store, open.transId)).toBe('expired');
  expect(await transfersOf(engine, hash)).toMatchObject([{ reason: 'late', trans_id: open.transId }]);
});
