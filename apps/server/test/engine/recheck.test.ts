import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { headerAt } from '../../rig/chains/evm/reorg.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { alarmsOf, auditOf, eventsOf, lookUp, standingOf, statusOf } from '../../rig/invoices/look-up.ts';
import { chainOf } from '../../rig/invoices/engine-fixture.ts';
import { command } from '../../rig/invoices/run-command.ts';
import { expire, follow as followChain, mineNow, settle as settleChain } from '../../rig/invoices/follow-network.ts';
import { newInvoice, pay as payOnChain, select as selectOn } from '../../rig/invoices/pay-invoice.ts';
import type { SolanaFixture } from '../../rig/invoices/solana-fixture.ts';
import {
  accountOf,
  follow,
  goPast,
  openBothNetworks,
  openQuote,
  pay,
  produceNow,
  settle,
} from '../../rig/invoices/solana-fixture.ts';

/** Payments that reading missed are found when an operator has them searched. */

let engine: SolanaFixture;
let store: TestStore & { wallet: string };
beforeAll(async () => {
  ({ engine, store } = await openBothNetworks(inject('template')));
});
afterAll(() => engine.close());

const HISTORY = 30;
/** Slots beyond the overlap of an ordinary read. */
const FAR_SLOTS = 400;

/** Moves the cursor and coverage to the final block as if everything up to it had been read. */
async function passOver(): Promise<void> {
  const { anvil } = chainOf(engine, 'BSC');
  const head = await headerAt(anvil, 'finalized');
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

async function passOverAccount(account: string): Promise<void> {
  const { finalized } = await engine.follower.source.heads('first');
  const values = [finalized.height, new Date(finalized.time * 1000), account];
  await engine.database.pool.query(
    `update followed_accounts set height = $1, block_time = $2, version = version + 1 where account = $3`,
    values,
  );
  await engine.database.pool.query('update chain_coverage set height = $1, block_time = $2 where scope = $3', values);
}

async function missedOnChain(): Promise<{ transId: string; hash: string; height: number }> {
  const transId = await newInvoice(engine, store);
  const quote = await selectOn(engine, transId, 'BSC');
  const hash = await payOnChain(engine, quote);
  await mineNow(engine, 'BSC');
  const { number: height } = await headerAt(chainOf(engine, 'BSC').anvil, 'latest');
  await goPast(engine, transId);
  await mineNow(engine, 'BSC', HISTORY);
  await passOver();
  await expire(engine);
  expect(await statusOf(engine, store, transId)).toBe('expired');
  return { transId, hash, height };
}

async function expectFoundLate(transId: string, hash: string): Promise<void> {
  expect(await lookUp(engine, store, transId)).toMatchObject({ status: 'completed', transaction_hash: hash });
  expect(await alarmsOf(engine, transId)).toEqual(['found-late']);
  expect(await eventsOf(engine, transId)).toMatchObject([{ event: 'invoice.expired' }, { event: 'invoice.completed' }]);
}

test('a payment on a chain that was passed over is found by a recheck of its invoice, once, and audited', async () => {
  const { transId, hash } = await missedOnChain();
  const before = await standingOf(engine, 'BSC');
  expect(await command(engine, 'invoice recheck', { 'trans-id': transId })).toMatchObject([
    { network: 'BSC', found: 1 },
  ]);
  await expectFoundLate(transId, hash);
  expect(await standingOf(engine, 'BSC')).toEqual(before);
  expect(await command(engine, 'invoice recheck', { 'trans-id': transId })).toMatchObject([{ found: 0 }]);
  expect(await auditOf(engine, `invoice:${transId}`)).toEqual(['invoice.recheck', 'invoice.recheck']);
});

test('a range of a chain is read again, and coverage stays where it is', async () => {
  const { transId, hash, height } = await missedOnChain();
  const before = await standingOf(engine, 'BSC');
  const range = { network: 'BSC', from: String(height - 2), to: String(height + 2), reason: 'a provider lost logs' };
  expect(await command(engine, 'chain rescan', range)).toEqual({
    rescanned: { from: height - 2, to: height + 2, found: 1, doubted: [] },
  });
  await expectFoundLate(transId, hash);
  expect(await standingOf(engine, 'BSC')).toEqual(before);
  expect(await auditOf(engine, 'chain:BSC')).toEqual(['chain.rescan']);
});

test('a payment at an account that was passed over is found, also when the account has gone idle since', async () => {
  const { transId, quote } = await openQuote(engine, store);
  await follow(engine);
  const hash = await pay(engine, quote);
  produceNow(engine, 40);
  await goPast(engine, transId);
  produceNow(engine, FAR_SLOTS);
  await passOverAccount(quote.toAddress);
  await expire(engine);
  expect(await statusOf(engine, store, transId)).toBe('expired');
  engine.clock.advance(26 * 3_600_000);
  await settle(engine);
  expect(await accountOf(engine, quote.toAddress)).toMatchObject({ state: 'idle' });
  expect(await command(engine, 'invoice recheck', { 'trans-id': transId })).toMatchObject([
    { network: 'SOL', found: 1 },
  ]);
  await expectFoundLate(transId, hash);
});

test('a payment at an account that is known and was never decided is decided by a recheck', async () => {
  const { transId, quote } = await openQuote(engine, store);
  await follow(engine);
  const hash = await pay(engine, quote);
  produceNow(engine, FAR_SLOTS);
  await passOverAccount(quote.toAddress);
  await engine.database.pool.query(`update chains set frozen_at = now() where network = 'SOL'`);
  expect(await command(engine, 'invoice recheck', { 'trans-id': transId })).toMatchObject([{ found: 1 }]);
  await engine.database.pool.query(`update chains set frozen_at = null where network = 'SOL'`);
  expect(await statusOf(engine, store, transId)).toBe('processing');
  expect(await command(engine, 'invoice recheck', { 'trans-id': transId })).toMatchObject([{ found: 0 }]);
  expect(await lookUp(engine, store, transId)).toMatchObject({ status: 'completed', transaction_hash: hash });
});

test('all accounts are read again from a height', async () => {
  const { transId, quote } = await openQuote(engine, store);
  await follow(engine);
  const hash = await pay(engine, quote);
  const slot = produceNow(engine);
  produceNow(engine, 40);
  await goPast(engine, transId);
  produceNow(engine, FAR_SLOTS);
  await passOverAccount(quote.toAddress);
  await expire(engine);
  await command(engine, 'chain rescan', { network: 'SOL', from: String(slot), reason: 'an index was behind' });
  await expectFoundLate(transId, hash);
});

test('a chain that shares nothing with what we hold is taken up again where its node is, by an operator', async () => {
  await settleChain(engine, 'BSC');
  const waiting = await newInvoice(engine, store);
  const quote = await selectOn(engine, waiting, 'BSC');
  const { height } = await standingOf(engine, 'BSC');
  await engine.database.pool.query(`update chain_blocks set hash = 'gone' || height where network = 'BSC'`);
  await engine.database.pool.query(`update chains set hash = 'gone' || height where network = 'BSC'`);
  await expect(
    command(engine, 'chain rescan', { network: 'BSC', from: String(height), reason: 'too early' }),
  ).rejects.toThrow('not frozen');
  await expect(followChain(engine, 'BSC')).rejects.toThrow('below every header');
  expect(await standingOf(engine, 'BSC')).toMatchObject({ frozen: true });
  await command(engine, 'chain rescan', {
    network: 'BSC',
    from: String(height - 20),
    reason: 'the network was restarted',
  });
  expect(await standingOf(engine, 'BSC')).toMatchObject({ height: height - 21 });
  const hash = await payOnChain(engine, quote);
  await settleChain(engine, 'BSC');
  expect(await standingOf(engine, 'BSC')).toMatchObject({ frozen: false });
  expect(await lookUp(engine, store, waiting)).toMatchObject({ status: 'completed', transaction_hash: hash });
});
