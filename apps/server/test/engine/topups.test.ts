import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { attachTransfer } from '../../src/invoices/attach-transfer.ts';
import { periodOf } from '../../src/db/partition-sql.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import { createApplyTransfers } from '../../src/invoices/apply-transfers.ts';
import { bookEntries } from '../../src/ledger/booking-sql.ts';
import { creditBalance } from '../../src/ledger/credit-balance.ts';
import { findLedgerFaults, readAvailable } from '../../src/ledger/ledger-sql.ts';
import { activateStore } from '../../src/stores/activate-store.ts';
import { setStorePurpose } from '../../src/stores/set-store-purpose.ts';
import { MAX_TOPUPS } from '../../src/topups/request-topup.ts';
import { rollback } from '../../rig/chains/evm/reorg.ts';
import { NETWORKS } from '../../rig/chains/networks.ts';
import type { EngineFixture } from '../../rig/invoices/engine-fixture.ts';
import {
  chainOf,
  fail,
  followerOf,
  openEngineFixture,
  openPayableStore,
  secondsNow,
  settlingBlocks,
} from '../../rig/invoices/engine-fixture.ts';
import { expire, follow, mineNow, settle } from '../../rig/invoices/follow-network.ts';
import { endOf, factsOf, statusOf, transfersOf } from '../../rig/invoices/look-up.ts';
import { newInvoice, pay, select } from '../../rig/invoices/pay-invoice.ts';
import { findFailpoints } from '../../rig/processes/find-failpoints.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { TESTER } from '../../rig/stores/open-store.ts';
import { askForTopup, MICRO_USD, newTopup, openTopups, openTopupStore, topupOf } from '../../rig/topups/topup-rig.ts';

/** Top-ups: paid at the operator's store, credited to the merchant's, once. */

const NETWORK = 'ETH';

let engine: EngineFixture;
let topupStore: TestStore;
let store: TestStore;
beforeAll(async () => {
  engine = await openEngineFixture(inject('template'), [NETWORK]);
  topupStore = await openTopupStore(engine);
  await settle(engine, NETWORK);
});
afterAll(() => engine.close());

const openEmpty = () => openPayableStore(engine, { creditMicroUsd: 0n });
const available = (of = store) => readAvailable(engine.database.queries, of.id);
const faults = () => findLedgerFaults(engine.database.queries, 10);
const admin = () => ({ database: engine.as('admin'), clock: engine.clock, jobs: undefined });

/** Fails between the invoice of a top-up and its link. */
function die(name: string): void {
  if (name === 'topup:created') throw new Error('dead');
}

async function payFor(transId: string): Promise<string> {
  return pay(engine, await select(engine, transId, NETWORK));
}

async function entriesOf({ id }: TestStore): Promise<unknown[]> {
  const { rows } = await engine.database.pool.query(
    `select e.kind, e.micro_usd as amount, i.trans_id as "transId", e.period = date_trunc('month', i.created_at) as "ofInvoice"
     from ledger_entries e left join invoices i on i.id = e.invoice_id where e.store_id = $1 order by e.id`,
    [id],
  );
  return rows;
}

const credit = (transId: string, usd = 25n) => ({ kind: 'topup', amount: usd * MICRO_USD, transId, ofInvoice: true });

/** Requires that a top-up of 25 USD was credited once, to its store only. */
async function expectCredited(code: string, transId: string): Promise<void> {
  expect(await topupOf(engine, code)).toMatchObject({ credited: true, transId });
  expect(await entriesOf(store)).toEqual([credit(transId)]);
  expect(await available()).toBe(25n * MICRO_USD);
  expect(await available(topupStore)).toBe(0n);
  expect(await faults()).toEqual([]);
}

async function alarmsOf({ id }: TestStore): Promise<unknown[]> {
  const { rows } = await engine.database.pool.query(
    `select kind, details->>'fault' as fault from alarms where subject = $1 order by id`,
    [`store:${id}`],
  );
  return rows;
}

/** An invoice of a store that was paid late, with a fee that is still to be booked. */
async function insertPaid({ id }: TestStore, feeMicroUsd: bigint, at: Date): Promise<bigint> {
  const { rows } = await engine.database.pool.query<{ id: bigint }>(
    `insert into invoices (store_id, trans_id, amount_usd, status, late, created_at, expires_at, ended_at, fee_micro_usd,
       transaction_hash, from_address)
     values ($1, 'TID-PAIDLATE00000000', 1400, 'completed', true, $2::timestamptz - interval '1 hour', $2, $2, $3, 'hash', 'payer')
     returning id`,
    [id, at, feeMicroUsd],
  );
  return rows[0]?.id ?? fail();
}

describe('a top-up', () => {
  test('is credited once when its invoice completes, however often its payment is applied, and costs no fee', async () => {
    store = await openEmpty();
    const { code, transId } = await newTopup(engine, store);
    await expect(newInvoice(engine, store)).rejects.toMatchObject({ code: 'INSUFFICIENT_BALANCE' });
    const hash = await payFor(transId);
    await settle(engine, NETWORK);
    const { rows } = await engine.database.pool.query<{ id: bigint }>('select id from transfers where tx_id = $1', [
      hash,
    ]);
    const apply = createApplyTransfers({ clock: engine.clock, networks: NETWORKS });
    await inTransaction(engine.as('worker'), (tx) =>
      apply(
        tx,
        NETWORK,
        rows.map(({ id }) => id),
      ),
    );
    await expectCredited(code, transId);
    await newInvoice(engine, store);
  });

  test('is credited when it is paid after its end, and lowers the overdraft', async () => {
    store = await openEmpty();
    const at = new Date(engine.clock.nowMs());
    const invoiceId = await insertPaid(store, 7n * MICRO_USD, at);
    const hold = { storeId: store.id, invoiceId, holdNumber: 2, microUsd: 7n * MICRO_USD };
    const late = [{ ...hold, period: periodOf(at) }];
    await inTransaction(engine.as('worker'), (tx) =>
      bookEntries(tx, { lateHolds: late, captures: late, releases: [], topups: [] }, at),
    );
    const { code, transId } = await newTopup(engine, store);
    const quote = await select(engine, transId, NETWORK);
    engine.clock.advance(((await endOf(engine, transId)) + 60 - secondsNow(engine)) * 1000);
    await settle(engine, NETWORK);
    await expire(engine);
    expect(await statusOf(engine, topupStore, transId)).toBe('expired');
    const txId = await pay(engine, quote);
    await settle(engine, NETWORK);
    expect(await topupOf(engine, code)).toMatchObject({ credited: false });
    // It is credited in the month of its invoice, so that the database can see that it is credited once.
    engine.clock.advance(35 * 24 * 3_600_000);
    const [{ index } = fail()] = await transfersOf(engine, txId);
    await attachTransfer(admin(), TESTER, { network: NETWORK, txId, index, transId });
    expect(await topupOf(engine, code)).toMatchObject({ credited: true });
    expect((await entriesOf(store)).slice(2)).toEqual([credit(transId)]);
    const { rows: balance } = await engine.database.pool.query(
      'select available_micro_usd as available, overdraft_micro_usd as overdraft from balances where store_id = $1',
      [store.id],
    );
    expect(balance).toEqual([{ available: 18n * MICRO_USD, overdraft: 0n }]);
    expect(await faults()).toEqual([]);
  });

  test('of a store that is switched off is credited too', async () => {
    store = await openEmpty();
    await activateStore(admin(), TESTER, { store: store.ref, active: false });
    const { code, transId } = await newTopup(engine, store);
    await payFor(transId);
    await settle(engine, NETWORK);
    await expectCredited(code, transId);
  });

  test('whose worker died between invoice and link is one invoice, and is credited without the link', async () => {
    store = await openEmpty();
    const code = await askForTopup(engine, store);
    await openTopups(engine, die);
    await openTopups(engine, die);
    expect(await topupOf(engine, code)).toMatchObject({ transId: null, atStoreId: topupStore.id });
    const { rows } = await engine.database.pool.query<{ trans_id: string }>(
      'select trans_id from invoices where request_id = $1',
      [code],
    );
    expect(rows).toHaveLength(1);
    const transId = rows[0]?.trans_id ?? '';
    await payFor(transId);
    await settle(engine, NETWORK);
    await expectCredited(code, transId);
    await openTopups(engine);
    expect(await topupOf(engine, code)).toMatchObject({ credited: true, transId, fault: null });
  });

  test('stays at the store where it was placed when the purpose moves to another', async () => {
    store = await openEmpty();
    const code = await askForTopup(engine, store);
    await openTopups(engine, die);
    const other = await openEmpty();
    await expect(setStorePurpose(admin(), TESTER, { store: other.ref, purpose: 'topup' })).rejects.toMatchObject({
      code: 'TOP_UP_STORE_EXISTS',
    });
    await setStorePurpose(admin(), TESTER, { store: topupStore.ref, purpose: null });
    await setStorePurpose(admin(), TESTER, { store: other.ref, purpose: 'topup' });
    await openTopups(engine);
    const { transId, atStoreId } = await topupOf(engine, code);
    expect(atStoreId).toBe(topupStore.id);
    await setStorePurpose(admin(), TESTER, { store: other.ref, purpose: null });
    await setStorePurpose(admin(), TESTER, { store: topupStore.ref, purpose: 'topup' });
    await payFor(transId ?? '');
    await settle(engine, NETWORK);
    await expectCredited(code, transId ?? '');
  });
});

test('a top-up is credited once by a reader that dies once at each point of its commits', async () => {
  store = await openEmpty();
  const { code, transId } = await newTopup(engine, store);
  // A first read has pieces only where it found more payments than one commit takes.
  const points = findFailpoints(['head', 'proof', 'tier']).filter((point) => point !== 'head:piece');
  const died: string[] = [];
  const dying = followerOf(engine, NETWORK, [chainOf(engine, NETWORK).anvil.url], {
    failpoint: (name) => {
      if (died.includes(name)) return;
      died.push(name);
      throw new Error(`dead at ${name}`);
    },
  });
  await payFor(transId);
  await mineNow(engine, NETWORK, settlingBlocks(dying.source.network));
  for (const _point of points) await follow(engine, NETWORK, dying).catch(() => undefined);
  await follow(engine, NETWORK, dying);
  expect(died.toSorted()).toEqual(points);
  await expectCredited(code, transId);
});

describe('nothing is credited', () => {
  test('for an invoice of a merchant who uses the code of a top-up as request_id', async () => {
    store = await openEmpty();
    const { code } = await newTopup(engine, store);
    const thief = await openPayableStore(engine);
    const transId = await newInvoice(engine, thief, '25', { request_id: code });
    await payFor(transId);
    await settle(engine, NETWORK);
    expect(await statusOf(engine, thief, transId)).toBe('completed');
    expect(await topupOf(engine, code)).toMatchObject({ credited: false });
    expect(await entriesOf(store)).toEqual([]);
    expect(await faults()).toEqual([]);
  });

  test('for an invoice of another amount, and the operator is told', async () => {
    store = await openEmpty();
    const code = await askForTopup(engine, store);
    const note = 'the fee of an invoice of 5 USD';
    await creditBalance(admin(), TESTER, { store: topupStore.ref, microUsd: 25_000n, note });
    const transId = await newInvoice(engine, topupStore, '5', { request_id: code });
    await openTopups(engine);
    expect(await topupOf(engine, code)).toMatchObject({ transId: null, fault: 'request-id-taken' });
    expect(await alarmsOf(store)).toEqual([{ kind: 'topup-failed', fault: 'request-id-taken' }]);
    await payFor(transId);
    await settle(engine, NETWORK);
    expect(await entriesOf(store)).toEqual([]);
    expect(await faults()).toEqual([]);
  });
});

describe('a top-up that cannot be paid is given up once, with an alarm', () => {
  test('when the store for top-ups was switched off meanwhile', async () => {
    store = await openEmpty();
    const code = await askForTopup(engine, store);
    await activateStore(admin(), TESTER, { store: topupStore.ref, active: false });
    await expect(askForTopup(engine, store)).rejects.toMatchObject({ code: 'TOP_UPS_NOT_SET_UP' });
    await openTopups(engine);
    await openTopups(engine);
    await activateStore(admin(), TESTER, { store: topupStore.ref, active: true });
    expect(await topupOf(engine, code)).toMatchObject({ fault: 'not-set-up' });
    expect(await alarmsOf(store)).toEqual([{ kind: 'topup-failed', fault: 'not-set-up' }]);
  });

  test('by two workers at the same moment', async () => {
    store = await openEmpty();
    const code = await askForTopup(engine, store);
    engine.clock.advance(61 * 60_000);
    const { pool } = engine.database;
    const client = await pool.connect();
    await client.query('begin');
    await client.query('select from topups where code = $1 for update', [code]);
    const both = Promise.all([openTopups(engine), openTopups(engine)]);
    const blocked = async () => {
      const { rows } = await pool.query<{ count: number }>(
        `select count(*)::integer from pg_locks l join pg_stat_activity a on a.pid = l.pid
         where not l.granted and a.datname = current_database()`,
      );
      return rows[0]?.count;
    };
    await expect.poll(blocked).toBe(2);
    await client.query('commit');
    client.release();
    await both;
    expect(await alarmsOf(store)).toEqual([{ kind: 'topup-failed', fault: 'too-late' }]);
  });

  test('when its worker failed for an hour', async () => {
    store = await openEmpty();
    const code = await askForTopup(engine, store);
    engine.clock.advance(61 * 60_000);
    await openTopups(engine);
    expect(await topupOf(engine, code)).toMatchObject({ fault: 'too-late' });
  });
});

test('a credited top-up whose payment leaves the chain stays credited, and freezes the network', async () => {
  store = await openEmpty();
  const { code, transId } = await newTopup(engine, store);
  await payFor(transId);
  await settle(engine, NETWORK);
  await expectCredited(code, transId);
  const { id } = await factsOf(engine, transId);
  await rollback(chainOf(engine, NETWORK).anvil, settlingBlocks(chainOf(engine, NETWORK).follower.source.network) + 1);
  await mineNow(engine, NETWORK, 40);
  await follow(engine, NETWORK).catch(() => undefined);
  const { rows } = await engine.database.pool.query(
    `select (select count(*)::integer from alarms where kind in ('payment-reverted', 'deep-reorg')) > 0 as alarmed,
       (select frozen_at is not null from chains where network = $1) as frozen from invoices where id = $2`,
    [NETWORK, id],
  );
  expect(rows).toEqual([{ alarmed: true, frozen: true }]);
  await expectCredited(code, transId);
});

test('a store asks for a bounded number of top-ups within a day, also when all are asked for at once', async () => {
  store = await openEmpty();
  const asked = await Promise.allSettled(Array.from({ length: MAX_TOPUPS + 3 }, () => askForTopup(engine, store)));
  expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(MAX_TOPUPS);
  expect(asked.find((one) => one.status === 'rejected')?.reason).toMatchObject({ code: 'TOO_MANY_TOPUPS' });
});
