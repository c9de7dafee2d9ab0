import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findLedgerFaults } from '../../src/ledger/ledger-sql.ts';
import type { TestStore } from '../harness.ts';
import { endOf, eventsOf, expire, factsOf, lookUp, newInvoice, statusOf, transfersOf, unitsOf } from './shop.ts';
import type { SolanaShop } from './solana-shop.ts';
import {
  accountOf,
  createReader,
  follow,
  goPast,
  openQuote,
  openSolanaShop,
  openSolanaStore,
  pay,
  produceAt,
  produceNow,
  select,
  settle,
} from './solana-shop.ts';

/** The life of an invoice on a network that is read account by account. */

let shop: SolanaShop;
let store: TestStore & { wallet: string };
beforeAll(async () => {
  shop = await openSolanaShop();
  store = await openSolanaStore(shop);
});
afterAll(() => shop.close());

const status = (transId: string) => statusOf(shop, store, transId);
const DOUBT_MS = 11_000;

describe('an invoice', () => {
  test.each(['USDT', 'USDC', 'SOL'])('that is paid with %s is seen, then completed, with one event', async (token) => {
    const { transId, quote } = await openQuote(shop, store, token);
    const hash = await pay(shop, quote);
    produceNow(shop, 2);
    await follow(shop);
    expect(await status(transId)).toBe('processing');
    expect(await eventsOf(shop, transId)).toEqual([]);
    await settle(shop);
    expect(await lookUp(shop, store, transId)).toMatchObject({
      status: 'completed',
      transaction_hash: hash,
      token_symbol: token,
      network_symbol: 'SOL',
      fee_amount: '0.25',
    });
    expect(await eventsOf(shop, transId)).toMatchObject([{ event: 'invoice.completed', sequence: 1 }]);
    expect(shop.follower.counts.disagreements).toBe(0);
  });

  test('that nobody pays expires once its account is covered past its end, and not before', async () => {
    const { transId } = await openQuote(shop, store);
    const end = await endOf(shop, transId);
    await goPast(shop, transId);
    await expire(shop);
    expect(await status(transId)).toBe('waiting');
    produceAt(shop, end);
    shop.node.produce(shop.node.ledger.finalityLag, { atTime: end });
    await follow(shop);
    await expire(shop);
    expect(await status(transId)).toBe('waiting');
    await settle(shop);
    await expire(shop);
    expect(await status(transId)).toBe('expired');
  });

  test('that is paid in the very last second completes; a second later the money is kept as late', async () => {
    const inTime = await openQuote(shop, store);
    const late = await openQuote(shop, store);
    const end = await endOf(shop, late.transId);
    const paid = await pay(shop, inTime.quote);
    produceAt(shop, await endOf(shop, inTime.transId));
    const lost = await pay(shop, late.quote);
    produceAt(shop, end + 1);
    await settle(shop);
    await expire(shop);
    expect(await lookUp(shop, store, inTime.transId)).toMatchObject({ status: 'completed', transaction_hash: paid });
    expect(await status(late.transId)).toBe('expired');
    expect(await transfersOf(shop, lost)).toMatchObject([{ reason: 'late', canonical: true }]);
  });

  test.each([
    ['short', -1n, 'USDT'],
    ['over', 1n, 'USDT'],
    ['wrong_token', 0n, 'USDC'],
  ])('that is paid %s keeps waiting, and the money is kept with that reason', async (reason, differing, token) => {
    const own = await openSolanaStore(shop);
    const { transId, quote } = await openQuote(shop, own);
    const hash = await pay(shop, quote, { units: unitsOf(quote) + differing, token });
    await settle(shop);
    expect(await statusOf(shop, own, transId)).toBe('waiting');
    expect(await transfersOf(shop, hash)).toMatchObject([{ reason, trans_id: null }]);
  });

  test('that is quoted at a wallet added, selected and paid within one slot is completed', async () => {
    const own = await openSolanaStore(shop);
    const { transId, quote } = await openQuote(shop, own);
    await pay(shop, quote);
    produceNow(shop);
    await settle(shop);
    expect(await statusOf(shop, own, transId)).toBe('completed');
  });

  test('whose account a reader first sees long after the payment is completed all the same', async () => {
    const own = await openSolanaStore(shop);
    const { transId, quote } = await openQuote(shop, own);
    await pay(shop, quote);
    produceNow(shop, 200);
    shop.clock.advance(20 * 60_000);
    produceNow(shop, 200);
    await expire(shop);
    await settle(shop);
    expect(await statusOf(shop, own, transId)).toBe('completed');
  });
});

describe('a fork', () => {
  test('that drops a confirmed payment takes it back, after a while of doubt; the invoice waits and expires', async () => {
    const own = await openSolanaStore(shop);
    const { transId, quote } = await openQuote(shop, own);
    const hash = await pay(shop, quote);
    produceNow(shop, 2);
    await follow(shop);
    expect(await statusOf(shop, own, transId)).toBe('processing');
    const { covered } = await accountOf(shop, quote.toAddress);
    shop.node.drop(2, 'vanish');
    await settle(shop);
    expect(await statusOf(shop, own, transId)).toBe('processing');
    expect(await accountOf(shop, quote.toAddress)).toMatchObject({ covered, doubted: true });
    shop.clock.advance(DOUBT_MS);
    await settle(shop);
    expect(await statusOf(shop, own, transId)).toBe('waiting');
    expect(await transfersOf(shop, hash)).toMatchObject([{ canonical: false }]);
    expect(await accountOf(shop, quote.toAddress)).toMatchObject({ doubted: false, failures: 0 });
    await goPast(shop, transId);
    await settle(shop);
    await expire(shop);
    expect(await statusOf(shop, own, transId)).toBe('expired');
    expect(await eventsOf(shop, transId)).toMatchObject([{ event: 'invoice.expired', sequence: 1 }]);
  });

  test('that puts it into another slot moves it, and it completes once', async () => {
    const own = await openSolanaStore(shop);
    const { transId, quote } = await openQuote(shop, own);
    const hash = await pay(shop, quote);
    produceNow(shop, 3);
    await follow(shop);
    const [before] = await transfersOf(shop, hash);
    shop.node.drop(3, 'reinclude');
    produceNow(shop, 2);
    await settle(shop);
    const [after] = await transfersOf(shop, hash);
    expect(after?.height).not.toBe(before?.height);
    expect(await statusOf(shop, own, transId)).toBe('completed');
    expect(await eventsOf(shop, transId)).toHaveLength(1);
  });
});

describe('a node', () => {
  test('that is down across the end expires nobody who paid in time, and nobody before it is back', async () => {
    const own = await openSolanaStore(shop);
    const paid = [];
    const unpaid = [];
    for (let count = 0; count < 5; count += 1) {
      paid.push(await openQuote(shop, own));
      unpaid.push(await openQuote(shop, own));
    }
    shop.node.behave({ fault: 'html' });
    for (const { quote } of paid) {
      await pay(shop, quote);
      produceNow(shop);
    }
    await goPast(shop, unpaid.at(-1)?.transId ?? '');
    await settle(shop);
    await expire(shop);
    for (const { transId } of [...paid, ...unpaid]) expect(await statusOf(shop, own, transId)).toBe('waiting');
    shop.node.behave({ fault: null });
    await settle(shop);
    await expire(shop);
    for (const { transId } of paid) expect(await statusOf(shop, own, transId)).toBe('completed');
    for (const { transId } of unpaid) expect(await statusOf(shop, own, transId)).toBe('expired');
    for (const { transId } of paid) expect(await factsOf(shop, transId)).toMatchObject({ late: false });
  });

  test('whose backends lag, split batches and index late loses nothing and takes nothing back', async () => {
    const own = await openSolanaStore(shop);
    const open = [];
    for (let count = 0; count < 20; count += 1) open.push(await openQuote(shop, own));
    const { rewinds } = shop.follower.counts;
    shop.node.behave({ lagSlots: 6, staleShare: 0.4, splitBatches: true, indexLagSlots: 3 });
    for (const { quote } of open) {
      await pay(shop, quote);
      produceNow(shop);
      await follow(shop);
    }
    for (let round = 0; round < 20; round += 1) await settle(shop);
    shop.node.behave({ lagSlots: 0, staleShare: 1, splitBatches: false, indexLagSlots: 0 });
    shop.clock.advance(DOUBT_MS);
    await settle(shop);
    for (const { transId } of open) expect(await statusOf(shop, own, transId)).toBe('completed');
    expect(shop.follower.counts.rewinds).toBe(rewinds);
  });
});

describe('an account', () => {
  test('rests when its last amount is free, keeps its cursor, and starts again with the next selection', async () => {
    const own = await openSolanaStore(shop);
    const first = await openQuote(shop, own);
    await settle(shop);
    expect(await accountOf(shop, own.wallet)).toMatchObject({ state: 'following' });
    await goPast(shop, first.transId);
    await settle(shop);
    await expire(shop);
    await settle(shop);
    expect(await accountOf(shop, own.wallet)).toMatchObject({ state: 'following' });
    shop.clock.advance(25 * 3_600_000);
    await settle(shop);
    const idle = await accountOf(shop, own.wallet);
    expect(idle).toMatchObject({ state: 'idle' });
    produceNow(shop, 50);
    await follow(shop);
    expect(await accountOf(shop, own.wallet)).toEqual(idle);

    shop.clock.advance(3_600_000);
    produceNow(shop, 2_000);
    const second = await openQuote(shop, own);
    await pay(shop, second.quote);
    await settle(shop);
    expect(await statusOf(shop, own, second.transId)).toBe('completed');
    expect((await accountOf(shop, own.wallet)).covered).toBeGreaterThan(idle.covered);
  });

  test('is read by two workers at once and nothing is recorded, settled or told twice', async () => {
    const stores = await Promise.all(Array.from({ length: 4 }, () => openSolanaStore(shop)));
    const open: { transId: string; own: TestStore; hash: string }[] = [];
    for (const own of stores) {
      for (let count = 0; count < 3; count += 1) {
        const { transId, quote } = await openQuote(shop, own);
        open.push({ transId, own, hash: await pay(shop, quote) });
      }
    }
    produceNow(shop, 2);
    const workers = [shop.follower, createReader(shop), createReader(shop)];
    await Promise.all(workers.map((worker) => follow(shop, worker)));
    await settle(shop, workers[1]);
    await Promise.all(workers.map((worker) => follow(shop, worker)));
    for (const { transId, own, hash } of open) {
      expect(await statusOf(shop, own, transId)).toBe('completed');
      expect(await eventsOf(shop, transId)).toHaveLength(1);
      expect(await transfersOf(shop, hash)).toHaveLength(1);
    }
  });
});

test('late money within the grace of a store completes while the account only rests', async () => {
  const own = await openSolanaStore(shop);
  await shop.database.pool.query('update stores set grace_minutes = 60 where id = $1', [own.id]);
  const transId = await newInvoice(shop, own);
  const quote = await select(shop, transId);
  await goPast(shop, transId);
  await settle(shop);
  await expire(shop);
  expect(await statusOf(shop, own, transId)).toBe('expired');
  await pay(shop, quote);
  await settle(shop);
  expect(await statusOf(shop, own, transId)).toBe('completed');
  expect(await factsOf(shop, transId)).toMatchObject({ late: true });
});

test('balances recomputed from the entries alone agree', async () => {
  expect(await findLedgerFaults(shop.database.queries, 10)).toEqual([]);
});
