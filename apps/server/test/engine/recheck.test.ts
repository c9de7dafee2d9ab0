import { afterAll, beforeAll, expect, test } from 'vitest';
import { headerAt } from '../chain/reorg.ts';
import type { TestStore } from '../harness.ts';
import {
  alarmsOf,
  auditOf,
  chainOf,
  command,
  eventsOf,
  expire,
  follow as followChain,
  lookUp,
  mineNow,
  newInvoice,
  pay as payOnChain,
  select as selectOn,
  settle as settleChain,
  standingOf,
  statusOf,
} from './shop.ts';
import type { SolanaShop } from './solana-shop.ts';
import { accountOf, follow, goPast, openBothNetworks, openQuote, pay, produceNow, settle } from './solana-shop.ts';

/** What was passed over, for whatever reason, is found when an operator has it looked for. */

let shop: SolanaShop;
let store: TestStore & { wallet: string };
beforeAll(async () => {
  ({ shop, store } = await openBothNetworks());
});
afterAll(() => shop.close());

const HISTORY = 30;
/** More than a read goes back over by itself. */
const FAR_SLOTS = 400;

/** The cursor and coverage go to the head as if everything up to it had been read. */
async function passOver(): Promise<void> {
  const { anvil } = chainOf(shop, 'BSC');
  const head = await headerAt(anvil, 'finalized');
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

async function passOverAccount(account: string): Promise<void> {
  const { finalized } = await shop.follower.source.heads('first');
  const values = [finalized.height, new Date(finalized.time * 1000), account];
  await shop.database.pool.query(
    `update followed_accounts set height = $1, block_time = $2, version = version + 1 where account = $3`,
    values,
  );
  await shop.database.pool.query('update chain_coverage set height = $1, block_time = $2 where scope = $3', values);
}

async function missedOnChain(): Promise<{ transId: string; hash: string; height: number }> {
  const transId = await newInvoice(shop, store);
  const quote = await selectOn(shop, transId, 'BSC');
  const hash = await payOnChain(shop, quote);
  await mineNow(shop, 'BSC');
  const { number: height } = await headerAt(chainOf(shop, 'BSC').anvil, 'latest');
  await goPast(shop, transId);
  await mineNow(shop, 'BSC', HISTORY);
  await passOver();
  await expire(shop);
  expect(await statusOf(shop, store, transId)).toBe('expired');
  return { transId, hash, height };
}

async function expectFoundLate(transId: string, hash: string): Promise<void> {
  expect(await lookUp(shop, store, transId)).toMatchObject({ status: 'completed', transaction_hash: hash });
  expect(await alarmsOf(shop, transId)).toEqual(['found-late']);
  expect(await eventsOf(shop, transId)).toMatchObject([{ event: 'invoice.expired' }, { event: 'invoice.completed' }]);
}

test('a payment on a chain that was passed over is found by a recheck of its invoice, once, and audited', async () => {
  const { transId, hash } = await missedOnChain();
  const before = await standingOf(shop, 'BSC');
  expect(await command(shop, 'invoice recheck', { 'trans-id': transId })).toMatchObject([{ network: 'BSC', found: 1 }]);
  await expectFoundLate(transId, hash);
  expect(await standingOf(shop, 'BSC')).toEqual(before);
  expect(await command(shop, 'invoice recheck', { 'trans-id': transId })).toMatchObject([{ found: 0 }]);
  expect(await auditOf(shop, `store:${store.id}`)).toEqual(
    expect.arrayContaining(['invoice.recheck', 'invoice.recheck']),
  );
});

test('a range of a chain is read again, and coverage stays where it is', async () => {
  const { transId, hash, height } = await missedOnChain();
  const before = await standingOf(shop, 'BSC');
  const range = { network: 'BSC', from: String(height - 2), to: String(height + 2), reason: 'a provider lost logs' };
  expect(await command(shop, 'chain rescan', range)).toEqual({
    rescanned: { from: height - 2, to: height + 2, found: 1, doubted: [] },
  });
  await expectFoundLate(transId, hash);
  expect(await standingOf(shop, 'BSC')).toEqual(before);
  expect(await auditOf(shop, 'chain:BSC')).toEqual(['chain.rescan']);
});

test('a payment at an account that was passed over is found, also when the account has gone idle since', async () => {
  const { transId, quote } = await openQuote(shop, store);
  await follow(shop);
  const hash = await pay(shop, quote);
  produceNow(shop, 40);
  await goPast(shop, transId);
  produceNow(shop, FAR_SLOTS);
  await passOverAccount(quote.toAddress);
  await expire(shop);
  expect(await statusOf(shop, store, transId)).toBe('expired');
  shop.clock.advance(26 * 3_600_000);
  await settle(shop);
  expect(await accountOf(shop, quote.toAddress)).toMatchObject({ state: 'idle' });
  expect(await command(shop, 'invoice recheck', { 'trans-id': transId })).toMatchObject([{ network: 'SOL', found: 1 }]);
  await expectFoundLate(transId, hash);
});

test('a payment at an account that is known and was never decided is decided by a recheck', async () => {
  const { transId, quote } = await openQuote(shop, store);
  await follow(shop);
  const hash = await pay(shop, quote);
  produceNow(shop, FAR_SLOTS);
  await passOverAccount(quote.toAddress);
  await shop.database.pool.query(`update chains set frozen_at = now() where network = 'SOL'`);
  expect(await command(shop, 'invoice recheck', { 'trans-id': transId })).toMatchObject([{ found: 1 }]);
  await shop.database.pool.query(`update chains set frozen_at = null where network = 'SOL'`);
  expect(await statusOf(shop, store, transId)).toBe('processing');
  expect(await command(shop, 'invoice recheck', { 'trans-id': transId })).toMatchObject([{ found: 0 }]);
  expect(await lookUp(shop, store, transId)).toMatchObject({ status: 'completed', transaction_hash: hash });
});

test('all accounts are read again from a height', async () => {
  const { transId, quote } = await openQuote(shop, store);
  await follow(shop);
  const hash = await pay(shop, quote);
  const slot = produceNow(shop);
  produceNow(shop, 40);
  await goPast(shop, transId);
  produceNow(shop, FAR_SLOTS);
  await passOverAccount(quote.toAddress);
  await expire(shop);
  await command(shop, 'chain rescan', { network: 'SOL', from: String(slot), reason: 'an index was behind' });
  await expectFoundLate(transId, hash);
});

test('a chain that shares nothing with what we hold is taken up again where its node is, by an operator', async () => {
  await settleChain(shop, 'BSC');
  const waiting = await newInvoice(shop, store);
  const quote = await selectOn(shop, waiting, 'BSC');
  const { height } = await standingOf(shop, 'BSC');
  await shop.database.pool.query(`update chain_blocks set hash = 'gone' || height where network = 'BSC'`);
  await shop.database.pool.query(`update chains set hash = 'gone' || height where network = 'BSC'`);
  await expect(
    command(shop, 'chain rescan', { network: 'BSC', from: String(height), reason: 'too early' }),
  ).rejects.toThrow('not frozen');
  await expect(followChain(shop, 'BSC')).rejects.toThrow('below every header');
  expect(await standingOf(shop, 'BSC')).toMatchObject({ frozen: true });
  await command(shop, 'chain rescan', {
    network: 'BSC',
    from: String(height - 20),
    reason: 'the network was restarted',
  });
  expect(await standingOf(shop, 'BSC')).toMatchObject({ height: height - 21 });
  const hash = await payOnChain(shop, quote);
  await settleChain(shop, 'BSC');
  expect(await standingOf(shop, 'BSC')).toMatchObject({ frozen: false });
  expect(await lookUp(shop, store, waiting)).toMatchObject({ status: 'completed', transaction_hash: hash });
});
