import { afterAll, beforeEach, expect, inject, test } from 'vitest';
import { inTransaction } from '../../src/db/transaction.ts';
import { createApplyTransfers } from '../../src/invoices/apply-transfers.ts';
import { NETWORKS } from '../../rig/chains/networks.ts';
import { createDecidePendingInvoices } from '../../src/invoices/decide-pending-invoices.ts';
import { findLedgerFaults } from '../../src/ledger/ledger-sql.ts';
import { headerAt, reorg } from '../../rig/chains/evm/reorg.ts';
import type { SignedTransaction } from '../../rig/chains/evm/signed.ts';
import { sendSigned, signPayment } from '../../rig/chains/evm/signed.ts';
import { canonicalToken } from '../../rig/chains/evm/token.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import type { EngineFixture } from '../../rig/invoices/engine-fixture.ts';
import { alarmsOf, endOf, eventsOf, lookUp, standingOf, statusOf } from '../../rig/invoices/look-up.ts';
import {
  chainOf,
  openPayableStore,
  openEngineFixture,
  secondsNow,
  settlingBlocks,
} from '../../rig/invoices/engine-fixture.ts';
import { command } from '../../rig/invoices/run-command.ts';
import { decideAgain, expire, follow, mineNow, settle } from '../../rig/invoices/follow-network.ts';
import { newInvoice, pay, select, unitsOf } from '../../rig/invoices/pay-invoice.ts';

/** Payments found while a network is frozen are decided when it is unfrozen, automatically or by an operator. */

const shops: EngineFixture[] = [];
let engine: EngineFixture;
let store: TestStore;
beforeEach(async () => {
  engine = await openEngineFixture(inject('template'), ['BSC']);
  shops.push(engine);
  store = await openPayableStore(engine, { lifetimeMinutes: 600 });
  await settle(engine, 'BSC');
});
afterAll(() => Promise.all(shops.map((one) => one.close())));

const LONG_AGO_BLOCKS = 30;
const TOKEN = canonicalToken(56, 'USDT').address;
const node = () => chainOf(engine, 'BSC').anvil;
const recheck = (transId: string) => command(engine, 'invoice recheck', { 'trans-id': transId });
const unfreeze = () => command(engine, 'chain unfreeze', { network: 'BSC', reason: 'the merchant bears it' });

/** Moves the cursor and coverage to the final block as if everything up to it had been read. */
async function passOver(): Promise<void> {
  const head = await headerAt(node(), 'finalized');
  const values = [head.number, new Date(head.timestamp * 1000)];
  await engine.database.pool.query(`update chains set height = $1, block_time = $2, hash = $3 where network = 'BSC'`, [
    ...values,
    head.hash,
  ]);
  await engine.database.pool.query(
    `update chain_coverage set height = $1, block_time = $2 where network = 'BSC'`,
    values,
  );
}

async function rewindsOf(): Promise<number> {
  const { rows } = await engine.database.pool.query<{ rewinds: number }>(
    `select rewinds::integer as rewinds from chains where network = 'BSC'`,
  );
  return rows[0]?.rewinds ?? 0;
}

/** Opens an invoice that was paid in time and missed by both reads. */
async function openMissed(): Promise<{ transId: string; hash: string }> {
  const transId = await newInvoice(engine, store);
  const hash = await pay(engine, await select(engine, transId));
  await mineNow(engine, 'BSC', 1 + LONG_AGO_BLOCKS);
  await passOver();
  await follow(engine, 'BSC');
  expect(await statusOf(engine, store, transId)).toBe('waiting');
  return { transId, hash };
}

/** Completes another invoice and takes its payment away: the network freezes. */
async function freeze(): Promise<SignedTransaction> {
  const transId = await newInvoice(engine, store);
  const quote = await select(engine, transId);
  const to = quote.toAddress as `0x${string}`;
  const signed = await signPayment(node(), { payer: 1, to, units: unitsOf(quote), token: TOKEN });
  await sendSigned(node(), signed);
  await settle(engine, 'BSC');
  expect(await statusOf(engine, store, transId)).toBe('completed');
  await reorg(node(), settlingBlocks(chainOf(engine, 'BSC').follower.source.network));
  await mineNow(engine, 'BSC');
  await follow(engine, 'BSC');
  expect(await standingOf(engine, 'BSC')).toMatchObject({ frozen: true });
  return signed;
}

async function goPast(transId: string): Promise<void> {
  engine.clock.advance(((await endOf(engine, transId)) + 60 - secondsNow(engine)) * 1000);
  await settle(engine, 'BSC');
  await expire(engine);
}

test('a payment of an expired invoice that a recheck finds while frozen completes it when an operator unfreezes', async () => {
  const { transId, hash } = await openMissed();
  await goPast(transId);
  expect(await statusOf(engine, store, transId)).toBe('expired');
  await freeze();
  expect(await recheck(transId)).toMatchObject([{ found: 1 }]);
  await decideAgain(engine);
  expect(await statusOf(engine, store, transId)).toBe('expired');
  await unfreeze();
  await decideAgain(engine);
  expect(await lookUp(engine, store, transId)).toMatchObject({ status: 'completed', transaction_hash: hash });
  expect(await alarmsOf(engine, transId)).toEqual(['found-late']);
  expect(await eventsOf(engine, transId)).toMatchObject([{ event: 'invoice.expired' }, { event: 'invoice.completed' }]);
  expect(await findLedgerFaults(engine.database.queries, 5)).toEqual([]);
});

test('a waiting invoice whose payment is found while frozen completes after the freeze, and not only at its end', async () => {
  const { transId, hash } = await openMissed();
  await freeze();
  await recheck(transId);
  expect(await statusOf(engine, store, transId)).toBe('processing');
  await unfreeze();
  await decideAgain(engine);
  expect(await lookUp(engine, store, transId)).toMatchObject({ status: 'completed', transaction_hash: hash });
  expect((await eventsOf(engine, transId))[0]).not.toHaveProperty('late');
});

test('a payment found while frozen is decided when the lost payment comes back by itself', async () => {
  const { transId } = await openMissed();
  const lost = await freeze();
  await recheck(transId);
  await sendSigned(node(), lost);
  await settle(engine, 'BSC');
  expect(await standingOf(engine, 'BSC')).toMatchObject({ frozen: false });
  await decideAgain(engine);
  expect(await statusOf(engine, store, transId)).toBe('completed');
});

test('payments that a freeze held back are decided when the chain is taken up again', async () => {
  const { transId } = await openMissed();
  await freeze();
  await recheck(transId);
  const { height } = await standingOf(engine, 'BSC');
  await engine.database.pool.query('delete from reverted_payments');
  await engine.database.pool.query(`update chains set hash = 'gone' where network = 'BSC'`);
  const before = await rewindsOf();
  await command(engine, 'chain rescan', { network: 'BSC', from: String(height), reason: 'the network was restarted' });
  expect(await standingOf(engine, 'BSC')).toMatchObject({ frozen: false });
  // A reader compares this count before it commits: what it read before is of another fork.
  expect(await rewindsOf()).toBeGreaterThan(before);
  await decideAgain(engine);
  expect(await statusOf(engine, store, transId)).toBe('completed');
});

test('a chain that is taken up again below the payment of a completed invoice is frozen until that is read again', async () => {
  const transId = await newInvoice(engine, store);
  const quote = await select(engine, transId);
  const { number: below } = await headerAt(node(), 'latest');
  await pay(engine, quote);
  await settle(engine, 'BSC');
  expect(await statusOf(engine, store, transId)).toBe('completed');
  await engine.database.pool.query(
    `update chains set hash = 'gone', frozen_at = now(), frozen_reason = 'a deep reorg' where network = 'BSC'`,
  );
  const range = { network: 'BSC', from: String(below), reason: 'the network was restarted' };
  expect(await command(engine, 'chain rescan', range)).toMatchObject({ reanchored: { undone: 1 } });
  expect(await standingOf(engine, 'BSC')).toMatchObject({ frozen: true });
  expect(await alarmsOf(engine, transId)).toEqual(['payment-reverted']);
  await settle(engine, 'BSC');
  expect(await standingOf(engine, 'BSC')).toMatchObject({ frozen: false });
  expect(await eventsOf(engine, transId)).toHaveLength(1);
});

test('a freeze in the commit that covers other payments holds those back, and only until it is over', async () => {
  const deep = await openEngineFixture(inject('template'), ['ETH']);
  shops.push(deep);
  const own = await openPayableStore(deep);
  await settle(deep, 'ETH');
  const paid = await newInvoice(deep, own);
  const gone = await pay(deep, await select(deep, paid, 'ETH'));
  await settle(deep, 'ETH');
  const other = await newInvoice(deep, own);
  const kept = await pay(deep, await select(deep, other, 'ETH'));
  await mineNow(deep, 'ETH', 6);
  await follow(deep, 'ETH');
  expect(await statusOf(deep, own, other)).toBe('processing');
  const { rows } = await deep.database.pool.query<{ id: bigint }>(
    `update transfers set canonical = tx_id <> $1 where tx_id = any($2) returning id`,
    [gone, [gone, kept]],
  );
  await deep.database.pool.query(`update chain_coverage set height = height + 50 where network = 'ETH'`);
  const apply = createApplyTransfers({ clock: deep.clock, networks: NETWORKS });
  const ids = rows.map(({ id }) => id);
  await inTransaction(deep.database, (tx) => apply(tx, 'ETH', ids));
  expect(await standingOf(deep, 'ETH')).toMatchObject({ frozen: true });
  expect(await statusOf(deep, own, other)).toBe('processing');
  await command(deep, 'chain unfreeze', { network: 'ETH', reason: 'the merchant bears it' });
  await decideAgain(deep);
  expect(await statusOf(deep, own, other)).toBe('completed');
});

function dieInCommit(name: string): void {
  if (name === 'pending:in-commit') throw new Error('killed');
}

test('what is due is worked off in batches, and a process that dies in one loses and repeats nothing', async () => {
  const missed: string[] = [];
  for (let count = 0; count < 3; count += 1) missed.push((await openMissed()).transId);
  await freeze();
  for (const transId of missed) await recheck(transId);
  await unfreeze();
  const statuses = () => Promise.all(missed.map((transId) => statusOf(engine, store, transId)));
  const { database, clock } = engine;
  expect(await createDecidePendingInvoices(database, clock, { round: 1 })()).toBe(1);
  expect(await statuses()).toEqual(['completed', 'processing', 'processing']);
  let commits = 0;
  const dieInSecond = (name: string) => {
    if (name === 'pending:in-commit' && (commits += 1) === 2) dieInCommit(name);
  };
  const dying = createDecidePendingInvoices(database, clock, { batch: 1, failpoint: dieInSecond });
  await expect(dying()).rejects.toThrow('killed');
  expect(await statuses()).toEqual(['completed', 'completed', 'processing']);
  await decideAgain(engine);
  expect(await statuses()).toEqual(['completed', 'completed', 'completed']);
  for (const transId of missed) expect(await eventsOf(engine, transId)).toHaveLength(1);
  expect(await createDecidePendingInvoices(database, clock)()).toBe(0);
});

test('a network that freezes again while an expired invoice is decided still decides it later', async () => {
  const { transId } = await openMissed();
  await goPast(transId);
  expect(await statusOf(engine, store, transId)).toBe('expired');
  await freeze();
  await recheck(transId);
  await unfreeze();
  const failpoint = async (name: string) => {
    if (name === 'pending:found')
      await engine.database.pool.query(`update chains set frozen_at = now() where network = 'BSC'`);
  };
  await createDecidePendingInvoices(engine.as('worker'), engine.clock, { failpoint })();
  expect(await statusOf(engine, store, transId)).toBe('expired');
  await unfreeze();
  await decideAgain(engine);
  expect(await statusOf(engine, store, transId)).toBe('completed');
  expect((await engine.database.pool.query('select from expired_pending')).rowCount).toBe(0);
});
