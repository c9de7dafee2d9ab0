import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { CREATED_INVOICES, ENDED_INVOICES } from '../../src/invoices/invoice-topics.ts';
import { findLedgerFaults } from '../../src/ledger/ledger-sql.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import type { EngineFixture } from '../../rig/invoices/engine-fixture.ts';
import { eventsOf, lookUp, statusOf } from '../../rig/invoices/look-up.ts';
import { expire, follow, mineNow } from '../../rig/invoices/follow-network.ts';
import { newInvoice, pay, select } from '../../rig/invoices/pay-invoice.ts';
import { openPayableStore, openEngineFixture } from '../../rig/invoices/engine-fixture.ts';

let engine: EngineFixture;
let store: TestStore;
beforeAll(async () => {
  engine = await openEngineFixture(inject('template'), ['BSC', 'ETH']);
  store = await openPayableStore(engine);
  await follow(engine, 'BSC');
  await follow(engine, 'ETH');
});
afterAll(() => engine.close());

describe('an invoice is paid', () => {
  test.each([
    ['BSC', 'USDT'],
    ['ETH', 'USDT'],
    ['BSC', 'BNB'],
    ['ETH', 'ETH'],
  ])('on %s with %s: waiting, seen, completed, with one event and its fee taken', async (network, token) => {
    const transId = await newInvoice(engine, store, '50', { request_id: `${network}-${token}` });
    const quote = await select(engine, transId, network, token);
    expect(await statusOf(engine, store, transId)).toBe('waiting');
    const hash = await pay(engine, quote);
    await mineNow(engine, network, 6);
    await follow(engine, network);
    // On BSC a block that is read is already final.
    expect(await statusOf(engine, store, transId)).toBe(network === 'BSC' ? 'completed' : 'processing');
    await mineNow(engine, network, 12);
    await follow(engine, network);
    expect(await lookUp(engine, store, transId)).toMatchObject({
      status: 'completed',
      transaction_hash: hash,
      token_symbol: token,
      network_symbol: network,
      fee_amount: '0.25',
      callback_status: null,
    });
    const events = await eventsOf(engine, transId);
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({
      event: 'invoice.completed',
      sequence: 1,
      trans_id: transId,
      request_id: `${network}-${token}`,
    });
    expect(events[0]?.['data']).toEqual(await lookUp(engine, store, transId));
  });
});

test('an invoice that nobody pays expires once its network is read past its end, and gives its fee back', async () => {
  const transId = await newInvoice(engine, store);
  await select(engine, transId, 'BSC', 'USDT');
  engine.clock.advance(31 * 60_000);
  await expire(engine);
  expect(await statusOf(engine, store, transId)).toBe('waiting');
  await mineNow(engine, 'BSC', 30);
  await follow(engine, 'BSC');
  await expire(engine);
  expect(await statusOf(engine, store, transId)).toBe('expired');
  expect(await eventsOf(engine, transId)).toMatchObject([{ event: 'invoice.expired', status: 'expired' }]);
});

test('an invoice without a selection expires by the clock', async () => {
  const transId = await newInvoice(engine, store);
  engine.clock.advance(31 * 60_000);
  await expire(engine);
  expect(await statusOf(engine, store, transId)).toBe('expired');
});

test('balances recomputed from the entries alone agree', async () => {
  expect(await findLedgerFaults(engine.database.queries, 10)).toEqual([]);
});

test('metrics get each created and ended invoice once, after its commit, with how long its payment took', async () => {
  const told: unknown[] = [];
  CREATED_INVOICES.subscribe((created) => told.push(created));
  ENDED_INVOICES.subscribe((ended) => told.push(...ended));
  const paid = await newInvoice(engine, store, '50', { request_id: 'counted' });
  await newInvoice(engine, store, '50', { request_id: 'counted' });
  const quote = await select(engine, paid, 'BSC', 'USDT');
  await pay(engine, quote);
  await mineNow(engine, 'BSC', 12);
  await follow(engine, 'BSC');
  expect(await statusOf(engine, store, paid)).toBe('completed');
  await follow(engine, 'BSC');
  const payment = { network: 'BSC', detectedMs: expect.any(Number), completedMs: expect.any(Number) };
  expect(told).toEqual([{ live: true }, { live: true, outcome: 'completed', payment }]);

  told.length = 0;
  await newInvoice(engine, store);
  engine.clock.advance(31 * 60_000);
  await expire(engine);
  expect(told).toEqual([{ live: true }, { live: true, outcome: 'expired' }]);
});
