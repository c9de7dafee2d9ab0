import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { expireDueInvoices } from '../../src/invoices/expire-due-invoices.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import type { EngineFixture } from '../../rig/invoices/engine-fixture.ts';
import { duringChange } from '../../rig/invoices/change-rows.ts';
import { endOf, factsOf, statusOf } from '../../rig/invoices/look-up.ts';
import { expire, follow, settle } from '../../rig/invoices/follow-network.ts';
import { newInvoice, pay, select } from '../../rig/invoices/pay-invoice.ts';
import { openPayableStore, openEngineFixture, secondsNow } from '../../rig/invoices/engine-fixture.ts';

/** Facts on which the end of an invoice is based, and what it leaves behind. */

let engine: EngineFixture;
let store: TestStore;
beforeAll(async () => {
  engine = await openEngineFixture(inject('template'), ['BSC', 'ETH']);
  store = await openPayableStore(engine);
  await follow(engine, 'BSC');
  await follow(engine, 'ETH');
});
afterAll(() => engine.close());

const DAY_MS = 86_400_000;

async function goPast(transId: string): Promise<void> {
  engine.clock.advance(((await endOf(engine, transId)) + 60 - secondsNow(engine)) * 1000);
}

type Rest = { held_to: Date; held_until: Date };

async function restOf(transId: string): Promise<Rest | undefined> {
  const { rows } = await engine.database.pool.query<Rest>(
    `select q.held_to, s.held_until from quotes q join amount_slots s on s.quote_id = q.id where q.invoice_id = $1`,
    [(await factsOf(engine, transId)).id],
  );
  return rows[0];
}

test('a network that is read to the very second of the end is not past it, also when it is the second to be waited for', async () => {
  const transId = await newInvoice(engine, store);
  await select(engine, transId, 'BSC');
  await select(engine, transId, 'ETH');
  await goPast(transId);
  await settle(engine, 'BSC');
  const coverTo = async (seconds: number) =>
    engine.database.pool.query(`update chain_coverage set block_time = to_timestamp($1) where network = 'ETH'`, [
      seconds,
    ]);
  const end = await endOf(engine, transId);
  await coverTo(end);
  await expire(engine);
  expect(await statusOf(engine, store, transId)).toBe('waiting');
  await coverTo(end + 1);
  await expire(engine);
  expect(await statusOf(engine, store, transId)).toBe('expired');
});

test('the amount of an ended invoice is in quarantine for a day, whether it was paid or not', async () => {
  const paid = await newInvoice(engine, store);
  await pay(engine, await select(engine, paid));
  const unpaid = await newInvoice(engine, store);
  await select(engine, unpaid);
  await settle(engine, 'BSC');
  const paidRest = new Date(engine.clock.nowMs() + DAY_MS);
  expect(await statusOf(engine, store, paid)).toBe('completed');
  expect(await restOf(paid)).toEqual({ held_to: paidRest, held_until: paidRest });

  await goPast(unpaid);
  await settle(engine, 'BSC');
  await expire(engine);
  const unpaidRest = new Date(engine.clock.nowMs() + DAY_MS);
  expect(await statusOf(engine, store, unpaid)).toBe('expired');
  expect(await restOf(unpaid)).toEqual({ held_to: unpaidRest, held_until: unpaidRest });
});

test('expiry reads coverage before it locks: what was covered since is believed in the next round', async () => {
  const transId = await newInvoice(engine, store);
  await select(engine, transId, 'BSC');
  await select(engine, transId, 'ETH');
  await goPast(transId);
  await settle(engine, 'BSC');
  const cover = `update chain_coverage set block_time = block_time + interval '1 day' where network = 'ETH'`;
  await duringChange(engine, ['lock table invoices in exclusive mode', cover], () =>
    expireDueInvoices({ database: engine.as('worker'), clock: engine.clock }),
  );
  expect(await statusOf(engine, store, transId)).toBe('waiting');
  expect(await factsOf(engine, transId)).toMatchObject({ gate_network: 'ETH' });
  await expire(engine);
  expect(await statusOf(engine, store, transId)).toBe('expired');
});
