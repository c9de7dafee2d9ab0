import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { takeDemands } from '../../src/accounts/account-schedule-sql.ts';
import { firstSlotOf } from '../../rig/chains/solana/ledger.ts';
import { SLOT_SECONDS, SOLANA_PROFILE } from '../../rig/chains/solana/node.ts';
import { alarmsOf, eventsOf, statusOf, transfersOf } from '../../rig/invoices/look-up.ts';
import { markAsRead } from '../../rig/chains/mark-as-read.ts';
import { command } from '../../rig/invoices/run-command.ts';
import { expire } from '../../rig/invoices/follow-network.ts';
import { secondsNow } from '../../rig/invoices/engine-fixture.ts';
import type { SolanaFixture } from '../../rig/invoices/solana-fixture.ts';
import {
  accountOf,
  createReader,
  follow,
  goPast,
  openQuote,
  openSolanaFixture,
  openSolanaStore,
  pay,
  produceNow,
  settle,
} from '../../rig/invoices/solana-fixture.ts';

/** A followed account starts before the first possible payment, at any pace and clock of the network. */

const MINUTE = 60;
const OUTAGE_SECONDS = 25 * MINUTE;

/** Lets seconds of the chain pass. */
function run(engine: SolanaFixture, seconds: number): void {
  engine.node.produce(Math.round(seconds / engine.node.ledger.blockSeconds), { atTime: secondsNow(engine) });
  engine.clock.advance(seconds * 1000);
}

/** Moves the cursor and coverage as if everything final had been read and held nothing. */
async function passOver(engine: SolanaFixture, account: string): Promise<void> {
  const { finalized } = await engine.follower.source.heads('first');
  const values = [finalized.height, new Date(finalized.time * 1000), account];
  const { pool } = engine.database;
  await pool.query('update followed_accounts set height = $1, block_time = $2 where account = $3', values);
  await pool.query('update chain_coverage set height = $1, block_time = $2 where scope = $3', values);
}

describe.each(SLOT_SECONDS)('where a slot lasts %f s', (blockSeconds) => {
  let engine: SolanaFixture;
  beforeAll(async () => {
    engine = await openSolanaFixture(inject('template'), { blockSeconds });
  });
  afterAll(() => engine.close());

  test('a new store that is paid while every worker is down is found to be paid when one comes back', async () => {
    const store = await openSolanaStore(engine);
    const { transId, quote } = await openQuote(engine, store);
    run(engine, 30);
    const hash = await pay(engine, quote);
    run(engine, OUTAGE_SECONDS - 30);
    const reader = createReader(engine);
    await follow(engine, reader);
    expect(await statusOf(engine, store, transId)).toBe('completed');
    await goPast(engine, transId);
    await settle(engine, reader);
    await expire(engine);
    expect(await eventsOf(engine, transId)).toMatchObject([{ event: 'invoice.completed' }]);
    expect(await transfersOf(engine, hash)).toHaveLength(1);
  });

  test('a recheck of an invoice starts as early', async () => {
    const store = await openSolanaStore(engine);
    const { transId, quote } = await openQuote(engine, store);
    await follow(engine);
    run(engine, 30);
    await pay(engine, quote);
    run(engine, 40 * MINUTE);
    await passOver(engine, quote.toAddress);
    await expire(engine);
    expect(await statusOf(engine, store, transId)).toBe('expired');
    expect(await command(engine, 'invoice recheck', { 'trans-id': transId })).toMatchObject([{ found: 1 }]);
    await settle(engine);
    expect(await statusOf(engine, store, transId)).toBe('completed');
  });
});

describe('an account', () => {
  let engine: SolanaFixture;
  beforeAll(async () => {
    engine = await openSolanaFixture(inject('template'));
  });
  afterAll(async () => {
    await engine.close();
  });

  test('that is selected twice while no provider shows its beginning starts at the first selection', async () => {
    const store = await openSolanaStore(engine);
    const first = await openQuote(engine, store);
    await pay(engine, first.quote);
    const paidBy = produceNow(engine, 10);
    await takeDemands(engine.as('worker').queries, 'SOL', 100);
    engine.node.behave({ firstAvailable: paidBy + 100 });
    // Further back than the chain's clock may ever be behind.
    engine.clock.advance(60_000);
    run(engine, 2 * Number(SOLANA_PROFILE.clockDriftSeconds));
    await openQuote(engine, store);
    await takeDemands(engine.as('worker').queries, 'SOL', 100);
    expect(await accountOf(engine, first.quote.toAddress)).toMatchObject({ state: 'starting' });
    engine.node.behave({ firstAvailable: firstSlotOf(engine.node.ledger) });
    await settle(engine, createReader(engine));
    await expire(engine);
    expect(await statusOf(engine, store, first.transId)).toBe('completed');
  });

  test.each([
    ['with its reference completes its invoice', true],
    ['by its amount alone pays nothing, and can be attached', false],
  ])('misses no payment made while the chain’s clock is far behind: one %s', async (_title, isNamed) => {
    const behind = Number(SOLANA_PROFILE.clockDriftSeconds);
    engine.clock.advance(behind * 1000);
    engine.node.delayClock(behind - MINUTE);
    const store = await openSolanaStore(engine);
    // A network that is behind is not offered, unless what is stored of its head is wrong.
    await markAsRead(engine.database.pool, engine.clock);
    const { transId, quote } = await openQuote(engine, store);
    const hash = await pay(engine, quote, isNamed && quote.reference !== null ? { references: [quote.reference] } : {});
    const paidAt = engine.node.produce(1, { atTime: secondsNow(engine) }).time;
    expect(secondsNow(engine) - paidAt).toBe(behind - MINUTE);
    run(engine, 5 * MINUTE);
    engine.node.delayClock(0);
    run(engine, 5 * MINUTE);
    await settle(engine, createReader(engine));
    expect(await transfersOf(engine, hash)).toMatchObject([{ canonical: true, trans_id: isNamed ? transId : null }]);
    expect(await statusOf(engine, store, transId)).toBe(isNamed ? 'completed' : 'waiting');
  });

  test('does not start later when no provider has kept its beginning: one alarm is raised', async () => {
    const store = await openSolanaStore(engine);
    const { transId, quote } = await openQuote(engine, store);
    const hash = await pay(engine, quote);
    const { slot } = engine.node.produce(1, { atTime: secondsNow(engine) });
    run(engine, 5 * MINUTE);
    engine.node.behave({ firstAvailable: slot + 100 });
    for (let poll = 0; poll < 3; poll += 1) await settle(engine);
    await goPast(engine, transId);
    await settle(engine);
    await expire(engine);
    expect(await statusOf(engine, store, transId)).toBe('waiting');
    expect(await accountOf(engine, quote.toAddress)).toMatchObject({ state: 'starting', covered: null });
    expect(await alarmsOf(engine, quote.toAddress)).toEqual(['account-history-missing']);
    engine.node.behave({ firstAvailable: firstSlotOf(engine.node.ledger) });
    await settle(engine);
    expect(await statusOf(engine, store, transId)).toBe('completed');
    expect(await transfersOf(engine, hash)).toHaveLength(1);
  });

  test('starts with what a provider has kept, if that is old enough', async () => {
    const { finalized } = await engine.follower.source.heads('first');
    const store = await openSolanaStore(engine);
    const { transId, quote } = await openQuote(engine, store);
    await pay(engine, quote);
    run(engine, MINUTE);
    const drift = Number(SOLANA_PROFILE.clockDriftSeconds);
    const kept = await engine.follower.source.positionBefore(
      secondsNow(engine) - drift - 10 * MINUTE,
      finalized,
      'first',
    );
    engine.node.behave({ firstAvailable: kept.height });
    await settle(engine);
    engine.node.behave({ firstAvailable: firstSlotOf(engine.node.ledger) });
    expect(await statusOf(engine, store, transId)).toBe('completed');
  });
});
