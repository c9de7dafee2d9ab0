import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { reorg } from '../../rig/chains/evm/reorg.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import type { EngineFixture } from '../../rig/invoices/engine-fixture.ts';
import { chainOf, openPayableStore, openEngineFixture } from '../../rig/invoices/engine-fixture.ts';
import { expire, follow, mineNow } from '../../rig/invoices/follow-network.ts';
import { newInvoice, pay, select } from '../../rig/invoices/pay-invoice.ts';
import { statusOf } from '../../rig/invoices/look-up.ts';

let engine: EngineFixture;
let store: TestStore;
beforeAll(async () => {
  engine = await openEngineFixture(inject('template'), ['ETH']);
  store = await openPayableStore(engine);
  await engine.database.pool.query('update stores set grace_minutes = 30 where id = $1', [store.id]);
  await follow(engine, 'ETH');
});
afterAll(() => engine.close());

test('a grace payment that a reorg takes away sends the invoice back behind its gate, not past it', async () => {
  const transId = await newInvoice(engine, store);
  const quote = await select(engine, transId, 'ETH');
  engine.clock.advance(31 * 60_000);
  await mineNow(engine, 'ETH', 30);
  await pay(engine, quote);
  await mineNow(engine, 'ETH', 6);
  await follow(engine, 'ETH');
  await expire(engine);
  expect(await statusOf(engine, store, transId)).toBe('processing');
  // The new blocks have times right after the ancestor, inside the window, so coverage no longer passes the end.
  await reorg(chainOf(engine, 'ETH').anvil, 36);
  await follow(engine, 'ETH');
  await expire(engine);
  const { rows } = await engine.database.pool.query('select status, gate_network from invoices where trans_id = $1', [
    transId,
  ]);
  expect(rows).toEqual([{ status: 'waiting', gate_network: 'ETH' }]);
  await mineNow(engine, 'ETH', 40);
  await follow(engine, 'ETH');
  await expire(engine);
  expect(await statusOf(engine, store, transId)).toBe('expired');
});
