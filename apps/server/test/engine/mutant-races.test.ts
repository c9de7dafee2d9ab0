import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { inTransaction } from '../../src/db/transaction.ts';
import { createApplyTransfers } from '../../src/invoices/apply-transfers.ts';
import { NETWORKS } from '../../rig/chains/networks.ts';
import type { ChainSource } from '../../src/sources/chain-source.ts';
import { rescanChain } from '../../src/chains/rescan-chain.ts';
import { chooseWitnesses } from '../../src/chains/witness.ts';
import { untilDoneOrWaiting } from '../../rig/interleave/interleave.ts';
import { headerAt, reorg } from '../../rig/chains/evm/reorg.ts';
import { sendSigned, signPayment } from '../../rig/chains/evm/signed.ts';
import { canonicalToken } from '../../rig/chains/evm/token.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import type { EngineFixture } from '../../rig/invoices/engine-fixture.ts';
import { follow, mineNow, settle } from '../../rig/invoices/follow-network.ts';
import { alarmsOf, endOf, lookUp, standingOf, statusOf, transfersOf } from '../../rig/invoices/look-up.ts';
import {
  chainOf,
  followerOf,
  openPayableStore,
  openEngineFixture,
  secondsNow,
} from '../../rig/invoices/engine-fixture.ts';
import { command } from '../../rig/invoices/run-command.ts';
import { newInvoice, pay, select, unitsOf } from '../../rig/invoices/pay-invoice.ts';

/** Commands beside a reader wait for its commit; and a reorg undoes everything above the fork, and nothing else. */

let engine: EngineFixture;
let store: TestStore;
beforeAll(async () => {
  engine = await openEngineFixture(inject('template'), ['ETH']);
  store = await openPayableStore(engine);
  await settle(engine, 'ETH');
});
afterAll(() => engine.close());

/** Number of blocks after which a pending payment is final. */
const FINAL_BLOCKS = 100;
const node = () => chainOf(engine, 'ETH').anvil;

/** A reader that lets work begin inside the commit which moves coverage. */
function readerBeside(work: () => Promise<unknown>, change = (source: ChainSource) => source) {
  let begun: Promise<unknown> | undefined;
  const failpoint = async (name: string) => {
    if (name !== 'tier:in-commit' || begun) return;
    begun = work();
    await untilDoneOrWaiting(engine.database, begun);
  };
  const follower = followerOf(engine, 'ETH', [node().url], { failpoint });
  return { follower: { ...follower, source: change(follower.source) }, finished: () => begun };
}

test('a transfer that is attached while coverage passes it completes its invoice', async () => {
  const transId = await newInvoice(engine, store);
  const quote = await select(engine, transId, 'ETH');
  const hash = await pay(engine, quote, unitsOf(quote) - 1n);
  await mineNow(engine, 'ETH', 6);
  await follow(engine, 'ETH');
  expect(await transfersOf(engine, hash)).toMatchObject([{ reason: 'short' }]);
  const attachment = { invoice: transId, network: 'ETH', tx: hash, index: 'USDT:0' };
  const { follower, finished } = readerBeside(() => command(engine, 'inbox attach', attachment));
  await mineNow(engine, 'ETH', 30);
  await follow(engine, 'ETH', follower);
  expect(await finished()).toMatchObject({ attached: hash });
  expect(await lookUp(engine, store, transId)).toMatchObject({ status: 'completed', transaction_hash: hash });
});

/** A source that lacks one transaction. */
function lackingOne(source: ChainSource, hash: string): ChainSource {
  const without =
    (ask: ChainSource['read']): ChainSource['read'] =>
    async (request) => {
      const read = await ask(request);
      return { ...read, transfers: read.transfers.filter(({ txId }) => txId !== hash) };
    };
  return { ...source, read: without(source.read), readBlocks: without(source.readBlocks) };
}

test('a payment that a rescan finds while coverage passes it completes its invoice', async () => {
  const transId = await newInvoice(engine, store);
  const hash = await pay(engine, await select(engine, transId, 'ETH'));
  await mineNow(engine, 'ETH');
  const { number: height } = await headerAt(node(), 'latest');
  const honest = followerOf(engine, 'ETH', [node().url, node().url]);
  const rescan = async () => {
    const witnesses = await chooseWitnesses(honest.source);
    return rescanChain(honest, { from: height, to: height, native: false, witnesses, wait: async () => {} });
  };
  const { follower, finished } = readerBeside(rescan, (source) => lackingOne(source, hash));
  await mineNow(engine, 'ETH', FINAL_BLOCKS);
  await follow(engine, 'ETH', follower);
  expect(await finished()).toMatchObject({ found: 1 });
  expect(await lookUp(engine, store, transId)).toMatchObject({ status: 'completed', transaction_hash: hash });
});

test('a rescan waits for a rewind that is being committed, and records nothing that was read before it', async () => {
  const hash = await pay(engine, await select(engine, await newInvoice(engine, store), 'ETH'));
  await mineNow(engine, 'ETH');
  const { number: height } = await headerAt(node(), 'latest');
  await mineNow(engine, 'ETH', FINAL_BLOCKS);
  const reader = followerOf(engine, 'ETH', [node().url]);
  await follow(engine, 'ETH', { ...reader, source: lackingOne(reader.source, hash) });
  const rewind = await engine.database.pool.connect();
  const atCommit = Promise.withResolvers<void>();
  const mayCommit = Promise.withResolvers<void>();
  const failpoint = async (name: string) => {
    if (name !== 'rescan:before-commit') return;
    atCommit.resolve();
    await mayCommit.promise;
  };
  const honest = followerOf(engine, 'ETH', [node().url, node().url], { failpoint });
  const witnesses = await chooseWitnesses(honest.source);
  const rescan = rescanChain(honest, { from: height, to: height, native: false, witnesses, wait: async () => {} });
  const refused = rescan.then(
    () => 'It was recorded.',
    (cause: unknown) => cause,
  );
  try {
    await Promise.race([atCommit.promise, rescan]);
    await rewind.query('begin');
    await rewind.query(`update chains set rewinds = rewinds + 1 where network = 'ETH'`);
    mayCommit.resolve();
    await untilDoneOrWaiting(engine.database, rescan);
    await rewind.query('commit');
  } finally {
    rewind.release(true);
  }
  expect(await refused).toMatchObject({ code: 'NETWORK_REORGANISED', details: { network: 'ETH' } });
  expect(await transfersOf(engine, hash)).toEqual([]);
});

test('a completed invoice whose payment turns out to be another transfer freezes its network', async () => {
  const transId = await newInvoice(engine, store);
  const hash = await pay(engine, await select(engine, transId, 'ETH'));
  await settle(engine, 'ETH');
  const { rows } = await engine.database.pool.query<{ id: bigint }>(
    'update transfers set units = units + 1, invoice_id = null, quote_id = null where tx_id = $1 returning id',
    [hash],
  );
  const apply = createApplyTransfers({ clock: engine.clock, networks: NETWORKS });
  const ids = rows.map(({ id }) => id);
  await inTransaction(engine.as('worker'), (tx) => apply(tx, 'ETH', ids));
  expect(await standingOf(engine, 'ETH')).toMatchObject({ frozen: true });
  expect(await alarmsOf(engine, transId)).toEqual(['payment-reverted']);
  expect(await statusOf(engine, store, transId)).toBe('completed');
  await command(engine, 'chain unfreeze', { network: 'ETH', reason: 'test' });
});

test('a payment in the very block that both forks have in common stays', async () => {
  const transId = await newInvoice(engine, store);
  const hash = await pay(engine, await select(engine, transId, 'ETH'));
  await mineNow(engine, 'ETH');
  await mineNow(engine, 'ETH', 5);
  await follow(engine, 'ETH');
  await reorg(node(), 5);
  await mineNow(engine, 'ETH');
  await follow(engine, 'ETH');
  expect(await transfersOf(engine, hash)).toMatchObject([{ canonical: true }]);
  await settle(engine, 'ETH');
  expect(await lookUp(engine, store, transId)).toMatchObject({ status: 'completed', transaction_hash: hash });
});

test('a payment that a reorg puts into a block after the end is judged by that block', async () => {
  const transId = await newInvoice(engine, store);
  const quote = await select(engine, transId, 'ETH');
  const to = quote.toAddress as `0x${string}`;
  const token = canonicalToken(1, 'USDT').address;
  const signed = await signPayment(node(), { payer: 1, to, units: unitsOf(quote), token });
  engine.clock.advance(((await endOf(engine, transId)) - 20 - secondsNow(engine)) * 1000);
  await sendSigned(node(), signed);
  await mineNow(engine, 'ETH', 6);
  await follow(engine, 'ETH');
  expect(await statusOf(engine, store, transId)).toBe('processing');
  await reorg(node(), 6, [{ rawTransaction: signed.rawTransaction, offset: 4 }], { secondsBetween: 600 });
  engine.clock.advance(3_600_000);
  await settle(engine, 'ETH');
  expect(await transfersOf(engine, signed.hash)).toMatchObject([{ canonical: true, reason: 'late' }]);
  expect(await statusOf(engine, store, transId)).not.toBe('completed');
});
