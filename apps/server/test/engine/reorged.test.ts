import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { findLedgerFaults } from '../../src/ledger/ledger-sql.ts';
import { readChain } from '../../src/chains/chain-sql.ts';
import { HEAD } from '../../src/chains/block-range.ts';
import { compareWithNode } from '../../src/chains/rewind-chain.ts';
import { startAnvil } from '../../rig/chains/evm/anvil.ts';
import { startBalancer } from '../../rig/chains/evm/balancer.ts';
import { headerAt, mine, reorg, rollback } from '../../rig/chains/evm/reorg.ts';
import type { SignedTransaction } from '../../rig/chains/evm/signed.ts';
import { sendSigned, signPayment } from '../../rig/chains/evm/signed.ts';
import { canonicalToken, installCanonicalTokens } from '../../rig/chains/evm/token.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import type { EngineFixture } from '../../rig/invoices/engine-fixture.ts';
import {
  alarmsOf,
  auditOf,
  endOf,
  eventsOf,
  lookUp,
  standingOf,
  statusOf,
  transfersOf,
} from '../../rig/invoices/look-up.ts';
import {
  chainOf,
  CHAIN_IDS,
  followerOf,
  openPayableStore,
  openEngineFixture,
  secondsNow,
} from '../../rig/invoices/engine-fixture.ts';
import { command } from '../../rig/invoices/run-command.ts';
import { expire, follow, followChain, mineNow, settle } from '../../rig/invoices/follow-network.ts';
import { newInvoice, pay, select, unitsOf } from '../../rig/invoices/pay-invoice.ts';

/** Reorgs: nothing is counted twice, nothing is lost, and no completed invoice changes silently. */

let engine: EngineFixture;
let store: TestStore;
beforeAll(async () => {
  engine = await openEngineFixture(inject('template'), ['ETH']);
  store = await openPayableStore(engine);
  await follow(engine, 'ETH');
});
afterAll(() => engine.close());

const node = () => chainOf(engine, 'ETH').anvil;
const TOKEN = canonicalToken(1, 'USDT').address;
const LONG_AGO_BLOCKS = 25;

type Quote = Awaited<ReturnType<typeof select>>;

async function openQuote(): Promise<{ transId: string; quote: Quote }> {
  const transId = await newInvoice(engine, store);
  return { transId, quote: await select(engine, transId, 'ETH') };
}

/** Signs a payment that a reorg can put into another block. */
async function sign(quote: Quote, payer: number): Promise<SignedTransaction> {
  const to = quote.toAddress as `0x${string}`;
  return signPayment(node(), { payer, to, units: unitsOf(quote), token: TOKEN });
}

/** Opens an invoice that is paid in the lowest of six blocks, and seen. */
async function openPaid(payer: number): Promise<{ transId: string; quote: Quote; signed: SignedTransaction }> {
  const { transId, quote } = await openQuote();
  const signed = await sign(quote, payer);
  await sendSigned(node(), signed);
  await mineNow(engine, 'ETH', 6);
  await follow(engine, 'ETH');
  expect(await statusOf(engine, store, transId)).toBe('processing');
  return { transId, quote, signed };
}

async function readOn(): Promise<void> {
  await mineNow(engine, 'ETH');
  await follow(engine, 'ETH');
}

test('a payment that is reorged out takes its invoice back to waiting, which can be paid again', async () => {
  const { transId, quote, signed } = await openPaid(1);
  await reorg(node(), 6);
  await readOn();
  expect(await statusOf(engine, store, transId)).toBe('waiting');
  expect(await transfersOf(engine, signed.hash)).toMatchObject([{ canonical: false, reason: null, trans_id: transId }]);
  expect(await eventsOf(engine, transId)).toEqual([]);
  const again = await pay(engine, quote);
  await settle(engine, 'ETH');
  expect(await lookUp(engine, store, transId)).toMatchObject({ status: 'completed', transaction_hash: again });
});

test('the same transaction in another block is the same transfer: it moves, and completes once', async () => {
  const { transId, signed } = await openPaid(1);
  const [before] = await transfersOf(engine, signed.hash);
  await reorg(node(), 6, [{ rawTransaction: signed.rawTransaction, offset: 3 }]);
  await mineNow(engine, 'ETH', 3);
  await follow(engine, 'ETH');
  expect(await statusOf(engine, store, transId)).toBe('processing');
  const height = (before?.height ?? 0) + 3;
  expect(await transfersOf(engine, signed.hash)).toMatchObject([{ index: 'USDT:0', height, canonical: true }]);
  await settle(engine, 'ETH');
  expect(await lookUp(engine, store, transId)).toMatchObject({ status: 'completed', transaction_hash: signed.hash });
  await settle(engine, 'ETH');
  expect(await eventsOf(engine, transId)).toHaveLength(1);
  expect(await transfersOf(engine, signed.hash)).toHaveLength(1);
});

test('a payment replaced by another of the same amount is paid by the other', async () => {
  const { transId, quote, signed } = await openPaid(1);
  const other = await sign(quote, 2);
  await reorg(node(), 6, [{ rawTransaction: other.rawTransaction, offset: 1 }]);
  await settle(engine, 'ETH');
  expect(await lookUp(engine, store, transId)).toMatchObject({ status: 'completed', transaction_hash: other.hash });
  expect(await transfersOf(engine, signed.hash)).toMatchObject([{ canonical: false }]);
  expect(await transfersOf(engine, other.hash)).toMatchObject([{ canonical: true, reason: null }]);
});

test('reorged out past the window, an invoice expires only when the new blocks are read past its end', async () => {
  const { transId, quote } = await openQuote();
  const end = await endOf(engine, transId);
  engine.clock.advance((end - 10 - secondsNow(engine)) * 1000);
  await pay(engine, quote);
  await mineNow(engine, 'ETH', 6);
  await follow(engine, 'ETH');
  engine.clock.advance(60_000);
  await expire(engine);
  expect(await statusOf(engine, store, transId)).toBe('processing');
  await reorg(node(), 6);
  await readOn();
  await expire(engine);
  expect(await statusOf(engine, store, transId)).toBe('waiting');
  await settle(engine, 'ETH');
  await expire(engine);
  expect(await statusOf(engine, store, transId)).toBe('expired');
  expect(await eventsOf(engine, transId)).toMatchObject([{ event: 'invoice.expired' }]);
});

test('a head that goes backwards proves nothing; other blocks in its place do', async () => {
  const { transId } = await openPaid(1);
  const { rewinds } = chainOf(engine, 'ETH').follower.counts;
  await rollback(node(), 6);
  await follow(engine, 'ETH');
  expect(await statusOf(engine, store, transId)).toBe('processing');
  await mineNow(engine, 'ETH', 8);
  await follow(engine, 'ETH');
  expect(await statusOf(engine, store, transId)).toBe('waiting');
  expect(chainOf(engine, 'ETH').follower.counts.rewinds).toBe(rewinds + 1);
});

/** Opens a completed invoice whose payment is no longer in the chain. */
async function openReverted(payer: number): Promise<{ transId: string; signed: SignedTransaction }> {
  const { transId, signed } = await openPaid(payer);
  await mineNow(engine, 'ETH', LONG_AGO_BLOCKS - 6);
  await follow(engine, 'ETH');
  expect(await statusOf(engine, store, transId)).toBe('completed');
  await reorg(node(), LONG_AGO_BLOCKS);
  await readOn();
  return { transId, signed };
}

test('a completed invoice that loses its payment stays completed, and its network freezes until the payment is back', async () => {
  const due = (await openQuote()).transId;
  engine.clock.advance(20 * 60_000);
  const { transId: paid, quote } = await openQuote();
  const { transId, signed } = await openReverted(1);
  expect(await statusOf(engine, store, transId)).toBe('completed');
  expect(await alarmsOf(engine, transId)).toEqual(['payment-reverted']);
  expect(await transfersOf(engine, signed.hash)).toMatchObject([{ canonical: false }]);
  const frozen = await standingOf(engine, 'ETH');
  expect(frozen.frozen).toBe(true);

  await pay(engine, quote);
  await mineNow(engine, 'ETH');
  engine.clock.advance(15 * 60_000);
  await settle(engine, 'ETH');
  await expire(engine);
  expect(await statusOf(engine, store, paid)).toBe('processing');
  expect(await statusOf(engine, store, due)).toBe('waiting');
  expect((await standingOf(engine, 'ETH')).covered).toEqual(frozen.covered);

  await sendSigned(node(), signed);
  await readOn();
  await readOn();
  await settle(engine, 'ETH');
  await expire(engine);
  expect((await standingOf(engine, 'ETH')).frozen).toBe(false);
  expect(await statusOf(engine, store, paid)).toBe('completed');
  expect(await statusOf(engine, store, due)).toBe('expired');
  expect(await eventsOf(engine, transId)).toHaveLength(1);
  expect(await alarmsOf(engine, transId)).toEqual(['payment-reverted']);
  expect(await auditOf(engine, 'chain:ETH')).toEqual([]);
});

test('an operator may unfreeze a network whose payment does not come back; that is audited, and it goes on', async () => {
  const due = (await openQuote()).transId;
  engine.clock.advance(20 * 60_000);
  const { transId: paid, quote } = await openQuote();
  const { transId } = await openReverted(1);
  await pay(engine, quote);
  await mineNow(engine, 'ETH');
  engine.clock.advance(15 * 60_000);
  await settle(engine, 'ETH');
  expect(await statusOf(engine, store, paid)).toBe('processing');
  await expect(command(engine, 'chain unfreeze', { network: 'ETH', reason: ' ' })).rejects.toThrow('--reason');
  await command(engine, 'chain unfreeze', { network: 'ETH', reason: 'the merchant bears it' });
  await settle(engine, 'ETH');
  await expire(engine);
  expect(await statusOf(engine, store, paid)).toBe('completed');
  expect(await statusOf(engine, store, due)).toBe('expired');
  expect(await statusOf(engine, store, transId)).toBe('completed');
  expect((await standingOf(engine, 'ETH')).frozen).toBe(false);
  expect(await auditOf(engine, 'chain:ETH')).toEqual(['chain.unfreeze']);
  await expect(command(engine, 'chain unfreeze', { network: 'ETH', reason: 'again' })).rejects.toThrow('not frozen');
});

test('a loss that an operator accepted does not keep the network frozen once a later loss is made good', async () => {
  await openReverted(1);
  await command(engine, 'chain unfreeze', { network: 'ETH', reason: 'the merchant bears it' });
  await settle(engine, 'ETH');
  const { signed } = await openReverted(2);
  expect((await standingOf(engine, 'ETH')).frozen).toBe(true);
  await sendSigned(node(), signed);
  await readOn();
  await readOn();
  await settle(engine, 'ETH');
  expect((await standingOf(engine, 'ETH')).frozen).toBe(false);
});

test('a network that lost two payments stays frozen until both are back', async () => {
  const first = await openPaid(1);
  const second = await openPaid(2);
  await mineNow(engine, 'ETH', LONG_AGO_BLOCKS - 12);
  await follow(engine, 'ETH');
  for (const { transId } of [first, second]) expect(await statusOf(engine, store, transId)).toBe('completed');
  await reorg(node(), LONG_AGO_BLOCKS);
  await readOn();
  await sendSigned(node(), first.signed);
  await readOn();
  await readOn();
  expect(await transfersOf(engine, first.signed.hash)).toMatchObject([{ canonical: true }]);
  expect((await standingOf(engine, 'ETH')).frozen).toBe(true);
  await sendSigned(node(), second.signed);
  await readOn();
  await readOn();
  expect((await standingOf(engine, 'ETH')).frozen).toBe(false);
});

test('a network that was frozen for longer than headers are kept is covered again', async () => {
  const { transId: paid, quote } = await openQuote();
  await openReverted(1);
  await pay(engine, quote);
  await mineNow(engine, 'ETH', 400);
  await follow(engine, 'ETH');
  expect(await statusOf(engine, store, paid)).toBe('processing');
  await command(engine, 'chain unfreeze', { network: 'ETH', reason: 'long enough' });
  chainOf(engine, 'ETH').follower.memory.ranges.set(HEAD, 10);
  await settle(engine, 'ETH');
  expect(await statusOf(engine, store, paid)).toBe('completed');
  const { number } = await headerAt(node(), 'finalized');
  expect((await standingOf(engine, 'ETH')).covered).toMatchObject({ finalized: number });
});

test('one provider on a fork rewinds nothing and moves nothing, whether it is asked first or second', async () => {
  // The fork has the same block 0, because another one would be refused immediately.
  const { timestamp } = await headerAt(node(), 0);
  const fork = await startAnvil({ chainId: CHAIN_IDS['ETH'] ?? 0, timestamp });
  await installCanonicalTokens(fork);
  const { number } = await headerAt(node(), 'latest');
  await mine(fork, 1, { secondsBetween: 7 });
  await mine(fork, number + 100, { secondsBetween: 1 });
  const balancer = await startBalancer({ backends: [{ url: fork.url }], seed: 1 });
  const before = await standingOf(engine, 'ETH');
  await mineNow(engine, 'ETH', 30);

  const first = followerOf(engine, 'ETH', [balancer.url, node().url]);
  const cursor = await readChain(engine.database.queries, 'ETH');
  if (!cursor) throw new Error('ETH is not followed.');
  await expect(compareWithNode(first, cursor, await first.source.heads('first'))).rejects.toThrow('Nodes disagree');
  await follow(engine, 'ETH', first);
  expect(await standingOf(engine, 'ETH')).toEqual(before);

  const second = followerOf(engine, 'ETH', [node().url, balancer.url]);
  await follow(engine, 'ETH', second);
  const after = await standingOf(engine, 'ETH');
  expect(after.height).toBeGreaterThan(before.height);
  expect(after.covered).toEqual(before.covered);

  balancer.behave({ backends: [{ url: node().url }] });
  await follow(engine, 'ETH', second);
  expect((await standingOf(engine, 'ETH')).covered['conf:12']).toBeGreaterThan(before.covered['conf:12'] ?? 0);
  expect(first.counts.rewinds + second.counts.rewinds).toBe(0);
  await balancer.stop();
  await fork.stop();
});

test('balances recomputed from the entries alone agree', async () => {
  expect(await findLedgerFaults(engine.database.queries, 10)).toEqual([]);
});

test('a chain that shares no header with what we hold freezes its network and raises one alarm', async () => {
  const lone = await openEngineFixture(inject('template'), ['ETH']);
  try {
    // The chain is far above block 0, which every chain of this network has.
    await mineNow(lone, 'ETH', 200);
    await follow(lone, 'ETH');
    const { timestamp } = await headerAt(chainOf(lone, 'ETH').anvil, 0);
    const stranger = await startAnvil({ chainId: CHAIN_IDS['ETH'] ?? 0, slotsInAnEpoch: 8, timestamp });
    await installCanonicalTokens(stranger);
    await mine(stranger, 1, { secondsBetween: 7 });
    await mine(stranger, 400, { secondsBetween: 1 });
    const follower = followerOf(lone, 'ETH', [stranger.url]);
    for (let tries = 0; tries < 2; tries += 1) {
      await expect(followChain(follower)).rejects.toThrow(/below every header/);
    }
    expect((await readChain(lone.database.queries, 'ETH'))?.frozen).toBe(true);
    const alarms = (await alarmsOf(lone, 'chain:ETH')).filter((kind) => kind !== 'single-provider');
    expect(alarms).toEqual(['deep-reorg']);
    await stranger.stop();
  } finally {
    await lone.close();
  }
});
