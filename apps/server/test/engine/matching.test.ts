import type { Address } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findLedgerFaults } from '../../src/ledger/ledger-sql.ts';
import { payByBatch, payInternally, payRevertingNative, payToken, poison } from '../chain/payment.ts';
import { canonicalToken, deployLookAlike } from '../chain/token.ts';
import type { TestStore } from '../harness.ts';
import type { Shop } from './shop.ts';
import {
  alarmsOf,
  chainOf,
  endOf,
  eventsOf,
  expire,
  fillAmounts,
  follow,
  lookUp,
  mineAt,
  mineNow,
  newInvoice,
  openPayableStore,
  openShop,
  pay,
  removeWallets,
  secondsNow,
  select,
  settle,
  standingOf,
  statusOf,
  transfersOf,
  unitsOf,
} from './shop.ts';

/** Whose money is it? Each transfer is somebody's payment, or it is kept with the reason why it is not. */

let shop: Shop;
beforeAll(async () => {
  shop = await openShop(['BSC']);
  await follow(shop, 'BSC');
  // The first use mines a block of its own.
  await payByBatch(node(), [{ token: TOKEN, to: VISITOR, units: 1n }]);
  shop.clock.advance(10_000);
  await mineNow(shop, 'BSC');
});
afterAll(() => shop.close());

const node = () => chainOf(shop, 'BSC').anvil;
const USDT = canonicalToken(56, 'USDT');
const TOKEN = USDT.address;
const VISITOR: Address = '0x00000000000000000000000000000000000057a6';
/** The last digit that a payer sees, in base units. */
const DIGIT = 10n ** 12n;

type Open = { store: TestStore; transId: string; quote: Awaited<ReturnType<typeof select>>; to: Address };

/** A store of its own, so that no other quote is open at its address. */
async function openQuote(token = 'USDT', amount = '50'): Promise<Open> {
  const store = await openPayableStore(shop);
  const transId = await newInvoice(shop, store, amount);
  const quote = await select(shop, transId, 'BSC', token);
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
    await settle(shop, 'BSC');
    expect(await lookUp(shop, store, transId)).toMatchObject({ status: 'completed', transaction_hash: hash });
    expect(await transfersOf(shop, hash)).toMatchObject([
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
    await settle(shop, 'BSC');
    for (const { store, transId } of [one, other])
      expect(await lookUp(shop, store, transId)).toMatchObject({ status: 'completed', transaction_hash: hash });
    expect(await transfersOf(shop, hash)).toMatchObject([
      { index: 'USDT:0', trans_id: one.transId },
      { index: 'USDT:1', trans_id: other.transId },
    ]);
  });

  test('of two exact payments the first to be settled pays, and the other is already_paid', async () => {
    const { store, transId, quote } = await openQuote();
    const first = await pay(shop, quote);
    await mineNow(shop, 'BSC');
    const second = await pay(shop, quote);
    await settle(shop, 'BSC');
    expect(await lookUp(shop, store, transId)).toMatchObject({ status: 'completed', transaction_hash: first });
    expect(await transfersOf(shop, first)).toMatchObject([{ reason: null }]);
    expect(await transfersOf(shop, second)).toMatchObject([{ reason: 'already_paid', trans_id: transId }]);
    expect(await eventsOf(shop, transId)).toHaveLength(1);
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
    const hash = await pay(shop, quote, unitsOf(quote) + difference);
    await settle(shop, 'BSC');
    expect(await transfersOf(shop, hash)).toMatchObject([{ reason, trans_id: null }]);
    expect(await statusOf(shop, store, transId)).toBe('waiting');
  });

  test('short also when its block is a little older than the quote: chains and we tell time apart', async () => {
    shop.clock.advance(60_000);
    const { quote } = await openQuote();
    const hash = await pay(shop, quote, unitsOf(quote) - DIGIT);
    await mineAt(shop, 'BSC', secondsNow(shop) - 30);
    await settle(shop, 'BSC');
    expect(await transfersOf(shop, hash)).toMatchObject([{ reason: 'short', trans_id: null }]);
  });

  test('another token of the same worth is the wrong token', async () => {
    const { store, transId, quote } = await openQuote();
    const hash = await pay(shop, { ...quote, token: 'USDC' });
    await settle(shop, 'BSC');
    expect(await transfersOf(shop, hash)).toMatchObject([{ reason: 'wrong_token', trans_id: null }]);
    expect(await statusOf(shop, store, transId)).toBe('waiting');
  });

  test('what comes to an address that nobody was asked to pay to is unknown', async () => {
    const { quote } = await openQuote();
    const silent = await openPayableStore(shop);
    const { rows } = await shop.database.pool.query<{ address: string }>(
      'select address from wallets where store_id = $1',
      [silent.id],
    );
    const hash = await pay(shop, { ...quote, toAddress: rows[0]?.address ?? '' });
    await settle(shop, 'BSC');
    expect(await transfersOf(shop, hash)).toMatchObject([{ reason: 'unknown', trans_id: null }]);
  });
});

describe('what only looks like money', () => {
  test('poisoning with nothing, a transfer to oneself and dust are never stored; dust is counted once', async () => {
    const { store, transId, quote, to } = await openQuote();
    const { counts } = chainOf(shop, 'BSC').follower;
    const dustBefore = counts.dust;
    const hashes = [
      await poison(node(), { token: TOKEN, victim: VISITOR, to }),
      await payToken(node(), { token: TOKEN, from: to, to, units: 7n * 10n ** 18n }),
      await pay(shop, quote, 99_999n * DIGIT),
    ];
    const tenCents = await pay(shop, quote, 100_000n * DIGIT);
    await settle(shop, 'BSC');
    for (const hash of hashes) expect(await transfersOf(shop, hash)).toEqual([]);
    expect(counts.dust).toBe(dustBefore + 1);
    expect(await transfersOf(shop, tenCents)).toMatchObject([{ reason: 'short' }]);
    expect(await statusOf(shop, store, transId)).toBe('waiting');
  });

  test('a token that only its address tells from the real one never arrives', async () => {
    const { store, transId, quote, to } = await openQuote();
    const fake = await deployLookAlike(node(), USDT);
    shop.clock.advance(10_000);
    const hash = await payToken(node(), { token: fake.address, to, units: unitsOf(quote) });
    await settle(shop, 'BSC');
    expect(await transfersOf(shop, hash)).toEqual([]);
    expect(await statusOf(shop, store, transId)).toBe('waiting');
  });

  test('coins of a failed transaction, and coins that a contract passes on, never arrive', async () => {
    const { store, transId, quote, to } = await openQuote('BNB');
    const units = unitsOf(quote);
    const failed = await payRevertingNative(node(), { to, units }, { atTime: secondsNow(shop) });
    shop.clock.advance(2_000);
    const internal = await payInternally(node(), { to, units });
    await settle(shop, 'BSC');
    expect(await transfersOf(shop, failed)).toEqual([]);
    expect(await transfersOf(shop, internal)).toEqual([]);
    expect(await statusOf(shop, store, transId)).toBe('waiting');
    const hash = await pay(shop, quote);
    await settle(shop, 'BSC');
    expect(await lookUp(shop, store, transId)).toMatchObject({ status: 'completed', transaction_hash: hash });
  });
});

describe('the window, by block time', () => {
  test.each([
    ['120 seconds before the quote is in it', 120, 'completed', null],
    ['121 seconds before the quote is not', 121, 'waiting', 'unknown'],
  ])('a block %s', async (_title, before, status, reason) => {
    await settle(shop, 'BSC');
    shop.clock.advance(600_500);
    const { store, transId, quote } = await openQuote();
    shop.clock.advance(-500);
    const hash = await pay(shop, quote);
    await mineAt(shop, 'BSC', secondsNow(shop) - before);
    await settle(shop, 'BSC');
    expect(await transfersOf(shop, hash)).toMatchObject([{ reason }]);
    expect(await statusOf(shop, store, transId)).toBe(status);
  });

  test('a block at the very end is in it; one second later the money is late', async () => {
    const intime = await openQuote();
    const late = await openQuote();
    const end = await endOf(shop, intime.transId);
    expect(await endOf(shop, late.transId)).toBe(end);
    const intimeHash = await pay(shop, intime.quote);
    await mineAt(shop, 'BSC', end);
    const lateHash = await pay(shop, late.quote);
    await mineAt(shop, 'BSC', end + 1);
    shop.clock.advance(1_000);
    await settle(shop, 'BSC');
    await expire(shop);
    expect(await statusOf(shop, intime.store, intime.transId)).toBe('completed');
    expect((await eventsOf(shop, intime.transId))[0]).not.toHaveProperty('late');
    expect(await transfersOf(shop, intimeHash)).toMatchObject([{ reason: null }]);
    expect(await statusOf(shop, late.store, late.transId)).toBe('expired');
    expect(await transfersOf(shop, lateHash)).toMatchObject([{ reason: 'late', trans_id: late.transId }]);
  });

  test('late money within the grace of the store completes, late and without an alarm; later money does not', async () => {
    const open = [await openQuote(), await openQuote(), await openQuote()] as const;
    const [held, expired, tooLate] = open;
    await shop.database.pool.query('update stores set grace_minutes = 10 where id = any($1)', [
      open.map(({ store }) => store.id),
    ]);
    const end = await endOf(shop, held.transId);
    const early = await pay(shop, held.quote);
    await mineAt(shop, 'BSC', end + 1);
    shop.clock.advance(1_000);
    await settle(shop, 'BSC');
    await expire(shop);
    expect(await eventsOf(shop, held.transId)).toMatchObject([{ event: 'invoice.completed', sequence: 1, late: true }]);
    expect(await statusOf(shop, expired.store, expired.transId)).toBe('expired');

    const last = await pay(shop, expired.quote);
    await mineAt(shop, 'BSC', end + 600);
    const beyond = await pay(shop, tooLate.quote);
    await mineAt(shop, 'BSC', end + 601);
    shop.clock.advance(1_000);
    await settle(shop, 'BSC');
    expect(await eventsOf(shop, expired.transId)).toMatchObject([
      { event: 'invoice.expired', sequence: 1 },
      { event: 'invoice.completed', sequence: 2, late: true, data: { transaction_hash: last } },
    ]);
    expect(await alarmsOf(shop, expired.transId)).toEqual([]);
    expect(await statusOf(shop, tooLate.store, tooLate.transId)).toBe('expired');
    expect(await transfersOf(shop, beyond)).toMatchObject([{ reason: 'late', trans_id: tooLate.transId }]);
    expect(await transfersOf(shop, early)).toMatchObject([{ reason: null }]);
  });
});

test('late money belongs to who owned its amount at its block time, though another owns it when it is read', async () => {
  const before = await openQuote('USDT', '10');
  const end = await endOf(shop, before.transId);
  await mineAt(shop, 'BSC', end + 1);
  shop.clock.advance(1_000);
  await settle(shop, 'BSC');
  await expire(shop);
  expect(await statusOf(shop, before.store, before.transId)).toBe('expired');
  const late = await pay(shop, before.quote);
  await mineAt(shop, 'BSC', end + 600);

  shop.clock.advance(25 * 3_600_000);
  await fillAmounts(shop, before.quote, { base: 10_000_000n, salts: 10_000, spare: [before.quote.displayUnits] });
  const transId = await newInvoice(shop, before.store, '10');
  const quote = await select(shop, transId);
  expect(quote.displayUnits).toBe(before.quote.displayUnits);
  const inTime = await pay(shop, quote);
  await settle(shop, 'BSC');
  expect(await transfersOf(shop, late)).toMatchObject([{ reason: 'late', trans_id: before.transId }]);
  expect(await transfersOf(shop, inTime)).toMatchObject([{ reason: null, trans_id: transId }]);
  expect(await lookUp(shop, before.store, transId)).toMatchObject({ status: 'completed', transaction_hash: inTime });
});

describe('a removed wallet', () => {
  test('is watched until its last amount is free, in the time of the chain', async () => {
    const { store, transId, quote } = await openQuote();
    await removeWallets(shop, store);
    await pay(shop, quote);
    await settle(shop, 'BSC');
    expect(await statusOf(shop, store, transId)).toBe('completed');
    const resting = await pay(shop, quote);
    await mineNow(shop, 'BSC');
    // A day later by the clock, but the block is of before.
    shop.clock.advance(25 * 3_600_000);
    await openPayableStore(shop);
    await settle(shop, 'BSC');
    expect(await transfersOf(shop, resting)).toMatchObject([{ reason: 'already_paid', trans_id: transId }]);
    await openPayableStore(shop);
    const unwatched = await pay(shop, quote);
    await settle(shop, 'BSC');
    expect(await transfersOf(shop, unwatched)).toEqual([]);
  });

  test('does not stop its network when it goes between the two looks at a transfer', async () => {
    const store = await openPayableStore(shop);
    const { rows } = await shop.database.pool.query<{ address: Address }>(
      'select address from wallets where store_id = $1',
      [store.id],
    );
    const to = rows[0]?.address ?? VISITOR;
    const hash = await payToken(node(), { token: TOKEN, to, units: 5n * 10n ** 18n });
    await mineNow(shop, 'BSC', 6);
    await follow(shop, 'BSC');
    expect(await transfersOf(shop, hash)).toMatchObject([{ reason: 'unknown' }]);
    await removeWallets(shop, store);
    const before = await standingOf(shop, 'BSC');
    await settle(shop, 'BSC');
    expect((await standingOf(shop, 'BSC')).covered['finalized']).toBeGreaterThan(before.height);
    expect(await transfersOf(shop, hash)).toMatchObject([{ canonical: true, reason: 'unknown' }]);
  });
});

test('balances recomputed from the entries alone agree', async () => {
  expect(await findLedgerFaults(shop.database.queries, 10)).toEqual([]);
});
