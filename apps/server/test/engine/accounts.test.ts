import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { findLedgerFaults } from '../../src/ledger/ledger-sql.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { endOf, eventsOf, factsOf, lookUp, statusOf, transfersOf } from '../../rig/invoices/look-up.ts';
import { expire } from '../../rig/invoices/follow-network.ts';
import { newInvoice, unitsOf } from '../../rig/invoices/pay-invoice.ts';
import type { SolanaFixture } from '../../rig/invoices/solana-fixture.ts';
import {
  accountOf,
  createReader,
  follow,
  goPast,
  makeRetriesDue,
  openQuote,
  openSolanaFixture,
  openSolanaStore,
  pay,
  produceAt,
  produceNow,
  select,
  settle,
} from '../../rig/invoices/solana-fixture.ts';

/** The life of an invoice on a network that is read account by account. */

let engine: SolanaFixture;
let store: TestStore & { wallet: string };
beforeAll(async () => {
  engine = await openSolanaFixture(inject('template'));
  store = await openSolanaStore(engine);
});
afterAll(() => engine.close());

const status = (transId: string) => statusOf(engine, store, transId);
const DOUBT_MS = 11_000;

describe('an invoice', () => {
  test.each(['USDT', 'USDC', 'SOL'])('that is paid with %s is seen, then completed, with one event', async (token) => {
    const { transId, quote } = await openQuote(engine, store, token);
    const hash = await pay(engine, quote);
    produceNow(engine, 2);
    await follow(engine);
    expect(await status(transId)).toBe('processing');
    expect(await eventsOf(engine, transId)).toEqual([]);
    await settle(engine);
    expect(await lookUp(engine, store, transId)).toMatchObject({
      status: 'completed',
      transaction_hash: hash,
      token_symbol: token,
      network_symbol: 'SOL',
      fee_amount: '0.25',
    });
    expect(await eventsOf(engine, transId)).toMatchObject([{ event: 'invoice.completed', sequence: 1 }]);
    expect(engine.follower.counts.disagreements).toBe(0);
  });

  test('that nobody pays expires once its account is covered past its end, and not before', async () => {
    const { transId } = await openQuote(engine, store);
    const end = await endOf(engine, transId);
    await goPast(engine, transId);
    await expire(engine);
    expect(await status(transId)).toBe('waiting');
    produceAt(engine, end);
    engine.node.produce(engine.node.ledger.finalityLag, { atTime: end });
    await follow(engine);
    await expire(engine);
    expect(await status(transId)).toBe('waiting');
    await settle(engine);
    await expire(engine);
    expect(await status(transId)).toBe('expired');
  });

  test('that is paid in the very last second completes; a second later the money is kept as late', async () => {
    const inTime = await openQuote(engine, store);
    const late = await openQuote(engine, store);
    const end = await endOf(engine, late.transId);
    const paid = await pay(engine, inTime.quote);
    produceAt(engine, await endOf(engine, inTime.transId));
    const lost = await pay(engine, late.quote);
    produceAt(engine, end + 1);
    await settle(engine);
    await expire(engine);
    expect(await lookUp(engine, store, inTime.transId)).toMatchObject({ status: 'completed', transaction_hash: paid });
    expect(await status(late.transId)).toBe('expired');
    expect(await transfersOf(engine, lost)).toMatchObject([{ reason: 'late', canonical: true }]);
  });

  test.each([
    ['short', -1n, 'USDT'],
    ['over', 1n, 'USDT'],
    ['wrong_token', 0n, 'USDC'],
  ])('that is paid %s keeps waiting, and the money is kept with that reason', async (reason, differing, token) => {
    const own = await openSolanaStore(engine);
    const { transId, quote } = await openQuote(engine, own);
    const hash = await pay(engine, quote, { units: unitsOf(quote) + differing, token });
    await settle(engine);
    expect(await statusOf(engine, own, transId)).toBe('waiting');
    expect(await transfersOf(engine, hash)).toMatchObject([{ reason, trans_id: null }]);
  });

  test('that is quoted at a wallet added, selected and paid within one slot is completed', async () => {
    const own = await openSolanaStore(engine);
    const { transId, quote } = await openQuote(engine, own);
    await pay(engine, quote);
    produceNow(engine);
    await settle(engine);
    expect(await statusOf(engine, own, transId)).toBe('completed');
  });

  test('whose account a reader first sees long after the payment is completed all the same', async () => {
    const own = await openSolanaStore(engine);
    const { transId, quote } = await openQuote(engine, own);
    await pay(engine, quote);
    produceNow(engine, 200);
    engine.clock.advance(20 * 60_000);
    produceNow(engine, 200);
    await expire(engine);
    await settle(engine);
    expect(await statusOf(engine, own, transId)).toBe('completed');
  });
});

describe('a fork', () => {
  test('that drops a confirmed payment takes it back, after a while of doubt; the invoice waits and expires', async () => {
    const own = await openSolanaStore(engine);
    const { transId, quote } = await openQuote(engine, own);
    const hash = await pay(engine, quote);
    produceNow(engine, 2);
    await follow(engine);
    expect(await statusOf(engine, own, transId)).toBe('processing');
    const { covered } = await accountOf(engine, quote.toAddress);
    engine.node.drop(2, 'vanish');
    await settle(engine);
    expect(await statusOf(engine, own, transId)).toBe('processing');
    expect(await accountOf(engine, quote.toAddress)).toMatchObject({ covered, doubted: true });
    engine.clock.advance(DOUBT_MS);
    await settle(engine);
    expect(await statusOf(engine, own, transId)).toBe('waiting');
    expect(await transfersOf(engine, hash)).toMatchObject([{ canonical: false }]);
    expect(await accountOf(engine, quote.toAddress)).toMatchObject({ doubted: false, failures: 0 });
    await goPast(engine, transId);
    await settle(engine);
    await expire(engine);
    expect(await statusOf(engine, own, transId)).toBe('expired');
    expect(await eventsOf(engine, transId)).toMatchObject([{ event: 'invoice.expired', sequence: 1 }]);
  });

  test('that puts it into another slot moves it, and it completes once', async () => {
    const own = await openSolanaStore(engine);
    const { transId, quote } = await openQuote(engine, own);
    const hash = await pay(engine, quote);
    produceNow(engine, 3);
    await follow(engine);
    const [before] = await transfersOf(engine, hash);
    engine.node.drop(3, 'reinclude');
    produceNow(engine, 2);
    await settle(engine);
    const [after] = await transfersOf(engine, hash);
    expect(after?.height).not.toBe(before?.height);
    expect(await statusOf(engine, own, transId)).toBe('completed');
    expect(await eventsOf(engine, transId)).toHaveLength(1);
  });
});

describe('a node', () => {
  test('that is down across the end expires no invoice paid in time, and none before it is back', async () => {
    const own = await openSolanaStore(engine);
    const paid = [];
    const unpaid = [];
    for (let count = 0; count < 5; count += 1) {
      paid.push(await openQuote(engine, own));
      unpaid.push(await openQuote(engine, own));
    }
    engine.node.behave({ fault: 'html' });
    for (const { quote } of paid) {
      await pay(engine, quote);
      produceNow(engine);
    }
    await goPast(engine, unpaid.at(-1)?.transId ?? '');
    await settle(engine);
    await expire(engine);
    for (const { transId } of [...paid, ...unpaid]) expect(await statusOf(engine, own, transId)).toBe('waiting');
    engine.node.behave({ fault: null });
    await settle(engine);
    await expire(engine);
    for (const { transId } of paid) expect(await statusOf(engine, own, transId)).toBe('completed');
    for (const { transId } of unpaid) expect(await statusOf(engine, own, transId)).toBe('expired');
    for (const { transId } of paid) expect(await factsOf(engine, transId)).toMatchObject({ late: false });
  });

  test('whose backends lag, split batches and index late loses nothing and takes nothing back', async () => {
    const own = await openSolanaStore(engine);
    const open = [];
    for (let count = 0; count < 20; count += 1) open.push(await openQuote(engine, own));
    const { rewinds } = engine.follower.counts;
    engine.node.behave({ lagSlots: 6, staleShare: 0.4, splitBatches: true, indexLagSlots: 3 });
    for (const { quote } of open) {
      await pay(engine, quote);
      produceNow(engine);
      await follow(engine);
    }
    for (let round = 0; round < 20; round += 1) await settle(engine);
    engine.node.behave({ lagSlots: 0, staleShare: 1, splitBatches: false, indexLagSlots: 0 });
    engine.clock.advance(DOUBT_MS);
    // A backend that lags lists transactions that it cannot return yet; the reader asks for these again seconds later.
    await makeRetriesDue(engine, own.wallet);
    await settle(engine);
    for (const { transId } of open) expect(await statusOf(engine, own, transId)).toBe('completed');
    expect(engine.follower.counts.rewinds).toBe(rewinds);
  });
});

describe('an account', () => {
  test('becomes idle when its last amount is free, keeps its cursor, and starts again with the next selection', async () => {
    const own = await openSolanaStore(engine);
    const first = await openQuote(engine, own);
    await settle(engine);
    expect(await accountOf(engine, own.wallet)).toMatchObject({ state: 'following' });
    await goPast(engine, first.transId);
    await settle(engine);
    await expire(engine);
    await settle(engine);
    expect(await accountOf(engine, own.wallet)).toMatchObject({ state: 'following' });
    engine.clock.advance(25 * 3_600_000);
    await settle(engine);
    const idle = await accountOf(engine, own.wallet);
    expect(idle).toMatchObject({ state: 'idle' });
    produceNow(engine, 50);
    await follow(engine);
    expect(await accountOf(engine, own.wallet)).toEqual(idle);

    engine.clock.advance(3_600_000);
    produceNow(engine, 2_000);
    const second = await openQuote(engine, own);
    await pay(engine, second.quote);
    await settle(engine);
    expect(await statusOf(engine, own, second.transId)).toBe('completed');
    expect((await accountOf(engine, own.wallet)).covered).toBeGreaterThan(idle.covered);
  });

  test('is read by two workers at once and nothing is recorded, settled or sent twice', async () => {
    const stores = await Promise.all(Array.from({ length: 4 }, () => openSolanaStore(engine)));
    const open: { transId: string; own: TestStore; hash: string }[] = [];
    for (const own of stores) {
      for (let count = 0; count < 3; count += 1) {
        const { transId, quote } = await openQuote(engine, own);
        open.push({ transId, own, hash: await pay(engine, quote) });
      }
    }
    produceNow(engine, 2);
    const workers = [engine.follower, createReader(engine), createReader(engine)];
    await Promise.all(workers.map((worker) => follow(engine, worker)));
    await settle(engine, workers[1]);
    await Promise.all(workers.map((worker) => follow(engine, worker)));
    for (const { transId, own, hash } of open) {
      expect(await statusOf(engine, own, transId)).toBe('completed');
      expect(await eventsOf(engine, transId)).toHaveLength(1);
      expect(await transfersOf(engine, hash)).toHaveLength(1);
    }
  });
});

test('a late payment within the grace of a store completes while the account is resting', async () => {
  const own = await openSolanaStore(engine);
  await engine.database.pool.query('update stores set grace_minutes = 60 where id = $1', [own.id]);
  const transId = await newInvoice(engine, own);
  const quote = await select(engine, transId);
  await goPast(engine, transId);
  await settle(engine);
  await expire(engine);
  expect(await statusOf(engine, own, transId)).toBe('expired');
  await pay(engine, quote);
  await settle(engine);
  expect(await statusOf(engine, own, transId)).toBe('completed');
  expect(await factsOf(engine, transId)).toMatchObject({ late: true });
});

test('balances recomputed from the entries alone agree', async () => {
  expect(await findLedgerFaults(engine.database.queries, 10)).toEqual([]);
});
