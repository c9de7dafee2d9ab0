import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { takeDemands } from '../../src/accounts/account-schedule-sql.ts';
import { firstSlotOf } from '../chain/solana-ledger.ts';
import { SLOT_SECONDS, SOLANA_PROFILE } from '../chain/solana-node.ts';
import { alarmsOf, command, eventsOf, expire, secondsNow, statusOf, transfersOf } from './shop.ts';
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
  produceNow,
  settle,
} from './solana-shop.ts';

/** An account begins before the first moment at which it may have been paid, whatever the network's pace and clock. */

const MINUTE = 60;
const OUTAGE_SECONDS = 25 * MINUTE;

/** So much of the chain passes. */
function run(shop: SolanaShop, seconds: number): void {
  shop.node.produce(Math.round(seconds / shop.node.ledger.blockSeconds), { atTime: secondsNow(shop) });
  shop.clock.advance(seconds * 1000);
}

/** As if everything that is final had been read, and held nothing. */
async function passOver(shop: SolanaShop, account: string): Promise<void> {
  const { finalized } = await shop.follower.source.heads('first');
  const values = [finalized.height, new Date(finalized.time * 1000), account];
  const { pool } = shop.database;
  await pool.query('update followed_accounts set height = $1, block_time = $2 where account = $3', values);
  await pool.query('update chain_coverage set height = $1, block_time = $2 where scope = $3', values);
}

describe.each(SLOT_SECONDS)('where a slot lasts %f s', (blockSeconds) => {
  let shop: SolanaShop;
  beforeAll(async () => {
    shop = await openSolanaShop({ blockSeconds });
  });
  afterAll(() => shop.close());

  test('a new store that is paid while every worker is down is found to be paid when one comes back', async () => {
    const store = await openSolanaStore(shop);
    const { transId, quote } = await openQuote(shop, store);
    run(shop, 30);
    const hash = await pay(shop, quote);
    run(shop, OUTAGE_SECONDS - 30);
    const reader = createReader(shop);
    await follow(shop, reader);
    expect(await statusOf(shop, store, transId)).toBe('completed');
    await goPast(shop, transId);
    await settle(shop, reader);
    await expire(shop);
    expect(await eventsOf(shop, transId)).toMatchObject([{ event: 'invoice.completed' }]);
    expect(await transfersOf(shop, hash)).toHaveLength(1);
  });

  test('a recheck of an invoice begins as early', async () => {
    const store = await openSolanaStore(shop);
    const { transId, quote } = await openQuote(shop, store);
    await follow(shop);
    run(shop, 30);
    await pay(shop, quote);
    run(shop, 40 * MINUTE);
    await passOver(shop, quote.toAddress);
    await expire(shop);
    expect(await statusOf(shop, store, transId)).toBe('expired');
    expect(await command(shop, 'invoice recheck', { 'trans-id': transId })).toMatchObject([{ found: 1 }]);
    await settle(shop);
    expect(await statusOf(shop, store, transId)).toBe('completed');
  });
});

describe('an account', () => {
  let shop: SolanaShop;
  beforeAll(async () => {
    shop = await openSolanaShop();
  });
  afterAll(async () => {
    await shop.close();
  });

  test('that is selected twice while no node answers begins with the first', async () => {
    const store = await openSolanaStore(shop);
    const first = await openQuote(shop, store);
    await pay(shop, first.quote);
    produceNow(shop, 10);
    await takeDemands(shop.as('worker').queries, 'SOL', 100);
    // Further back than the clock may ever be behind.
    shop.clock.advance(60_000);
    run(shop, 2 * Number(SOLANA_PROFILE.clockDriftSeconds));
    await openQuote(shop, store);
    await takeDemands(shop.as('worker').queries, 'SOL', 100);
    await settle(shop, createReader(shop));
    await expire(shop);
    expect(await statusOf(shop, store, first.transId)).toBe('completed');
  });

  test('misses nothing though the chain’s clock was far behind when it was paid, and has caught up since', async () => {
    const behind = Number(SOLANA_PROFILE.clockDriftSeconds);
    shop.clock.advance(behind * 1000);
    shop.node.delayClock(behind - MINUTE);
    const store = await openSolanaStore(shop);
    const { quote } = await openQuote(shop, store);
    const hash = await pay(shop, quote);
    const paidAt = shop.node.produce(1, { atTime: secondsNow(shop) }).time;
    expect(secondsNow(shop) - paidAt).toBe(behind - MINUTE);
    run(shop, 5 * MINUTE);
    shop.node.delayClock(0);
    run(shop, 5 * MINUTE);
    await settle(shop, createReader(shop));
    // It came before its quote by the chain's clock: it pays nothing by itself, and is there to be attached.
    expect(await transfersOf(shop, hash)).toMatchObject([{ canonical: true, trans_id: null }]);
  });

  test('does not begin later when no provider has kept what it would begin with: a person is told, once', async () => {
    const store = await openSolanaStore(shop);
    const { transId, quote } = await openQuote(shop, store);
    const hash = await pay(shop, quote);
    const { slot } = shop.node.produce(1, { atTime: secondsNow(shop) });
    run(shop, 5 * MINUTE);
    shop.node.behave({ firstAvailable: slot + 100 });
    for (let poll = 0; poll < 3; poll += 1) await settle(shop);
    await goPast(shop, transId);
    await settle(shop);
    await expire(shop);
    expect(await statusOf(shop, store, transId)).toBe('waiting');
    expect(await accountOf(shop, quote.toAddress)).toMatchObject({ state: 'starting', covered: null });
    expect(await alarmsOf(shop, quote.toAddress)).toEqual(['account-history-missing']);
    shop.node.behave({ firstAvailable: firstSlotOf(shop.node.ledger) });
    await settle(shop);
    expect(await statusOf(shop, store, transId)).toBe('completed');
    expect(await transfersOf(shop, hash)).toHaveLength(1);
  });

  test('begins with what a provider has kept, if that is old enough', async () => {
    const { finalized } = await shop.follower.source.heads('first');
    const store = await openSolanaStore(shop);
    const { transId, quote } = await openQuote(shop, store);
    await pay(shop, quote);
    run(shop, MINUTE);
    const drift = Number(SOLANA_PROFILE.clockDriftSeconds);
    const kept = await shop.follower.source.markBefore(secondsNow(shop) - drift - 10 * MINUTE, finalized, 'first');
    shop.node.behave({ firstAvailable: kept.height });
    await settle(shop);
    shop.node.behave({ firstAvailable: firstSlotOf(shop.node.ledger) });
    expect(await statusOf(shop, store, transId)).toBe('completed');
  });
});
