import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { expireDueInvoices } from '../../src/invoices/expire-due-invoices.ts';
import { findLedgerFaults, readAvailable } from '../../src/ledger/ledger-sql.ts';
import { startBalancer } from '../../rig/chains/evm/balancer.ts';
import { mine } from '../../rig/chains/evm/reorg.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import type { EngineFixture } from '../../rig/invoices/engine-fixture.ts';
import { alarmsOf, auditOf, endOf, eventsOf, factsOf, lookUp, statusOf } from '../../rig/invoices/look-up.ts';
import {
  chainOf,
  followerOf,
  openPayableStore,
  openEngineFixture,
  secondsNow,
} from '../../rig/invoices/engine-fixture.ts';
import { command } from '../../rig/invoices/run-command.ts';
import { duringChange } from '../../rig/invoices/change-rows.ts';
import { expire, follow, mineAt, mineNow, settle } from '../../rig/invoices/follow-network.ts';
import { newInvoice, pay, select } from '../../rig/invoices/pay-invoice.ts';

/** No invoice expires that was paid in time: it ends when all its networks have been read past its end. */

let engine: EngineFixture;
let store: TestStore;
beforeAll(async () => {
  engine = await openEngineFixture(inject('template'), ['BSC', 'ETH']);
  store = await openPayableStore(engine);
});
afterAll(() => engine.close());

beforeEach(async () => {
  await settle(engine, 'BSC');
  await settle(engine, 'ETH');
});

const FINALIZED_DEPTH = 80;
const CONFIRMATIONS = 12;

/** Mines a block at this time and more after it, a second apart, moving the clock along. */
async function mineDeep(network: string, seconds: number, after: number): Promise<void> {
  await mineAt(engine, network, seconds);
  await mine(chainOf(engine, network).anvil, after, { secondsBetween: 1 });
  engine.clock.advance(Math.max(0, (seconds + after) * 1000 - engine.clock.nowMs()));
}

async function goPast(transId: string): Promise<void> {
  engine.clock.advance(((await endOf(engine, transId)) + 60 - secondsNow(engine)) * 1000);
}

async function quoted(network: string, amount = '50'): Promise<string> {
  const transId = await newInvoice(engine, store, amount);
  await select(engine, transId, network);
  return transId;
}

describe('coverage', () => {
  test('a block at the very end does not cover it; the next second does', async () => {
    const transId = await quoted('ETH');
    const end = await endOf(engine, transId);
    await mineDeep('ETH', end, CONFIRMATIONS - 1);
    await follow(engine, 'ETH');
    await expire(engine);
    expect(await statusOf(engine, store, transId)).toBe('waiting');
    await mineNow(engine, 'ETH');
    await follow(engine, 'ETH');
    await expire(engine);
    expect(await statusOf(engine, store, transId)).toBe('expired');
  });

  test('an invoice quoted on two networks waits for both, and its gate moves from one to the other', async () => {
    const transId = await quoted('BSC');
    await select(engine, transId, 'ETH');
    await goPast(transId);
    await expire(engine);
    expect(await factsOf(engine, transId)).toMatchObject({ gate_network: 'BSC' });
    await settle(engine, 'BSC');
    await expire(engine);
    expect(await factsOf(engine, transId)).toMatchObject({ gate_network: 'ETH' });
    expect(await statusOf(engine, store, transId)).toBe('waiting');
    await settle(engine, 'ETH');
    await expire(engine);
    expect(await statusOf(engine, store, transId)).toBe('expired');
    expect(await eventsOf(engine, transId)).toHaveLength(1);
  });

  test('an invoice whose gate moves to an account waits for that account, also when nobody reads its network yet', async () => {
    const { pool } = engine.database;
    const transId = await quoted('BSC');
    const { id } = await factsOf(engine, transId);
    await pool.query(
      `insert into chains (network, height, hash, block_time, head_height, head_time) values ('SOL', 1, '', now(), 1, now())`,
    );
    await pool.query(
      `insert into quotes (invoice_id, network, token, to_address, token_amount, token_price_usd, created_at, display_units,
         finality, price_sources, held_from)
       select $1, 'SOL', 'USDT', 'payee', 50, 1, created_at, 50000001, 'finalized', '[]', created_at from invoices where id = $1`,
      [id],
    );
    await goPast(transId);
    await settle(engine, 'BSC');
    await expire(engine);
    expect(await factsOf(engine, transId)).toMatchObject({ gate_network: 'SOL' });
    await pool.query(
      `insert into followed_accounts (network, account, state, start_at, open_until)
       select 'SOL', 'payee', 'following', created_at, expires_at from invoices where id = $1`,
      [id],
    );
    await pool.query(
      `insert into chain_coverage (network, scope, tier, height, block_time)
       select 'SOL', 'payee', 'finalized', 1, expires_at + interval '1 second' from invoices where id = $1`,
      [id],
    );
    await expire(engine);
    expect(await statusOf(engine, store, transId)).toBe('expired');
    for (const table of ['chain_coverage', 'followed_accounts', 'chains'])
      await pool.query(`delete from ${table} where network = 'SOL'`);
  });

  test('the tier that would settle the amount must have covered the end', async () => {
    const small = await quoted('ETH', '50');
    const large = await quoted('ETH', '20000');
    await mineDeep('ETH', (await endOf(engine, small)) + 1, CONFIRMATIONS - 1);
    await follow(engine, 'ETH');
    await expire(engine);
    expect(await statusOf(engine, store, small)).toBe('expired');
    expect(await statusOf(engine, store, large)).toBe('waiting');
    await mineNow(engine, 'ETH', FINALIZED_DEPTH - CONFIRMATIONS + 1);
    await follow(engine, 'ETH');
    await expire(engine);
    expect(await statusOf(engine, store, large)).toBe('expired');
  });
});

/** Invoices that one statement inserts, few enough for the statement's time limit on a busy machine. */
const INSERTED_AT_ONCE = 1_000;

/** Inserts due invoices quoted on a network, without the cost of creating them one by one. */
async function insertDue(network: string, tier: string, count: number): Promise<void> {
  const end = new Date(engine.clock.nowMs() - 1_000);
  for (let first = 1; first <= count; first += INSERTED_AT_ONCE)
    await insertSome(network, tier, { end, first, last: Math.min(count, first + INSERTED_AT_ONCE - 1) });
}

type Some = { end: Date; first: number; last: number };

async function insertSome(network: string, tier: string, { end, first, last }: Some): Promise<void> {
  await engine.database.pool.query(
    `with due as (
       insert into invoices (store_id, trans_id, amount_usd, created_at, expires_at, fee_micro_usd, gate_network, gate_tier)
       select $1, 'TID-' || lpad(n::text, 16, '0'), 50, $2::timestamptz - interval '30 minutes', $2, 0, $3, $4 from generate_series($5::integer, $6::integer) n
       returning id, created_at)
     insert into quotes (invoice_id, network, token, to_address, token_amount, token_price_usd, created_at, display_units,
       finality, price_sources, held_from)
     select id, $3, 'USDT', 'nobody', 50, 1, created_at, id, $4, '[]', created_at from due`,
    [store.id, end, network, tier, first, last],
  );
}

async function countDue(): Promise<number> {
  const { rows } = await engine.database.pool.query<{ due: number }>(
    `select count(*)::integer as due from invoices where trans_id like 'TID-00000000%' and status = 'waiting'`,
  );
  return rows[0]?.due ?? 0;
}

describe('a network that is down', () => {
  test('keeps its invoices waiting, thousands of them, and delays no others', async () => {
    const other = await quoted('ETH');
    const unselected = await newInvoice(engine, store);
    await goPast(other);
    await insertDue('BSC', 'finalized', 10_000);
    await settle(engine, 'ETH');
    expect(await expireDueInvoices({ database: engine.as('worker'), clock: engine.clock })).toBe(2);
    expect(await statusOf(engine, store, other)).toBe('expired');
    expect(await statusOf(engine, store, unselected)).toBe('expired');
    expect(await countDue()).toBe(10_000);
    await settle(engine, 'BSC');
    await expire(engine);
    expect(await countDue()).toBe(0);
  });

  test('loses no payment that was made in time meanwhile', async () => {
    const balancer = await startBalancer({ backends: [{ url: chainOf(engine, 'BSC').anvil.url }], seed: 1 });
    const follower = followerOf(engine, 'BSC', [balancer.url]);
    const transId = await newInvoice(engine, store);
    const quote = await select(engine, transId);
    await balancer.down();
    const hash = await pay(engine, quote);
    await mineAt(engine, 'BSC', await endOf(engine, transId));
    await goPast(transId);
    await mineNow(engine, 'BSC', 30);
    await follow(engine, 'BSC', follower);
    await expire(engine);
    expect(await statusOf(engine, store, transId)).toBe('waiting');
    await balancer.up();
    await follow(engine, 'BSC', follower);
    await expire(engine);
    expect(await lookUp(engine, store, transId)).toMatchObject({ status: 'completed', transaction_hash: hash });
    expect(await eventsOf(engine, transId)).toMatchObject([{ event: 'invoice.completed', sequence: 1 }]);
    expect(await factsOf(engine, transId)).toMatchObject({ late: false });
    await balancer.stop();
  });
});

test('a payment in the window that is found after expiry completes late, with a new hold and an alarm', async () => {
  const poor = await openPayableStore(engine, { creditMicroUsd: 250_000n });
  const transId = await newInvoice(engine, poor);
  const quote = await select(engine, transId, 'ETH');
  await settle(engine, 'ETH');
  const follower = followerOf(engine, 'ETH', [chainOf(engine, 'ETH').anvil.url]);
  const hash = await pay(engine, quote);
  // Both questions about the range are answered without it, until the deepest rule asks.
  const { source } = follower;
  const without = <Read extends { transfers: { txId: string }[] }>(read: Read): Read => ({
    ...read,
    transfers: read.transfers.filter(({ txId }) => txId !== hash),
  });
  const read: typeof source.read = async (request) => without(await source.read(request));
  const readBlocks: typeof source.readBlocks = async (request) => without(await source.readBlocks(request));
  await mineDeep('ETH', await endOf(engine, transId), 1);
  await mineNow(engine, 'ETH', CONFIRMATIONS - 1);
  await follow(engine, 'ETH', { ...follower, source: { ...source, read, readBlocks } });
  await expire(engine);
  expect(await statusOf(engine, poor, transId)).toBe('expired');

  await newInvoice(engine, poor);
  expect(await readAvailable(engine.database.queries, poor.id)).toBe(0n);
  await mineNow(engine, 'ETH', FINALIZED_DEPTH);
  await follow(engine, 'ETH', follower);
  expect(await lookUp(engine, poor, transId)).toMatchObject({ status: 'completed', transaction_hash: hash });
  expect(await eventsOf(engine, transId)).toMatchObject([
    { event: 'invoice.expired', sequence: 1 },
    { event: 'invoice.completed', sequence: 2, late: true },
  ]);
  expect(await alarmsOf(engine, transId)).toEqual(['found-late']);
  expect(follower.counts.disagreements).toBe(1);
  const { rows } = await engine.database.pool.query(
    'select kind, hold_number from ledger_entries where invoice_id = $1 order by hold_number, kind',
    [(await factsOf(engine, transId)).id],
  );
  expect(rows).toEqual([
    { kind: 'hold', hold_number: 1 },
    { kind: 'release', hold_number: 1 },
    { kind: 'capture', hold_number: 2 },
    { kind: 'hold', hold_number: 2 },
  ]);
  expect(await readAvailable(engine.database.queries, poor.id)).toBe(-250_000n);
  expect(await findLedgerFaults(engine.database.queries, 10)).toEqual([]);
});

describe('several workers that expire invoices', () => {
  test('never end an invoice twice', async () => {
    const due = await Promise.all(Array.from({ length: 20 }, () => newInvoice(engine, store)));
    const selected = [];
    for (let count = 0; count < 10; count += 1) selected.push(await quoted('BSC'));
    await goPast(selected.at(-1) ?? '');
    await settle(engine, 'BSC');
    await Promise.all(Array.from({ length: 4 }, () => expire(engine)));
    for (const transId of [...due, ...selected])
      expect(await eventsOf(engine, transId)).toMatchObject([{ event: 'invoice.expired', sequence: 1 }]);
    expect(await findLedgerFaults(engine.database.queries, 10)).toEqual([]);
  });

  test.each([
    ['coverage that a reorg took away', `update chain_coverage set block_time = block_time - interval '1 hour'`],
    ['a network that froze', 'update chains set frozen_at = now()'],
  ])('do not rely on %s after they had read it', async (_title, change) => {
    const transId = await quoted('BSC');
    await goPast(transId);
    await settle(engine, 'BSC');
    await duringChange(engine, ['lock table invoices in exclusive mode', `${change} where network = 'BSC'`], () =>
      expireDueInvoices({ database: engine.as('worker'), clock: engine.clock }),
    );
    expect(await statusOf(engine, store, transId)).toBe('waiting');
    await engine.database.pool.query('update chains set frozen_at = null');
    await settle(engine, 'BSC');
    await expire(engine);
    expect(await statusOf(engine, store, transId)).toBe('expired');
  });
});

test('an operator may give a dead network up: its invoices expire unread, audited, and it is offered no more', async () => {
  const transId = await quoted('BSC');
  const both = await quoted('BSC');
  await select(engine, both, 'ETH');
  await goPast(transId);
  await expire(engine);
  expect(await statusOf(engine, store, transId)).toBe('waiting');
  await expect(command(engine, 'chain retire', { network: 'SOL', reason: 'gone' })).rejects.toThrow('not followed');
  await command(engine, 'chain retire', { network: 'BSC', reason: 'the network has ended' });
  await expire(engine);
  expect(await statusOf(engine, store, transId)).toBe('expired');
  expect(await statusOf(engine, store, both)).toBe('waiting');
  expect(await auditOf(engine, 'chain:BSC')).toEqual(['chain.retire']);
  await expect(quoted('BSC')).rejects.toThrow('network-unavailable');
  await settle(engine, 'ETH');
  await expire(engine);
  expect(await statusOf(engine, store, both)).toBe('expired');
});

test('balances recomputed from the entries alone agree', async () => {
  expect(await findLedgerFaults(engine.database.queries, 10)).toEqual([]);
});
