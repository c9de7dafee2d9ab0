import type { Address } from 'viem';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { findLedgerFaults } from '../../src/ledger/ledger-sql.ts';
import { payByBatch, payInternally, payRevertingNative, payToken, poison } from '../../rig/chains/evm/payment.ts';
import { canonicalToken, deployLookAlike } from '../../rig/chains/evm/token.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { markAsRead } from '../../rig/chains/mark-as-read.ts';
import type { EngineFixture } from '../../rig/invoices/engine-fixture.ts';
import { alarmsOf, endOf, eventsOf, lookUp, standingOf, statusOf, transfersOf } from '../../rig/invoices/look-up.ts';
import { chainOf, openPayableStore, openEngineFixture, secondsNow } from '../../rig/invoices/engine-fixture.ts';
import { expire, follow, mineAt, mineNow, settle } from '../../rig/invoices/follow-network.ts';
import { fillAmounts, newInvoice, pay, select, unitsOf } from '../../rig/invoices/pay-invoice.ts';
import { removeWallets } from '../../rig/invoices/change-rows.ts';

/** Matching: each transfer pays an invoice, or is recorded with the reason why not. */

let engine: EngineFixture;
beforeAll(async () => {
  engine = await openEngineFixture(inject('template'), ['BSC']);
  await follow(engine, 'BSC');
  // The first use of the batch contract mines a block.
  await payByBatch(node(), [{ token: TOKEN, to: VISITOR, units: 1n }]);
  engine.clock.advance(10_000);
  await mineNow(engine, 'BSC');
});
afterAll(() => engine.close());

const node = () => chainOf(engine, 'BSC').anvil;
const USDT = canonicalToken(56, 'USDT');
const TOKEN = USDT.address;
const VISITOR: Address = '0x00000000000000000000000000000000000057a6';
/** Last digit that a payer sees, in base units. */
const DIGIT = 10n ** 12n;

type Open = { store: TestStore; transId: string; quote: Awaited<ReturnType<typeof select>>; to: Address };

/** Opens a quote of a new store, so that no other quote is open at its address. */
async function openQuote(token = 'USDT', amount = '50'): Promise<Open> {
  const store = await openPayableStore(engine);
  const transId = await newInvoice(engine, store, amount);
  const quote = await select(engine, transId, 'BSC', token);
  return { store, transId, quote, to: quote.toAddress as Address };
}

describe('one transaction, several transfers', () => {
  test('a payment among other transfers of a contract is found by its own log', async () => {
    const { store, transId, quote, to } = await openQuote();
    const hash = await payByBatch(node(), [
      { token: TOKEN, to: VISITOR, units: unitsOf(quote) },
      { token: canonicalToken(56, 'USDC').address, to, units: unitsOf(quote) },
      { token: TOKEN, to, units: unitsOf(quote) - 3n * DIGIT },
      { token: TOKEN, to, units: unitsOf(quote) },
    ]);
    await settle(engine, 'BSC');
    expect(await lookUp(engine, store, transId)).toMatchObject({ status: 'completed', transaction_hash: hash });
    expect(await transfersOf(engine, hash)).toMatchObject([
      { index: 'USDC:0', reason: 'wrong_token', trans_id: null },
      { index: 'USDT:1', reason: 'short', trans_id: null },
      { index: 'USDT:2', reason: null, trans_id: transId },
    ]);
  });

  test('two invoices paid by one transaction both complete', async () => {
    const one = await openQuote();
    const other = await openQuote();
    const payments = [one, other].map(({ quote, to }) => ({ token: TOKEN, to, units: unitsOf(quote) }));
    const hash = await payByBatch(node(), payments);
    await settle(engine, 'BSC');
    for (const { store, transId } of [one, other])
      expect(await lookUp(engine, store, transId)).toMatchObject({ status: 'completed', transaction_hash: hash });
    expect(await transfersOf(engine, hash)).toMatchObject([
      { index: 'USDT:0', trans_id: one.transId },
      { index: 'USDT:1', trans_id: other.transId },
    ]);
  });

  test('of two exact payments the first to be settled pays, and the other is already_paid', async () => {
    const { store, transId, quote } = await openQuote();
    const first = await pay(engine, quote);
    await mineNow(engine, 'BSC');
    const second = await pay(engine, quote);
    await settle(engine, 'BSC');
    expect(await lookUp(engine, store, transId)).toMatchObject({ status: 'completed', transaction_hash: first });
    expect(await transfersOf(engine, first)).toMatchObject([{ reason: null }]);
    expect(await transfersOf(engine, second)).toMatchObject([{ reason: 'already_paid', trans_id: transId }]);
    expect(await eventsOf(engine, transId)).toHaveLength(1);
  });
});

describe('money that does not match is kept with its reason, and pays nothing', () => {
  test.each<[string, bigint, string]>([
    ['a digit less', -DIGIT, 'short'],
    ['a digit more', DIGIT, 'over'],
    ['less by what no payer sees', -1n, 'short'],
    ['more by what no payer sees', 1n, 'over'],
  ])('%s', async (_title, difference, reason) => {
    const { store, transId, quote } = await openQuote();
    const hash = await pay(engine, quote, unitsOf(quote) + difference);
    await settle(engine, 'BSC');
    expect(await transfersOf(engine, hash)).toMatchObject([{ reason, trans_id: null }]);
    expect(await statusOf(engine, store, transId)).toBe('waiting');
  });

  test('a short payment is recognised also when its block is a little older than the quote: the clocks differ', async () => {
    engine.clock.advance(60_000);
    const { quote } = await openQuote();
    const hash = await pay(engine, quote, unitsOf(quote) - DIGIT);
    await mineAt(engine, 'BSC', secondsNow(engine) - 30);
    await settle(engine, 'BSC');
    expect(await transfersOf(engine, hash)).toMatchObject([{ reason: 'short', trans_id: null }]);
  });

  test('another token of the same worth is the wrong token', async () => {
    const { store, transId, quote } = await openQuote();
    const hash = await pay(engine, { ...quote, token: 'USDC' });
    await settle(engine, 'BSC');
    expect(await transfersOf(engine, hash)).toMatchObject([{ reason: 'wrong_token', trans_id: null }]);
    expect(await statusOf(engine, store, transId)).toBe('waiting');
  });

  test('a transfer to an address that nobody was asked to pay to is unknown', async () => {
    const { quote } = await openQuote();
    const silent = await openPayableStore(engine);
    const { rows } = await engine.database.pool.query<{ address: string }>(
      'select address from wallets where store_id = $1',
      [silent.id],
    );
    const hash = await pay(engine, { ...quote, toAddress: rows[0]?.address ?? '' });
    await settle(engine, 'BSC');
    expect(await transfersOf(engine, hash)).toMatchObject([{ reason: 'unknown', trans_id: null }]);
  });
});

describe('what only looks like money', () => {
  test('a poisoning transfer of zero, a transfer to oneself and dust are never stored; dust is counted once', async () => {
    const { store, transId, quote, to } = await openQuote();
    const { counts } = chainOf(engine, 'BSC').follower;
    const dustBefore = counts.dust;
    const hashes = [
      await poison(node(), { token: TOKEN, victim: VISITOR, to }),
      await payToken(node(), { token: TOKEN, from: to, to, units: 7n * 10n ** 18n }),
      await pay(engine, quote, 99_999n * DIGIT),
    ];
    const tenCents = await pay(engine, quote, 100_000n * DIGIT);
    await settle(engine, 'BSC');
    for (const hash of hashes) expect(await transfersOf(engine, hash)).toEqual([]);
    expect(counts.dust).toBe(dustBefore + 1);
    expect(await transfersOf(engine, tenCents)).toMatchObject([{ reason: 'short' }]);
    expect(await statusOf(engine, store, transId)).toBe('waiting');
  });

  test('a token that differs from the real one only in its address is never recorded', async () => {
    const { store, transId, quote, to } = await openQuote();
    const fake = await deployLookAlike(node(), USDT);
    engine.clock.advance(10_000);
    const hash = await payToken(node(), { token: fake.address, to, units: unitsOf(quote) });
    await settle(engine, 'BSC');
    expect(await transfersOf(engine, hash)).toEqual([]);
    expect(await statusOf(engine, store, transId)).toBe('waiting');
  });

  test('coins of a failed transaction, and coins that a contract passes on, are never recorded', async () => {
    const { store, transId, quote, to } = await openQuote('BNB');
    const units = unitsOf(quote);
    const failed = await payRevertingNative(node(), { to, units }, { atTime: secondsNow(engine) });
    engine.clock.advance(2_000);
    const internal = await payInternally(node(), { to, units });
    await settle(engine, 'BSC');
    expect(await transfersOf(engine, failed)).toEqual([]);
    expect(await transfersOf(engine, internal)).toEqual([]);
    expect(await statusOf(engine, store, transId)).toBe('waiting');
    const hash = await pay(engine, quote);
    await settle(engine, 'BSC');
    expect(await lookUp(engine, store, transId)).toMatchObject({ status: 'completed', transaction_hash: hash });
  });
});

describe('the window, by block time', () => {
  test.each([
    ['120 seconds before the quote is in it', 120, 'completed', null],
    ['121 seconds before the quote is not', 121, 'waiting', 'unknown'],
  ])('a block %s', async (_title, before, status, reason) => {
    await settle(engine, 'BSC');
    engine.clock.advance(600_500);
    // A network that is behind is not offered, unless what is stored of its head is wrong.
    await markAsRead(engine.database.pool, engine.clock);
    const { store, transId, quote } = await openQuote();
    engine.clock.advance(-500);
    const hash = await pay(engine, quote);
    await mineAt(engine, 'BSC', secondsNow(engine) - before);
    await settle(engine, 'BSC');
    expect(await transfersOf(engine, hash)).toMatchObject([{ reason }]);
    expect(await statusOf(engine, store, transId)).toBe(status);
  });

  test('a block at the very end is in it; one second later the money is late', async () => {
    const intime = await openQuote();
    const late = await openQuote();
    const end = await endOf(engine, intime.transId);
    expect(await endOf(engine, late.transId)).toBe(end);
    const intimeHash = await pay(engine, intime.quote);
    await mineAt(engine, 'BSC', end);
    const lateHash = await pay(engine, late.quote);
    await mineAt(engine, 'BSC', end + 1);
    engine.clock.advance(1_000);
    await settle(engine, 'BSC');
    await expire(engine);
    expect(await statusOf(engine, intime.store, intime.transId)).toBe('completed');
    expect((await eventsOf(engine, intime.transId))[0]).not.toHaveProperty('late');
    expect(await transfersOf(engine, intimeHash)).toMatchObject([{ reason: null }]);
    expect(await statusOf(engine, late.store, late.transId)).toBe('expired');
    expect(await transfersOf(engine, lateHash)).toMatchObject([{ reason: 'late', trans_id: late.transId }]);
  });

  test('late money within the grace of the store completes, late and without an alarm; later money does not', async () => {
    const open = [await openQuote(), await openQuote(), await openQuote()] as const;
    const [held, expired, tooLate] = open;
    await engine.database.pool.query('update stores set grace_minutes = 10 where id = any($1)', [
      open.map(({ store }) => store.id),
    ]);
    const end = await endOf(engine, held.transId);
    const early = await pay(engine, held.quote);
    await mineAt(engine, 'BSC', end + 1);
    engine.clock.advance(1_000);
    await settle(engine, 'BSC');
    await expire(engine);
    expect(await eventsOf(engine, held.transId)).toMatchObject([
      { event: 'invoice.completed', sequence: 1, late: true },
    ]);
    expect(await statusOf(engine, expired.store, expired.transId)).toBe('expired');

    const last = await pay(engine, expired.quote);
    await mineAt(engine, 'BSC', end + 600);
    const beyond = await pay(engine, tooLate.quote);
    await mineAt(engine, 'BSC', end + 601);
    engine.clock.advance(1_000);
    await settle(engine, 'BSC');
    expect(await eventsOf(engine, expired.transId)).toMatchObject([
      { event: 'invoice.expired', sequence: 1 },
      { event: 'invoice.completed', sequence: 2, late: true, data: { transaction_hash: last } },
    ]);
    expect(await alarmsOf(engine, expired.transId)).toEqual([]);
    expect(await statusOf(engine, tooLate.store, tooLate.transId)).toBe('expired');
    expect(await transfersOf(engine, beyond)).toMatchObject([{ reason: 'late', trans_id: tooLate.transId }]);
    expect(await transfersOf(engine, early)).toMatchObject([{ reason: null }]);
  });
});

test('late money belongs to who owned its amount at its block time, though another owns it when it is read', async () => {
  const before = await openQuote('USDT', '10');
  const end = await endOf(engine, before.transId);
  await mineAt(engine, 'BSC', end + 1);
  engine.clock.advance(1_000);
  await settle(engine, 'BSC');
  await expire(engine);
  expect(await statusOf(engine, before.store, before.transId)).toBe('expired');
  const late = await pay(engine, before.quote);
  await mineAt(engine, 'BSC', end + 600);

  engine.clock.advance(25 * 3_600_000);
  await fillAmounts(engine, before.quote, { base: 10_000_000n, salts: 10_000, spare: [before.quote.displayUnits] });
  const transId = await newInvoice(engine, before.store, '10');
  const quote = await select(engine, transId);
  expect(quote.displayUnits).toBe(before.quote.displayUnits);
  const inTime = await pay(engine, quote);
  await settle(engine, 'BSC');
  expect(await transfersOf(engine, late)).toMatchObject([{ reason: 'late', trans_id: before.transId }]);
  expect(await transfersOf(engine, inTime)).toMatchObject([{ reason: null, trans_id: transId }]);
  expect(await lookUp(engine, before.store, transId)).toMatchObject({ status: 'completed', transaction_hash: inTime });
});

describe('a removed wallet', () => {
  test('is watched until its last amount is free, in the time of the chain', async () => {
    const { store, transId, quote } = await openQuote();
    await removeWallets(engine, store);
    await pay(engine, quote);
    await settle(engine, 'BSC');
    expect(await statusOf(engine, store, transId)).toBe('completed');
    const resting = await pay(engine, quote);
    await mineNow(engine, 'BSC');
    // A day has passed by the clock, but the block is from before.
    engine.clock.advance(25 * 3_600_000);
    await openPayableStore(engine);
    await settle(engine, 'BSC');
    expect(await transfersOf(engine, resting)).toMatchObject([{ reason: 'already_paid', trans_id: transId }]);
    await openPayableStore(engine);
    const unwatched = await pay(engine, quote);
    await settle(engine, 'BSC');
    expect(await transfersOf(engine, unwatched)).toEqual([]);
  });

  test('does not stop its network when it is removed between the two reads of a transfer', async () => {
    const store = await openPayableStore(engine);
    const { rows } = await engine.database.pool.query<{ address: Address }>(
      'select address from wallets where store_id = $1',
      [store.id],
    );
    const to = rows[0]?.address ?? VISITOR;
    const hash = await payToken(node(), { token: TOKEN, to, units: 5n * 10n ** 18n });
    await mineNow(engine, 'BSC', 6);
    await follow(engine, 'BSC');
    expect(await transfersOf(engine, hash)).toMatchObject([{ reason: 'unknown' }]);
    await removeWallets(engine, store);
    const before = await standingOf(engine, 'BSC');
    await settle(engine, 'BSC');
    expect((await standingOf(engine, 'BSC')).covered['finalized']).toBeGreaterThan(before.height);
    expect(await transfersOf(engine, hash)).toMatchObject([{ canonical: true, reason: 'unknown' }]);
  });
});

test('balances recomputed from the entries alone agree', async () => {
  expect(await findLedgerFaults(engine.database.queries, 10)).toEqual([]);
});
