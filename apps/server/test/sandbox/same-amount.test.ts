import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { explainTestInvoice } from '../../src/sandbox/explain-test-invoice.ts';
import type { TestDatabase } from '../../rig/database/test-database.ts';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import { fillAmounts } from '../../rig/invoices/pay-invoice.ts';
import type { SandboxEngine } from '../../rig/sandbox/sandbox-engine.ts';
import {
  ask,
  createSandboxEngine,
  expire,
  openInvoice,
  PAY,
  statusOf,
  step,
} from '../../rig/sandbox/sandbox-engine.ts';
import { TESTER } from '../../rig/stores/open-store.ts';

/** Test invoices that have the same amount one after the other, while time passes for one of them. */

const DAYS_SECONDS = 172_800;
const YEAR_SECONDS = 31_000_000;

let own: TestDatabase;
let engine: SandboxEngine;
/** A completed invoice whose amount is free again, and a later one that was given the same amount. */
let first: string;
let second: string;
beforeAll(async () => {
  own = await openTestDatabase(inject('template'));
});
afterAll(() => own.drop());
beforeEach(async () => {
  engine = await createSandboxEngine(own);
  first = await openInvoice(engine);
  await ask(engine, first, PAY);
  await step(engine);
  await ask(engine, first, { kind: 'advance', seconds: DAYS_SECONDS });
  await step(engine);
  second = await openAtAmountOf(first);
});

type Quoted = { id: bigint; network: string; token: string; toAddress: string; units: bigint; heldFrom: Date };

async function quoteOf(transId: string): Promise<Quoted> {
  const { rows } = await own.database.pool.query<Quoted>(
    `select q.id, q.network, q.token, q.to_address as "toAddress", q.display_units as units, q.held_from as "heldFrom"
     from quotes q join invoices i on i.id = q.invoice_id where i.trans_id = $1`,
    [transId],
  );
  const [quote] = rows;
  if (!quote) throw new Error(`${transId} has no quote.`);
  return quote;
}

/** Opens an invoice that gets the amount of an earlier one, because all other amounts are taken. */
async function openAtAmountOf(earlier: string): Promise<string> {
  const quote = await quoteOf(earlier);
  await fillAmounts(engine, quote, { base: 25_000_000n, salts: 25_000 });
  const transId = await openInvoice(engine);
  expect((await quoteOf(transId)).units).toBe(quote.units);
  return transId;
}

async function transfersOf(transId: string) {
  const { store } = engine;
  return (await explainTestInvoice({ database: own.as('api') }, TESTER, { store: store.ref, transId })).transfers;
}

test('a payment that no reader has seen pays the invoice that its payer meant, wherever time has moved it', async () => {
  engine.clock.advance(30_000);
  const apartMs = (await quoteOf(second)).heldFrom.getTime() - (await quoteOf(first)).heldFrom.getTime();
  // The later amount is held from a little before the earlier one, and was paid a little after it.
  await ask(engine, second, PAY, { kind: 'advance', seconds: Math.round(apartMs / 1_000) + 10 });
  await step(engine);
  await expire(engine);
  expect(await statusOf(engine, second)).toBe('completed');
});

test('a payment is explained at the invoice that it paid, and moves with that one only', async () => {
  await ask(engine, first, PAY);
  await step(engine);
  expect(await statusOf(engine, second)).toBe('completed');
  const [paid] = await transfersOf(second);
  await ask(engine, first, { kind: 'advance', seconds: YEAR_SECONDS });
  expect(await transfersOf(first)).toHaveLength(1);
  expect(await transfersOf(second)).toEqual([paid]);
  await ask(engine, second, { kind: 'advance', seconds: DAYS_SECONDS });
  const [moved] = await transfersOf(second);
  expect((paid?.at.getTime() ?? 0) - (moved?.at.getTime() ?? 0)).toBe(DAYS_SECONDS * 1_000);
});

test('time that passes for an invoice ends no quarantine of a later invoice that had the same amount', async () => {
  await ask(engine, second, PAY);
  await step(engine);
  expect(await statusOf(engine, second)).toBe('completed');
  await ask(engine, first, { kind: 'advance', seconds: DAYS_SECONDS });
  const { id } = await quoteOf(second);
  const { rows } = await own.database.pool.query(
    'select held_until > $2 as kept from amount_slots where quote_id = $1',
    [id, new Date(engine.clock.nowMs())],
  );
  expect(rows).toEqual([{ kept: true }]);
});
