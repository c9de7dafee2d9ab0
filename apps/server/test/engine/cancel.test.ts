import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { cancelMoment } from '../../src/invoices/cancellation.ts';
import { requestCancel } from '../../src/invoices/request-cancel.ts';
import { selectPaymentMethod } from '../../src/invoices/select-payment-method.ts';
import { findLedgerFaults, readAvailable } from '../../src/ledger/ledger-sql.ts';
import { reorg } from '../../rig/chains/evm/reorg.ts';
import { cancel, performRequests } from '../../rig/invoices/cancel-invoice.ts';
import { duringChange } from '../../rig/invoices/change-rows.ts';
import type { EngineFixture } from '../../rig/invoices/engine-fixture.ts';
import { chainOf, openEngineFixture, openPayableStore } from '../../rig/invoices/engine-fixture.ts';
import { expire, follow, mineAt, mineNow, settle } from '../../rig/invoices/follow-network.ts';
import { alarmsOf, auditOf, eventsOf, factsOf, lookUp, statusOf, transfersOf } from '../../rig/invoices/look-up.ts';
import { newInvoice, pay, select, setPrices, unitsOf } from '../../rig/invoices/pay-invoice.ts';
import { command } from '../../rig/invoices/run-command.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';

/** A cancelled invoice is judged by block time: what was paid up to the cancel completes it, nothing later does. */

let engine: EngineFixture;
let store: TestStore;
beforeAll(async () => {
  engine = await openEngineFixture(inject('template'), ['BSC', 'ETH']);
  store = await openPayableStore(engine);
  await engine.database.pool.query('update stores set grace_minutes = 30 where id = $1', [store.id]);
  await follow(engine, 'BSC');
  await follow(engine, 'ETH');
});
afterAll(() => engine.close());

async function quoted(network = 'BSC') {
  const transId = await newInvoice(engine, store);
  return { transId, quote: await select(engine, transId, network) };
}

const MAX_FAULTS = 10;
const secondsOf = (at: Date | null) => (at?.getTime() ?? 0) / 1000;

/** Cancels an invoice whose clock stands at a whole second; returns the moment in seconds. */
async function cancelAt(transId: string): Promise<number> {
  return secondsOf((await cancel(engine, store, transId)).cancelledAt);
}

describe('a cancelled invoice', () => {
  test('is expired and cancelled immediately, with its end unchanged, its hold released and its event written', async () => {
    const available = await readAvailable(engine.database.queries, store.id);
    const { transId } = await quoted();
    const before = await lookUp(engine, store, transId);
    await cancel(engine, store, transId);
    expect(await lookUp(engine, store, transId)).toEqual({ ...before, status: 'expired', cancelled: true });
    expect(await readAvailable(engine.database.queries, store.id)).toBe(available);
    expect(await findLedgerFaults(engine.database.queries, MAX_FAULTS)).toEqual([]);
    const events = await eventsOf(engine, transId);
    expect(events).toMatchObject([
      { event: 'invoice.expired', status: 'expired', data: { ...before, status: 'expired', cancelled: true } },
    ]);
  });

  test('keeps its amount in quarantine for a day', async () => {
    const { transId, quote } = await quoted();
    const at = engine.clock.nowMs();
    await cancel(engine, store, transId);
    const { rows } = await engine.database.pool.query(
      `select q.held_to, s.held_until from quotes q join amount_slots s on s.quote_id = q.id where q.id = $1`,
      [quote.id],
    );
    const end = new Date(at + 24 * 3_600_000);
    expect(rows).toEqual([{ held_to: end, held_until: end }]);
  });

  test('gives the same answer when it is cancelled again, and one event', async () => {
    const { transId } = await quoted();
    const first = await cancel(engine, store, transId);
    engine.clock.advance(5_000);
    expect(await cancel(engine, store, transId)).toEqual(first);
    expect(await eventsOf(engine, transId)).toHaveLength(1);
  });

  test('refuses every selection, also of the method that was chosen before', async () => {
    const { transId } = await quoted();
    await cancel(engine, store, transId);
    await setPrices(engine);
    const context = { ...engine, database: engine.as('api') };
    for (const network of ['BSC', 'ETH']) {
      const choice = { transId, network, token: 'USDT' };
      expect(await selectPaymentMethod(context, { kind: 'stranger' }, choice)).toEqual({
        selected: false,
        refusal: 'not-waiting',
      });
    }
  });

  test('counts as cancelled and not as expired, and no coverage is needed', async () => {
    const { transId } = await quoted('ETH');
    await cancel(engine, store, transId);
    await expire(engine);
    const { rows } = await engine.database.pool.query(
      'select status, expired_at, cancelled_by from invoices where trans_id = $1',
      [transId],
    );
    expect(rows).toEqual([{ status: 'expired', expired_at: null, cancelled_by: `store:${store.id}` }]);
  });
});

describe('a payment of a cancelled invoice', () => {
  test('in the second of the cancel completes it late, without an alarm', async () => {
    const { transId, quote } = await quoted('ETH');
    const moment = await cancelAt(transId);
    const hash = await pay(engine, quote);
    await mineAt(engine, 'ETH', moment);
    await settle(engine, 'ETH');
    expect(await lookUp(engine, store, transId)).toMatchObject({ status: 'completed', transaction_hash: hash });
    expect(await lookUp(engine, store, transId)).not.toHaveProperty('cancelled');
    expect(await eventsOf(engine, transId)).toMatchObject([
      { event: 'invoice.expired' },
      { event: 'invoice.completed', late: true },
    ]);
    expect(await alarmsOf(engine, transId)).toEqual([]);
    expect(await findLedgerFaults(engine.database.queries, MAX_FAULTS)).toEqual([]);
  });

  test('one second after the cancel goes to the inbox as cancelled, also within the grace of its store', async () => {
    const { transId, quote } = await quoted('ETH');
    const moment = await cancelAt(transId);
    const hash = await pay(engine, quote);
    await mineAt(engine, 'ETH', moment + 1);
    await settle(engine, 'ETH');
    expect(await lookUp(engine, store, transId)).toMatchObject({ status: 'expired', cancelled: true });
    expect(await transfersOf(engine, hash)).toMatchObject([{ reason: 'cancelled', trans_id: transId }]);
    expect(await alarmsOf(engine, transId)).toEqual([]);
  });

  test('can be attached by a person after all', async () => {
    const { transId, quote } = await quoted();
    const moment = await cancelAt(transId);
    const hash = await pay(engine, quote);
    await mineAt(engine, 'BSC', moment + 10);
    await settle(engine, 'BSC');
    await command(engine, 'inbox attach', { invoice: transId, network: 'BSC', tx: hash, index: 'USDT:0' });
    expect(await lookUp(engine, store, transId)).toMatchObject({ status: 'completed', transaction_hash: hash });
    expect(await transfersOf(engine, hash)).toMatchObject([{ reason: null }]);
  });

  test('made in time and read only after the cancel completes it, however late it is read', async () => {
    const { transId, quote } = await quoted();
    await pay(engine, quote);
    await mineNow(engine, 'BSC');
    const moment = await cancelAt(transId);
    expect(moment * 1000).toBeGreaterThanOrEqual(engine.clock.nowMs());
    expect(await statusOf(engine, store, transId)).toBe('expired');
    engine.clock.advance(3 * 3_600_000);
    await settle(engine, 'BSC');
    expect(await statusOf(engine, store, transId)).toBe('completed');
  });

  test('after the end of its time but before the cancel is late, because a cancelled invoice has no grace', async () => {
    const { transId, quote } = await quoted();
    engine.clock.advance(31 * 60_000);
    const hash = await pay(engine, quote);
    await mineNow(engine, 'BSC');
    await cancel(engine, store, transId);
    await settle(engine, 'BSC');
    expect(await statusOf(engine, store, transId)).toBe('expired');
    expect(await transfersOf(engine, hash)).toMatchObject([{ reason: 'late', trans_id: transId }]);
  });
});

describe('an invoice cannot be cancelled', () => {
  test('while a payment is not deep enough to settle', async () => {
    const { transId, quote } = await quoted('ETH');
    await pay(engine, quote);
    await mineNow(engine, 'ETH', 6);
    await follow(engine, 'ETH');
    expect(await statusOf(engine, store, transId)).toBe('processing');
    await expect(cancel(engine, store, transId)).rejects.toMatchObject({
      code: 'INVOICE_NOT_CANCELLABLE',
      details: { status: 'processing' },
    });
    await settle(engine, 'ETH');
    await expect(cancel(engine, store, transId)).rejects.toMatchObject({ details: { status: 'completed' } });
  });

  test('while a payment that left its chain may return', async () => {
    const { transId, quote } = await quoted('ETH');
    await pay(engine, quote);
    await mineNow(engine, 'ETH', 6);
    await follow(engine, 'ETH');
    expect(await statusOf(engine, store, transId)).toBe('processing');
    await reorg(chainOf(engine, 'ETH').anvil, 6);
    await follow(engine, 'ETH');
    expect(await statusOf(engine, store, transId)).toBe('waiting');
    await expect(cancel(engine, store, transId)).rejects.toMatchObject({
      code: 'INVOICE_NOT_CANCELLABLE',
      details: { status: 'waiting' },
    });
  });

  test('after it has expired', async () => {
    const transId = await newInvoice(engine, store);
    engine.clock.advance(31 * 60_000);
    await expire(engine);
    await expect(cancel(engine, store, transId)).rejects.toMatchObject({ details: { status: 'expired' } });
    expect(await lookUp(engine, store, transId)).not.toHaveProperty('cancelled');
  });

  test('of another store, which does not learn that it exists', async () => {
    const transId = await newInvoice(engine, store);
    const other = await openPayableStore(engine);
    await expect(cancel(engine, other, transId)).rejects.toMatchObject({ code: 'INVOICE_UNKNOWN' });
    expect(await statusOf(engine, store, transId)).toBe('waiting');
  });
});

test('a short payment in the inbox does not prevent a cancel', async () => {
  const own = await openPayableStore(engine);
  const transId = await newInvoice(engine, own);
  const quote = await select(engine, transId);
  const hash = await pay(engine, quote, unitsOf(quote) - 10n ** 15n);
  await settle(engine, 'BSC');
  expect(await transfersOf(engine, hash)).toMatchObject([{ reason: 'short' }]);
  await cancel(engine, own, transId);
  expect(await lookUp(engine, own, transId)).toMatchObject({ status: 'expired', cancelled: true });
});

describe('at the same moment', () => {
  test('a payment that is recorded first refuses the cancel that waits for it', async () => {
    const { transId, quote } = await quoted('ETH');
    const { id } = await factsOf(engine, transId);
    const attached = [
      `select from invoices where id = ${id} for update`,
      `insert into transfers (network, tx_id, index, token, from_address, to_address, units, height, block_hash, block_time,
         seen_at, quote_id, invoice_id)
       values ('ETH', 'race ${id}', 'USDT:0', 'USDT', 'a', 'b', 1, 1, 'h', now(), now(), ${quote.id}, ${id})`,
    ];
    const refused = await duringChange(engine, attached, () => cancel(engine, store, transId).catch((cause) => cause));
    expect(refused).toMatchObject({ code: 'INVOICE_NOT_CANCELLABLE', details: { status: 'waiting' } });
    await engine.database.pool.query('delete from transfers where invoice_id = $1', [id]);
  });

  test('an expiry that comes first leaves nothing to cancel', async () => {
    const transId = await newInvoice(engine, store);
    const { id } = await factsOf(engine, transId);
    const expiry = [`update invoices set status = 'expired', ended_at = now() where id = ${id}`];
    const refused = await duringChange(engine, expiry, () => cancel(engine, store, transId).catch((cause) => cause));
    expect(refused).toMatchObject({ details: { status: 'expired' } });
  });

  test('two cancels are one', async () => {
    const { transId } = await quoted();
    const [first, second] = await Promise.all([cancel(engine, store, transId), cancel(engine, store, transId)]);
    expect(second).toEqual(first);
    expect(await eventsOf(engine, transId)).toHaveLength(1);
    const { rows } = await engine.database.pool.query(
      `select e.kind from ledger_entries e join invoices i on i.id = e.invoice_id where i.trans_id = $1 order by e.kind`,
      [transId],
    );
    expect(rows).toEqual([{ kind: 'hold' }, { kind: 'release' }]);
  });
});

test('a request that no worker performs in time stays, and is performed later', async () => {
  const transId = await newInvoice(engine, store);
  const context = { database: engine.as('api'), clock: engine.clock };
  const ask = () =>
    requestCancel(context, { kind: 'key', storeId: store.id }, { store: store.ref, transId, maxWaitMs: 0 });
  expect(await ask()).toMatchObject({ status: 'waiting', cancelledAt: null, requested: true });
  await performRequests(engine);
  expect(await statusOf(engine, store, transId)).toBe('expired');
  expect(await ask()).toMatchObject({ status: 'expired', transId });
});

test('an operator cancels an invoice once, audited', async () => {
  const transId = await newInvoice(engine, store);
  await command(engine, 'invoice cancel', { 'trans-id': transId });
  await command(engine, 'invoice cancel', { 'trans-id': transId });
  expect(await lookUp(engine, store, transId)).toMatchObject({ status: 'expired', cancelled: true });
  expect(await auditOf(engine, `invoice:${transId}`)).toEqual(['invoice.cancel']);
});

test('the moment of a cancel is rounded up to the second', () => {
  expect(cancelMoment(1_700_000_000_001)).toEqual(new Date(1_700_000_001_000));
  expect(cancelMoment(1_700_000_000_000)).toEqual(new Date(1_700_000_000_000));
});
