import { afterAll, beforeEach, expect, test } from 'vitest';
import { inTransaction } from '../../src/db/transaction.ts';
import { createApplyTransfers } from '../../src/invoices/apply-transfers.ts';
import { createDecidePendingInvoices } from '../../src/invoices/decide-pending-invoices.ts';
import { findLedgerFaults } from '../../src/ledger/ledger-sql.ts';
import { headerAt, reorg } from '../chain/reorg.ts';
import type { SignedTransaction } from '../chain/signed.ts';
import { sendSigned, signPayment } from '../chain/signed.ts';
import { canonicalToken } from '../chain/token.ts';
import type { TestStore } from '../harness.ts';
import type { Shop } from './shop.ts';
import {
  alarmsOf,
  chainOf,
  command,
  decideAgain,
  endOf,
  eventsOf,
  expire,
  follow,
  lookUp,
  mineNow,
  newInvoice,
  openPayableStore,
  openShop,
  pay,
  secondsNow,
  select,
  settle,
  settlingBlocks,
  standingOf,
  statusOf,
  unitsOf,
} from './shop.ts';

/** What is found while a network is frozen is not forgotten: it is decided when the network thaws, however that comes. */

const shops: Shop[] = [];
let shop: Shop;
let store: TestStore;
beforeEach(async () => {
  shop = await openShop(['BSC']);
  shops.push(shop);
  store = await openPayableStore(shop, { lifetimeMinutes: 600 });
  await settle(shop, 'BSC');
});
afterAll(() => Promise.all(shops.map((one) => one.close())));

const LONG_AGO_BLOCKS = 30;
const TOKEN = canonicalToken(56, 'USDT').address;
const node = () => chainOf(shop, 'BSC').anvil;
const recheck = (transId: string) => command(shop, 'invoice recheck', { 'trans-id': transId });
const unfreeze = () => command(shop, 'chain unfreeze', { network: 'BSC', reason: 'the merchant bears it' });

/** The cursor and coverage go to the final block as if everything up to it had been read. */
async function passOver(): Promise<void> {
  const head = await headerAt(node(), 'finalized');
  const values = [head.number, new Date(head.timestamp * 1000)];
  await shop.database.pool.query(`update chains set height = $1, block_time = $2, hash = $3 where network = 'BSC'`, [
    ...values,
    head.hash,
  ]);
  await shop.database.pool.query(
    `update chain_coverage set height = $1, block_time = $2 where network = 'BSC'`,
    values,
  );
}

/** Paid in time, and passed over by both reads. */
async function openMissed(): Promise<{ transId: string; hash: string }> {
  const transId = await newInvoice(shop, store);
  const hash = await pay(shop, await select(shop, transId));
  await mineNow(shop, 'BSC', 1 + LONG_AGO_BLOCKS);
  await passOver();
  await follow(shop, 'BSC');
  expect(await statusOf(shop, store, transId)).toBe('waiting');
  return { transId, hash };
}

/** Another invoice is completed and loses its payment: the network freezes. */
async function freeze(): Promise<SignedTransaction> {
  const transId = await newInvoice(shop, store);
  const quote = await select(shop, transId);
  const to = quote.toAddress as `0x${string}`;
  const signed = await signPayment(node(), { payer: 1, to, units: unitsOf(quote), token: TOKEN });
  await sendSigned(node(), signed);
  await settle(shop, 'BSC');
  expect(await statusOf(shop, store, transId)).toBe('completed');
  await reorg(node(), settlingBlocks(chainOf(shop, 'BSC').follower.source.network));
  await mineNow(shop, 'BSC');
  await follow(shop, 'BSC');
  expect(await standingOf(shop, 'BSC')).toMatchObject({ frozen: true });
  return signed;
}

async function goPast(transId: string): Promise<void> {
  shop.clock.advance(((await endOf(shop, transId)) + 60 - secondsNow(shop)) * 1000);
  await settle(shop, 'BSC');
  await expire(shop);
}

test('a payment of an expired invoice that a recheck finds while frozen completes it when an operator unfreezes', async () => {
  const { transId, hash } = await openMissed();
  await goPast(transId);
  expect(await statusOf(shop, store, transId)).toBe('expired');
  await freeze();
  expect(await recheck(transId)).toMatchObject([{ found: 1 }]);
  await decideAgain(shop);
  expect(await statusOf(shop, store, transId)).toBe('expired');
  await unfreeze();
  await decideAgain(shop);
  expect(await lookUp(shop, store, transId)).toMatchObject({ status: 'completed', transaction_hash: hash });
  expect(await alarmsOf(shop, transId)).toEqual(['found-late']);
  expect(await eventsOf(shop, transId)).toMatchObject([{ event: 'invoice.expired' }, { event: 'invoice.completed' }]);
  expect(await findLedgerFaults(shop.database.queries, 5)).toEqual([]);
});

test('a waiting invoice whose payment is found while frozen completes, and not at its end only', async () => {
  const { transId, hash } = await openMissed();
  await freeze();
  await recheck(transId);
  expect(await statusOf(shop, store, transId)).toBe('processing');
  await unfreeze();
  await decideAgain(shop);
  expect(await lookUp(shop, store, transId)).toMatchObject({ status: 'completed', transaction_hash: hash });
  expect((await eventsOf(shop, transId))[0]).not.toHaveProperty('late');
});

test('what was found while frozen is decided when the lost payment comes back by itself', async () => {
  const { transId } = await openMissed();
  const lost = await freeze();
  await recheck(transId);
  await sendSigned(node(), lost);
  await settle(shop, 'BSC');
  expect(await standingOf(shop, 'BSC')).toMatchObject({ frozen: false });
  await decideAgain(shop);
  expect(await statusOf(shop, store, transId)).toBe('completed');
});

test('a chain that is taken up again decides what its freeze held back', async () => {
  const { transId } = await openMissed();
  await freeze();
  await recheck(transId);
  const { height } = await standingOf(shop, 'BSC');
  await shop.database.pool.query('delete from reverted_payments');
  await shop.database.pool.query(`update chains set hash = 'gone' where network = 'BSC'`);
  await command(shop, 'chain rescan', { network: 'BSC', from: String(height), reason: 'the network was restarted' });
  expect(await standingOf(shop, 'BSC')).toMatchObject({ frozen: false });
  await decideAgain(shop);
  expect(await statusOf(shop, store, transId)).toBe('completed');
});

test('a freeze in the commit that covers other payments holds those back, and only until it is over', async () => {
  const deep = await openShop(['ETH']);
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
  const apply = createApplyTransfers(deep.clock);
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
  const statuses = () => Promise.all(missed.map((transId) => statusOf(shop, store, transId)));
  const { database, clock } = shop;
  expect(await createDecidePendingInvoices(database, clock, { round: 1 })()).toBe(1);
  expect(await statuses()).toEqual(['completed', 'processing', 'processing']);
  let commits = 0;
  const dieInSecond = (name: string) => {
    if (name === 'pending:in-commit' && (commits += 1) === 2) dieInCommit(name);
  };
  const dying = createDecidePendingInvoices(database, clock, { batch: 1, failpoint: dieInSecond });
  await expect(dying()).rejects.toThrow('killed');
  expect(await statuses()).toEqual(['completed', 'completed', 'processing']);
  await decideAgain(shop);
  expect(await statuses()).toEqual(['completed', 'completed', 'completed']);
  for (const transId of missed) expect(await eventsOf(shop, transId)).toHaveLength(1);
  expect(await createDecidePendingInvoices(database, clock)()).toBe(0);
});

test('a network that freezes again while an expired invoice is decided keeps it in mind', async () => {
  const { transId } = await openMissed();
  await goPast(transId);
  expect(await statusOf(shop, store, transId)).toBe('expired');
  await freeze();
  await recheck(transId);
  await unfreeze();
  const failpoint = async (name: string) => {
    if (name === 'pending:found')
      await shop.database.pool.query(`update chains set frozen_at = now() where network = 'BSC'`);
  };
  await createDecidePendingInvoices(shop.as('worker'), shop.clock, { failpoint })();
  expect(await statusOf(shop, store, transId)).toBe('expired');
  await unfreeze();
  await decideAgain(shop);
  expect(await statusOf(shop, store, transId)).toBe('completed');
  expect((await shop.database.pool.query('select from expired_pending')).rowCount).toBe(0);
});
