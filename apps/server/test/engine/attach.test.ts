import type { Address } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findLedgerFaults } from '../../src/ledger/ledger-sql.ts';
import { reorg } from '../chain/reorg.ts';
import type { TestStore } from '../harness.ts';
import type { Shop } from './shop.ts';
import {
  alarmsOf,
  auditOf,
  chainOf,
  command,
  endOf,
  eventsOf,
  expire,
  follow,
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
  standingOf,
  statusOf,
  transfersOf,
  unitsOf,
} from './shop.ts';

/** A person decides that a transfer pays an invoice: only the merchant's own money, and only once. */

let shop: Shop;
beforeAll(async () => {
  shop = await openShop(['BSC', 'ETH']);
  await follow(shop, 'BSC');
  await follow(shop, 'ETH');
});
afterAll(() => shop.close());

const ONE_COIN = 10n ** 18n;

type Open = { store: TestStore; transId: string; quote: Awaited<ReturnType<typeof select>>; to: Address };

async function openQuote(store?: TestStore, network = 'BSC'): Promise<Open> {
  const own = store ?? (await openPayableStore(shop));
  const transId = await newInvoice(shop, own);
  const quote = await select(shop, transId, network);
  return { store: own, transId, quote, to: quote.toAddress as Address };
}

function attach(transId: string, tx: string, index = 'USDT:0', network = 'BSC'): Promise<unknown> {
  return command(shop, 'inbox attach', { invoice: transId, network, tx, index });
}

describe('an attached transfer', () => {
  test('completes at the depth that any payment needs, once, audited', async () => {
    const { store, transId, quote } = await openQuote(undefined, 'ETH');
    const hash = await pay(shop, quote, unitsOf(quote) - 1n);
    await mineNow(shop, 'ETH', 6);
    await follow(shop, 'ETH');
    expect(await transfersOf(shop, hash)).toMatchObject([{ reason: 'short' }]);
    await attach(transId, hash, 'USDT:0', 'ETH');
    expect(await statusOf(shop, store, transId)).toBe('processing');
    await settle(shop, 'ETH');
    expect(await lookUp(shop, store, transId)).toMatchObject({ status: 'completed', transaction_hash: hash });
    expect(await eventsOf(shop, transId)).toHaveLength(1);
    expect((await eventsOf(shop, transId))[0]).not.toHaveProperty('late');
    expect(await auditOf(shop, `store:${store.id}`)).toContain('transfer.attach');
  });

  test('that is late completes its expired invoice at once, late and without an alarm', async () => {
    const { store, transId, quote } = await openQuote();
    const end = await endOf(shop, transId);
    const hash = await pay(shop, quote);
    await mineAt(shop, 'BSC', end + 60);
    shop.clock.advance(1_000);
    await settle(shop, 'BSC');
    await expire(shop);
    expect(await transfersOf(shop, hash)).toMatchObject([{ reason: 'late', trans_id: transId }]);
    await attach(transId, hash);
    expect(await statusOf(shop, store, transId)).toBe('completed');
    expect(await eventsOf(shop, transId)).toMatchObject([
      { event: 'invoice.expired' },
      { event: 'invoice.completed', late: true },
    ]);
    expect(await alarmsOf(shop, transId)).toEqual([]);
  });

  test('of a doubly paid invoice pays another invoice of the merchant', async () => {
    const { store, transId, quote } = await openQuote();
    await pay(shop, quote);
    await mineNow(shop, 'BSC');
    const again = await pay(shop, quote);
    await settle(shop, 'BSC');
    expect(await transfersOf(shop, again)).toMatchObject([{ reason: 'already_paid', trans_id: transId }]);
    const other = await openQuote(store);
    await attach(other.transId, again);
    expect(await lookUp(shop, store, other.transId)).toMatchObject({ status: 'completed', transaction_hash: again });
  });
});

describe('what cannot be attached', () => {
  test("another merchant's money", async () => {
    const mine = await openQuote();
    const theirs = await openQuote();
    const hash = await pay(shop, theirs.quote, ONE_COIN);
    await settle(shop, 'BSC');
    await expect(attach(mine.transId, hash)).rejects.toThrow("was this merchant's at the time");
    expect(await transfersOf(shop, hash)).toMatchObject([{ reason: 'short', trans_id: null }]);
  });

  test('money that arrived before the wallet was added', async () => {
    await settle(shop, 'BSC');
    shop.clock.advance(600_000);
    const { transId, quote } = await openQuote();
    const hash = await pay(shop, quote, ONE_COIN);
    await mineAt(shop, 'BSC', secondsNow(shop) - 1);
    await settle(shop, 'BSC');
    await expect(attach(transId, hash)).rejects.toThrow("was this merchant's at the time");
  });

  test('a transfer that pays an invoice, or is about to', async () => {
    const { store, transId, quote } = await openQuote(undefined, 'ETH');
    const other = await openQuote(store, 'ETH');
    const hash = await pay(shop, quote);
    await mineNow(shop, 'ETH', 6);
    await follow(shop, 'ETH');
    expect(await statusOf(shop, store, transId)).toBe('processing');
    await expect(attach(other.transId, hash, 'USDT:0', 'ETH')).rejects.toThrow('pays an invoice already');
    await settle(shop, 'ETH');
    await expect(attach(other.transId, hash, 'USDT:0', 'ETH')).rejects.toThrow('pays an invoice already');
    expect(await statusOf(shop, store, transId)).toBe('completed');
    expect(await statusOf(shop, store, other.transId)).toBe('waiting');
  });

  test('anything to an invoice that is paid', async () => {
    const { transId, quote } = await openQuote();
    await pay(shop, quote);
    const more = await pay(shop, quote, ONE_COIN);
    await settle(shop, 'BSC');
    await expect(attach(transId, more)).rejects.toThrow('paid already');
    expect(await transfersOf(shop, more)).toMatchObject([{ reason: 'short', trans_id: null }]);
  });

  test('what is not there, and what is no longer in the chain', async () => {
    const { transId, quote } = await openQuote();
    const hash = await pay(shop, quote, ONE_COIN);
    await mineNow(shop, 'BSC', 6);
    await follow(shop, 'BSC');
    await expect(attach('TID-0000000000000000', hash)).rejects.toThrow('no such invoice');
    await expect(attach(transId, hash, 'USDT:7')).rejects.toThrow('no such transfer');
    await reorg(chainOf(shop, 'BSC').anvil, 6);
    await settle(shop, 'BSC');
    await expect(attach(transId, hash)).rejects.toThrow('no longer in the chain');
  });

  test('anything on a frozen network, where nothing would settle it', async () => {
    const { store, transId, quote } = await openQuote();
    const other = await openQuote(store);
    const hash = await pay(shop, other.quote, ONE_COIN);
    await settle(shop, 'BSC');
    await pay(shop, quote);
    await settle(shop, 'BSC');
    await reorg(chainOf(shop, 'BSC').anvil, 30);
    await settle(shop, 'BSC');
    expect((await standingOf(shop, 'BSC')).frozen).toBe(true);
    await expect(attach(other.transId, hash)).rejects.toThrow('frozen');
    await command(shop, 'chain unfreeze', { network: 'BSC', reason: 'test' });
    await settle(shop, 'BSC');
    await attach(other.transId, hash);
    expect(await statusOf(shop, store, other.transId)).toBe('completed');
    expect(await statusOf(shop, store, transId)).toBe('completed');
  });
});

test('balances recomputed from the entries alone agree', async () => {
  expect(await findLedgerFaults(shop.database.queries, 10)).toEqual([]);
});
