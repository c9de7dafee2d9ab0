import type { Address } from 'viem';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { findLedgerFaults } from '../../src/ledger/ledger-sql.ts';
import { reorg } from '../../rig/chains/evm/reorg.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { markAsRead } from '../../rig/chains/mark-as-read.ts';
import type { EngineFixture } from '../../rig/invoices/engine-fixture.ts';
import {
  alarmsOf,
  auditOf,
  endOf,
  eventsOf,
  lookUp,
  standingOf,
  statusOf,
  transfersOf,
} from '../../rig/invoices/look-up.ts';
import { chainOf, openPayableStore, openEngineFixture, secondsNow } from '../../rig/invoices/engine-fixture.ts';
import { command } from '../../rig/invoices/run-command.ts';
import { expire, follow, mineAt, mineNow, settle } from '../../rig/invoices/follow-network.ts';
import { newInvoice, pay, select, unitsOf } from '../../rig/invoices/pay-invoice.ts';

/** A person attaches a transfer to an invoice: only the merchant's own money, and only once. */

let engine: EngineFixture;
beforeAll(async () => {
  engine = await openEngineFixture(inject('template'), ['BSC', 'ETH']);
  await follow(engine, 'BSC');
  await follow(engine, 'ETH');
});
afterAll(() => engine.close());

const ONE_COIN = 10n ** 18n;

type Open = { store: TestStore; transId: string; quote: Awaited<ReturnType<typeof select>>; to: Address };

async function openQuote(store?: TestStore, network = 'BSC'): Promise<Open> {
  const own = store ?? (await openPayableStore(engine));
  const transId = await newInvoice(engine, own);
  const quote = await select(engine, transId, network);
  return { store: own, transId, quote, to: quote.toAddress as Address };
}

function attach(transId: string, tx: string, index = 'USDT:0', network = 'BSC'): Promise<unknown> {
  return command(engine, 'inbox attach', { invoice: transId, network, tx, index });
}

describe('an attached transfer', () => {
  test('completes at the depth that any payment needs, once, audited', async () => {
    const { store, transId, quote } = await openQuote(undefined, 'ETH');
    const hash = await pay(engine, quote, unitsOf(quote) - 1n);
    await mineNow(engine, 'ETH', 6);
    await follow(engine, 'ETH');
    expect(await transfersOf(engine, hash)).toMatchObject([{ reason: 'short' }]);
    await attach(transId, hash, 'USDT:0', 'ETH');
    expect(await statusOf(engine, store, transId)).toBe('processing');
    await settle(engine, 'ETH');
    expect(await lookUp(engine, store, transId)).toMatchObject({ status: 'completed', transaction_hash: hash });
    expect(await eventsOf(engine, transId)).toHaveLength(1);
    expect((await eventsOf(engine, transId))[0]).not.toHaveProperty('late');
    expect(await auditOf(engine, `invoice:${transId}`)).toContain('transfer.attach');
  });

  test('that is late completes its expired invoice at once, late and without an alarm', async () => {
    const { store, transId, quote } = await openQuote();
    const end = await endOf(engine, transId);
    const hash = await pay(engine, quote);
    await mineAt(engine, 'BSC', end + 60);
    engine.clock.advance(1_000);
    await settle(engine, 'BSC');
    await expire(engine);
    expect(await transfersOf(engine, hash)).toMatchObject([{ reason: 'late', trans_id: transId }]);
    await attach(transId, hash);
    expect(await statusOf(engine, store, transId)).toBe('completed');
    expect(await eventsOf(engine, transId)).toMatchObject([
      { event: 'invoice.expired' },
      { event: 'invoice.completed', late: true },
    ]);
    expect(await alarmsOf(engine, transId)).toEqual([]);
  });

  test('of a doubly paid invoice pays another invoice of the merchant', async () => {
    const { store, transId, quote } = await openQuote();
    await pay(engine, quote);
    await mineNow(engine, 'BSC');
    const again = await pay(engine, quote);
    await settle(engine, 'BSC');
    expect(await transfersOf(engine, again)).toMatchObject([{ reason: 'already_paid', trans_id: transId }]);
    const other = await openQuote(store);
    await attach(other.transId, again);
    expect(await lookUp(engine, store, other.transId)).toMatchObject({ status: 'completed', transaction_hash: again });
  });
});

describe('what cannot be attached', () => {
  test("another merchant's money", async () => {
    const mine = await openQuote();
    const theirs = await openQuote();
    const hash = await pay(engine, theirs.quote, ONE_COIN);
    await settle(engine, 'BSC');
    await expect(attach(mine.transId, hash)).rejects.toThrow("was this merchant's at the time");
    expect(await transfersOf(engine, hash)).toMatchObject([{ reason: 'short', trans_id: null }]);
  });

  test('money that arrived before the wallet was added', async () => {
    await settle(engine, 'BSC');
    engine.clock.advance(600_000);
    await markAsRead(engine.database.pool, engine.clock);
    const { transId, quote } = await openQuote();
    const hash = await pay(engine, quote, ONE_COIN);
    await mineAt(engine, 'BSC', secondsNow(engine) - 1);
    await settle(engine, 'BSC');
    await expect(attach(transId, hash)).rejects.toThrow("was this merchant's at the time");
  });

  test('a transfer that pays an invoice, or is about to', async () => {
    const { store, transId, quote } = await openQuote(undefined, 'ETH');
    const other = await openQuote(store, 'ETH');
    const hash = await pay(engine, quote);
    await mineNow(engine, 'ETH', 6);
    await follow(engine, 'ETH');
    expect(await statusOf(engine, store, transId)).toBe('processing');
    await expect(attach(other.transId, hash, 'USDT:0', 'ETH')).rejects.toThrow('already pays an invoice');
    await settle(engine, 'ETH');
    await expect(attach(other.transId, hash, 'USDT:0', 'ETH')).rejects.toThrow('already pays an invoice');
    expect(await statusOf(engine, store, transId)).toBe('completed');
    expect(await statusOf(engine, store, other.transId)).toBe('waiting');
  });

  test('anything to an invoice that is paid', async () => {
    const { transId, quote } = await openQuote();
    await pay(engine, quote);
    const more = await pay(engine, quote, ONE_COIN);
    await settle(engine, 'BSC');
    await expect(attach(transId, more)).rejects.toThrow('already paid');
    expect(await transfersOf(engine, more)).toMatchObject([{ reason: 'short', trans_id: null }]);
  });

  test('what is not there, and what is no longer in the chain', async () => {
    const { transId, quote } = await openQuote();
    const hash = await pay(engine, quote, ONE_COIN);
    await mineNow(engine, 'BSC', 6);
    await follow(engine, 'BSC');
    await expect(attach('TID-0000000000000000', hash)).rejects.toThrow('no such invoice');
    await expect(attach(transId, hash, 'USDT:7')).rejects.toThrow('no such transfer');
    await reorg(chainOf(engine, 'BSC').anvil, 6);
    await settle(engine, 'BSC');
    await expect(attach(transId, hash)).rejects.toThrow('no longer in the chain');
  });

  test('anything on a frozen network, where nothing would settle it', async () => {
    const { store, transId, quote } = await openQuote();
    const other = await openQuote(store);
    const hash = await pay(engine, other.quote, ONE_COIN);
    await settle(engine, 'BSC');
    await pay(engine, quote);
    await settle(engine, 'BSC');
    await reorg(chainOf(engine, 'BSC').anvil, 30);
    await settle(engine, 'BSC');
    expect((await standingOf(engine, 'BSC')).frozen).toBe(true);
    await expect(attach(other.transId, hash)).rejects.toThrow('frozen');
    await command(engine, 'chain unfreeze', { network: 'BSC', reason: 'test' });
    await settle(engine, 'BSC');
    await attach(other.transId, hash);
    expect(await statusOf(engine, store, other.transId)).toBe('completed');
    expect(await statusOf(engine, store, transId)).toBe('completed');
  });
});

test('balances recomputed from the entries alone agree', async () => {
  expect(await findLedgerFaults(engine.database.queries, 10)).toEqual([]);
});
