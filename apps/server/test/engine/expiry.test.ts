import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { expireDueInvoices } from '../../src/invoices/expire-due-invoices.ts';
import { findLedgerFaults, readAvailable } from '../../src/ledger/ledger-sql.ts';
import { startBalancer } from '../chain/balancer.ts';
import { mine } from '../chain/reorg.ts';
import type { TestStore } from '../harness.ts';
import type { Shop } from './shop.ts';
import {
  alarmsOf,
  auditOf,
  chainOf,
  command,
  duringChange,
  endOf,
  eventsOf,
  expire,
  factsOf,
  follow,
  followerOf,
  lookUp,
  mineAt,
  mineNow,
  newInvoice,
  openPayableStore,
  openShop,
  pay,
  secondsNow,
  select,
  settle,
  statusOf,
} from './shop.ts';

/** Nobody is told "expired" after paying in time: an invoice ends when all its networks are read past its end. */

let shop: Shop;
let store: TestStore;
beforeAll(async () => {
  shop = await openShop(['BSC', 'ETH']);
  store = await openPayableStore(shop);
});
afterAll(() => shop.close());

beforeEach(async () => {
  await settle(shop, 'BSC');
  await settle(shop, 'ETH');
});

const FINALIZED_DEPTH = 80;
const CONFIRMATIONS = 12;

/** Mines a block at this time, and so many after it, a second apart; the clock goes along. */
async function mineDeep(network: string, seconds: number, after: number): Promise<void> {
  await mineAt(shop, network, seconds);
  await mine(chainOf(shop, network).anvil, after, { secondsBetween: 1 });
  shop.clock.advance(Math.max(0, (seconds + after) * 1000 - shop.clock.nowMs()));
}

async function goPast(transId: string): Promise<void> {
  shop.clock.advance(((await endOf(shop, transId)) + 60 - secondsNow(shop)) * 1000);
}

async function quoted(network: string, amount = '50'): Promise<string> {
  const transId = await newInvoice(shop, store, amount);
  await select(shop, transId, network);
  return transId;
}

describe('coverage', () => {
  test('a block at the very end does not cover it; the next second does', async () => {
    const transId = await quoted('ETH');
    const end = await endOf(shop, transId);
    await mineDeep('ETH', end, CONFIRMATIONS - 1);
    await follow(shop, 'ETH');
    await expire(shop);
    expect(await statusOf(shop, store, transId)).toBe('waiting');
    await mineNow(shop, 'ETH');
    await follow(shop, 'ETH');
    await expire(shop);
    expect(await statusOf(shop, store, transId)).toBe('expired');
  });

  test('an invoice quoted on two networks waits for both, and its gate moves from one to the other', async () => {
    const transId = await quoted('BSC');
    await select(shop, transId, 'ETH');
    await goPast(transId);
    await expire(shop);
    expect(await factsOf(shop, transId)).toMatchObject({ gate_network: 'BSC' });
    await settle(shop, 'BSC');
    await expire(shop);
    expect(await factsOf(shop, transId)).toMatchObject({ gate_network: 'ETH' });
    expect(await statusOf(shop, store, transId)).toBe('waiting');
    await settle(shop, 'ETH');
    await expire(shop);
    expect(await statusOf(shop, store, transId)).toBe('expired');
    expect(await eventsOf(shop, transId)).toHaveLength(1);
  });

  test('it is the tier that would settle the amount that must have passed the end', async () => {
    const small = await quoted('ETH', '50');
    const large = await quoted('ETH', '20000');
    await mineDeep('ETH', (await endOf(shop, small)) + 1, CONFIRMATIONS - 1);
    await follow(shop, 'ETH');
    await expire(shop);
    expect(await statusOf(shop, store, small)).toBe('expired');
    expect(await statusOf(shop, store, large)).toBe('waiting');
    await mineNow(shop, 'ETH', FINALIZED_DEPTH - CONFIRMATIONS + 1);
    await follow(shop, 'ETH');
    await expire(shop);
    expect(await statusOf(shop, store, large)).toBe('expired');
  });
});

/** Due invoices that were quoted on a network, without the cost of creating them one by one. */
async function insertDue(network: string, tier: string, count: number): Promise<void> {
  const end = new Date(shop.clock.nowMs() - 1_000);
  await shop.database.pool.query(
    `with due as (
       insert into invoices (store_id, trans_id, amount_usd, created_at, expires_at, fee_micro_usd, gate_network, gate_tier)
       select $1, 'TID-' || lpad(n::text, 16, '0'), 50, $2::timestamptz - interval '30 minutes', $2, 0, $3, $4 from generate_series(1, $5) n
       returning id, created_at)
     insert into quotes (invoice_id, network, token, to_address, token_amount, token_price_usd, created_at, display_units,
       finality, price_sources, held_from)
     select id, $3, 'USDT', 'nobody', 50, 1, created_at, id, $4, '[]', created_at from due`,
    [store.id, end, network, tier, count],
  );
}

async function countDue(): Promise<number> {
  const { rows } = await shop.database.pool.query<{ due: number }>(
    `select count(*)::integer as due from invoices where trans_id like 'TID-00000000%' and status = 'waiting'`,
  );
  return rows[0]?.due ?? 0;
}

describe('a network that is down', () => {
  test('keeps its invoices waiting, thousands of them, and holds nobody else up', async () => {
    const other = await quoted('ETH');
    const unselected = await newInvoice(shop, store);
    await goPast(other);
    await insertDue('BSC', 'finalized', 10_000);
    await settle(shop, 'ETH');
    expect(await expireDueInvoices(shop.as('worker'), shop.clock)).toBe(2);
    expect(await statusOf(shop, store, other)).toBe('expired');
    expect(await statusOf(shop, store, unselected)).toBe('expired');
    expect(await countDue()).toBe(10_000);
    await settle(shop, 'BSC');
    await expire(shop);
    expect(await countDue()).toBe(0);
  });

  test('loses no payment that was made in time meanwhile', async () => {
    const balancer = await startBalancer({ backends: [{ url: chainOf(shop, 'BSC').anvil.url }], seed: 1 });
    const follower = followerOf(shop, 'BSC', [balancer.url]);
    const transId = await newInvoice(shop, store);
    const quote = await select(shop, transId);
    await balancer.down();
    const hash = await pay(shop, quote);
    await mineAt(shop, 'BSC', await endOf(shop, transId));
    await goPast(transId);
    await mineNow(shop, 'BSC', 30);
    await follow(shop, 'BSC', follower);
    await expire(shop);
    expect(await statusOf(shop, store, transId)).toBe('waiting');
    await balancer.up();
    await follow(shop, 'BSC', follower);
    await expire(shop);
    expect(await lookUp(shop, store, transId)).toMatchObject({ status: 'completed', transaction_hash: hash });
    expect(await eventsOf(shop, transId)).toMatchObject([{ event: 'invoice.completed', sequence: 1 }]);
    expect(await factsOf(shop, transId)).toMatchObject({ late: false });
    await balancer.stop();
  });
});

test('a payment in the window that is found after expiry completes late, with a new hold and an alarm', async () => {
  const poor = await openPayableStore(shop, { creditMicroUsd: 250_000n });
  const transId = await newInvoice(shop, poor);
  const quote = await select(shop, transId, 'ETH');
  await settle(shop, 'ETH');
  const follower = followerOf(shop, 'ETH', [chainOf(shop, 'ETH').anvil.url]);
  const hash = await pay(shop, quote);
  // Both questions about the range are answered without it, until the deepest rule asks.
  const honest = follower.source;
  const without = <Read extends { transfers: { txId: string }[] }>(read: Read): Read => ({
    ...read,
    transfers: read.transfers.filter(({ txId }) => txId !== hash),
  });
  follower.source = {
    ...honest,
    read: async (request) => without(await honest.read(request)),
    readBlocks: async (request) => without(await honest.readBlocks(request)),
  };
  await mineDeep('ETH', await endOf(shop, transId), 1);
  await mineNow(shop, 'ETH', CONFIRMATIONS - 1);
  await follow(shop, 'ETH', follower);
  await expire(shop);
  expect(await statusOf(shop, poor, transId)).toBe('expired');

  follower.source = honest;
  await newInvoice(shop, poor);
  expect(await readAvailable(shop.database.queries, poor.id)).toBe(0n);
  await mineNow(shop, 'ETH', FINALIZED_DEPTH);
  await follow(shop, 'ETH', follower);
  expect(await lookUp(shop, poor, transId)).toMatchObject({ status: 'completed', transaction_hash: hash });
  expect(await eventsOf(shop, transId)).toMatchObject([
    { event: 'invoice.expired', sequence: 1 },
    { event: 'invoice.completed', sequence: 2, late: true },
  ]);
  expect(await alarmsOf(shop, transId)).toEqual(['found-late']);
  expect(follower.counts.disagreements).toBe(1);
  const { rows } = await shop.database.pool.query(
    'select kind, hold_number from ledger_entries where invoice_id = $1 order by hold_number, kind',
    [(await factsOf(shop, transId)).id],
  );
  expect(rows).toEqual([
    { kind: 'hold', hold_number: 1 },
    { kind: 'release', hold_number: 1 },
    { kind: 'capture', hold_number: 2 },
    { kind: 'hold', hold_number: 2 },
  ]);
  expect(await readAvailable(shop.database.queries, poor.id)).toBe(-250_000n);
  expect(await findLedgerFaults(shop.database.queries, 10)).toEqual([]);
});

describe('several expirers', () => {
  test('never end an invoice twice', async () => {
    const due = await Promise.all(Array.from({ length: 20 }, () => newInvoice(shop, store)));
    const selected = [];
    for (let count = 0; count < 10; count += 1) selected.push(await quoted('BSC'));
    await goPast(selected.at(-1) ?? '');
    await settle(shop, 'BSC');
    await Promise.all(Array.from({ length: 4 }, () => expire(shop)));
    for (const transId of [...due, ...selected])
      expect(await eventsOf(shop, transId)).toMatchObject([{ event: 'invoice.expired', sequence: 1 }]);
    expect(await findLedgerFaults(shop.database.queries, 10)).toEqual([]);
  });

  test.each([
    ['coverage that a reorg took away', `update chain_coverage set block_time = block_time - interval '1 hour'`],
    ['a network that froze', 'update chains set frozen_at = now()'],
  ])('do not believe %s after they had read it', async (_title, change) => {
    const transId = await quoted('BSC');
    await goPast(transId);
    await settle(shop, 'BSC');
    await duringChange(shop, ['lock table invoices in exclusive mode', `${change} where network = 'BSC'`], () =>
      expireDueInvoices(shop.as('worker'), shop.clock),
    );
    expect(await statusOf(shop, store, transId)).toBe('waiting');
    await shop.database.pool.query('update chains set frozen_at = null');
    await settle(shop, 'BSC');
    await expire(shop);
    expect(await statusOf(shop, store, transId)).toBe('expired');
  });
});

test('an operator may give a dead network up: its invoices expire unread, audited, and it is offered no more', async () => {
  const transId = await quoted('BSC');
  const both = await quoted('BSC');
  await select(shop, both, 'ETH');
  await goPast(transId);
  await expire(shop);
  expect(await statusOf(shop, store, transId)).toBe('waiting');
  await expect(command(shop, 'chain retire', { network: 'SOL', reason: 'gone' })).rejects.toThrow('not followed');
  await command(shop, 'chain retire', { network: 'BSC', reason: 'the network has ended' });
  await expire(shop);
  expect(await statusOf(shop, store, transId)).toBe('expired');
  expect(await statusOf(shop, store, both)).toBe('waiting');
  expect(await auditOf(shop, 'chain:BSC')).toEqual(['chain.retire']);
  await expect(quoted('BSC')).rejects.toThrow('network-unavailable');
  await settle(shop, 'ETH');
  await expire(shop);
  expect(await statusOf(shop, store, both)).toBe('expired');
});

test('balances recomputed from the entries alone agree', async () => {
  expect(await findLedgerFaults(shop.database.queries, 10)).toEqual([]);
});
