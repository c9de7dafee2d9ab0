import { afterAll, beforeAll, expect, test } from 'vitest';
import { inTransaction } from '../../src/db/transaction.ts';
import { createApplyTransfers } from '../../src/invoices/apply-transfers.ts';
import type { ChainSource } from '../../src/sources/chain-source.ts';
import { followHead, followTiers } from '../../src/chains/follow-chain.ts';
import type { Follower } from '../../src/chains/follower.ts';
import { rescanChain } from '../../src/chains/rescan-chain.ts';
import { chooseWitnesses } from '../../src/chains/witness.ts';
import { headerAt, reorg } from '../chain/reorg.ts';
import { sendSigned, signPayment } from '../chain/signed.ts';
import { canonicalToken } from '../chain/token.ts';
import type { TestStore } from '../harness.ts';
import type { Shop } from './shop.ts';
import {
  ageReads,
  alarmsOf,
  chainOf,
  command,
  endOf,
  follow,
  followerOf,
  lookUp,
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

/** Whoever decides beside a reader must wait for its commit; and a reorg undoes what stood above the fork, and nothing else. */

let shop: Shop;
let store: TestStore;
beforeAll(async () => {
  shop = await openShop(['ETH']);
  store = await openPayableStore(shop);
  await settle(shop, 'ETH');
});
afterAll(() => shop.close());

/** After so many blocks what was pending is final. */
const FINAL_BLOCKS = 100;
const node = () => chainOf(shop, 'ETH').anvil;

/** Starts work, and comes back when it is done or waits for a lock. */
async function untilDoneOrWaiting(work: Promise<unknown>): Promise<void> {
  const state = { done: false };
  const end = () => {
    state.done = true;
  };
  work.then(end, end);
  while (!state.done) {
    const { rowCount } = await shop.database.pool.query(
      `select from pg_locks l join pg_stat_activity a on a.pid = l.pid where not l.granted and a.datname = current_database()`,
    );
    if (rowCount !== 0) return;
  }
}

/** A reader that lets work begin inside the commit which moves coverage. */
function readerBeside(work: () => Promise<unknown>, change: (follower: Follower) => void = () => {}) {
  let begun: Promise<unknown> | undefined;
  const failpoint = async (name: string) => {
    if (name !== 'tier:in-commit' || begun) return;
    begun = work();
    await untilDoneOrWaiting(begun);
  };
  const follower = followerOf(shop, 'ETH', [node().url], { failpoint });
  change(follower);
  return { follower, finished: () => begun };
}

test('a transfer that is attached while coverage passes it completes its invoice', async () => {
  const transId = await newInvoice(shop, store);
  const quote = await select(shop, transId, 'ETH');
  const hash = await pay(shop, quote, unitsOf(quote) - 1n);
  await mineNow(shop, 'ETH', 6);
  await follow(shop, 'ETH');
  expect(await transfersOf(shop, hash)).toMatchObject([{ reason: 'short' }]);
  const attachment = { invoice: transId, network: 'ETH', tx: hash, index: 'USDT:0' };
  const { follower, finished } = readerBeside(() => command(shop, 'inbox attach', attachment));
  await mineNow(shop, 'ETH', 30);
  await follow(shop, 'ETH', follower);
  expect(await finished()).toMatchObject({ attached: hash });
  expect(await lookUp(shop, store, transId)).toMatchObject({ status: 'completed', transaction_hash: hash });
});

/** Answers as they are, but for one transaction. */
function lackingOne(ask: ChainSource['read'], hash: string): ChainSource['read'] {
  return async (request) => {
    const read = await ask(request);
    return { ...read, transfers: read.transfers.filter(({ txId }) => txId !== hash) };
  };
}

test('a payment that a rescan finds while coverage passes it completes its invoice', async () => {
  const transId = await newInvoice(shop, store);
  const hash = await pay(shop, await select(shop, transId, 'ETH'));
  await mineNow(shop, 'ETH');
  const { number: height } = await headerAt(node(), 'latest');
  const honest = followerOf(shop, 'ETH', [node().url, node().url]);
  const rescan = async () => {
    const witnesses = await chooseWitnesses(honest.source);
    return rescanChain(honest, { from: height, to: height, native: false, witnesses, wait: async () => {} });
  };
  const { follower, finished } = readerBeside(rescan, (lacking) => {
    const { read, readBlocks } = lacking.source;
    lacking.source = { ...lacking.source, read: lackingOne(read, hash), readBlocks: lackingOne(readBlocks, hash) };
  });
  await mineNow(shop, 'ETH', FINAL_BLOCKS);
  await follow(shop, 'ETH', follower);
  expect(await finished()).toMatchObject({ found: 1 });
  expect(await lookUp(shop, store, transId)).toMatchObject({ status: 'completed', transaction_hash: hash });
});

test('a rescan waits for a rewind that is being committed, and records nothing that was read before it', async () => {
  const hash = await pay(shop, await select(shop, await newInvoice(shop, store), 'ETH'));
  await mineNow(shop, 'ETH');
  const { number: height } = await headerAt(node(), 'latest');
  await mineNow(shop, 'ETH', FINAL_BLOCKS);
  const lacking = followerOf(shop, 'ETH', [node().url]);
  const { read, readBlocks } = lacking.source;
  lacking.source = { ...lacking.source, read: lackingOne(read, hash), readBlocks: lackingOne(readBlocks, hash) };
  await follow(shop, 'ETH', lacking);
  const rewind = await shop.database.pool.connect();
  const atCommit = Promise.withResolvers<void>();
  const mayCommit = Promise.withResolvers<void>();
  const failpoint = async (name: string) => {
    if (name !== 'rescan:before-commit') return;
    atCommit.resolve();
    await mayCommit.promise;
  };
  const honest = followerOf(shop, 'ETH', [node().url, node().url], { failpoint });
  const witnesses = await chooseWitnesses(honest.source);
  const rescan = rescanChain(honest, { from: height, to: height, native: false, witnesses, wait: async () => {} });
  const refused = rescan.then(() => 'It was recorded.', String);
  try {
    await Promise.race([atCommit.promise, rescan]);
    await rewind.query('begin');
    await rewind.query(`update chains set rewinds = rewinds + 1 where network = 'ETH'`);
    mayCommit.resolve();
    await untilDoneOrWaiting(rescan);
    await rewind.query('commit');
  } finally {
    rewind.release(true);
  }
  expect(await refused).toContain('ETH was reorganised meanwhile. Run it again.');
  expect(await transfersOf(shop, hash)).toEqual([]);
});

test('coverage that one worker has moved on is not taken back by another that read less', async () => {
  await mineNow(shop, 'ETH', FINAL_BLOCKS);
  const atCommit = Promise.withResolvers<void>();
  const mayCommit = Promise.withResolvers<void>();
  const failpoint = async (name: string) => {
    if (name !== 'tier:before-commit') return;
    atCommit.resolve();
    await mayCommit.promise;
  };
  const slow = followerOf(shop, 'ETH', [node().url], { failpoint });
  await followHead(slow);
  await ageReads(shop.database, 'ETH');
  const covering = followTiers(slow);
  await atCommit.promise;
  await mineNow(shop, 'ETH', FINAL_BLOCKS);
  await follow(shop, 'ETH');
  const { covered } = await standingOf(shop, 'ETH');
  mayCommit.resolve();
  await covering;
  expect((await standingOf(shop, 'ETH')).covered).toEqual(covered);
});

test('a completed invoice whose payment turns out to be another transfer freezes its network', async () => {
  const transId = await newInvoice(shop, store);
  const hash = await pay(shop, await select(shop, transId, 'ETH'));
  await settle(shop, 'ETH');
  const { rows } = await shop.database.pool.query<{ id: bigint }>(
    'update transfers set units = units + 1, invoice_id = null, quote_id = null where tx_id = $1 returning id',
    [hash],
  );
  const apply = createApplyTransfers(shop.clock);
  const ids = rows.map(({ id }) => id);
  await inTransaction(shop.as('worker'), (tx) => apply(tx, 'ETH', ids));
  expect(await standingOf(shop, 'ETH')).toMatchObject({ frozen: true });
  expect(await alarmsOf(shop, transId)).toEqual(['payment-reverted']);
  expect(await statusOf(shop, store, transId)).toBe('completed');
  await command(shop, 'chain unfreeze', { network: 'ETH', reason: 'test' });
});

test('a payment in the very block that both forks have in common stays', async () => {
  const transId = await newInvoice(shop, store);
  const hash = await pay(shop, await select(shop, transId, 'ETH'));
  await mineNow(shop, 'ETH');
  await mineNow(shop, 'ETH', 5);
  await follow(shop, 'ETH');
  await reorg(node(), 5);
  await mineNow(shop, 'ETH');
  await follow(shop, 'ETH');
  expect(await transfersOf(shop, hash)).toMatchObject([{ canonical: true }]);
  await settle(shop, 'ETH');
  expect(await lookUp(shop, store, transId)).toMatchObject({ status: 'completed', transaction_hash: hash });
});

test('a payment that a reorg puts into a block after the end is judged by that block', async () => {
  const transId = await newInvoice(shop, store);
  const quote = await select(shop, transId, 'ETH');
  const to = quote.toAddress as `0x${string}`;
  const token = canonicalToken(1, 'USDT').address;
  const signed = await signPayment(node(), { payer: 1, to, units: unitsOf(quote), token });
  shop.clock.advance(((await endOf(shop, transId)) - 20 - secondsNow(shop)) * 1000);
  await sendSigned(node(), signed);
  await mineNow(shop, 'ETH', 6);
  await follow(shop, 'ETH');
  expect(await statusOf(shop, store, transId)).toBe('processing');
  await reorg(node(), 6, [{ rawTransaction: signed.rawTransaction, offset: 4 }], { secondsBetween: 600 });
  shop.clock.advance(3_600_000);
  await settle(shop, 'ETH');
  expect(await transfersOf(shop, signed.hash)).toMatchObject([{ canonical: true, reason: 'late' }]);
  expect(await statusOf(shop, store, transId)).not.toBe('completed');
});
