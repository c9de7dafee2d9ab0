import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { inTransaction } from '../../src/db/transaction.ts';
import { createApplyTransfers } from '../../src/invoices/apply-transfers.ts';
import { createDecidePendingInvoices } from '../../src/invoices/decide-pending-invoices.ts';
import { followHead } from '../../src/chains/follow-chain.ts';
import type { Follower } from '../../src/chains/follower.ts';
import { rescanChain } from '../../src/chains/rescan-chain.ts';
import { chooseWitnesses } from '../../src/chains/witness.ts';
import { recordTransfers } from '../../src/transfers/transfer-sql.ts';
import type { Balancer } from '../../rig/chains/evm/balancer.ts';
import { startBalancer } from '../../rig/chains/evm/balancer.ts';
import { headerAt, reorg } from '../../rig/chains/evm/reorg.ts';
import { NETWORKS } from '../../rig/chains/networks.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import type { EngineFixture } from '../../rig/invoices/engine-fixture.ts';
import {
  chainOf,
  fail,
  followerOf,
  openEngineFixture,
  openPayableStore,
  secondsNow,
} from '../../rig/invoices/engine-fixture.ts';
import { follow, mineAt, mineNow, settle } from '../../rig/invoices/follow-network.ts';
import { endOf, factsOf, standingOf, statusOf, transfersOf } from '../../rig/invoices/look-up.ts';
import { newInvoice, pay, select, unitsOf } from '../../rig/invoices/pay-invoice.ts';
import { command } from '../../rig/invoices/run-command.ts';

/** What a worker remembers, or another one has stored, counts only for the fork and the tier that it was read for. */

let engine: EngineFixture;
let store: TestStore;
let door: Balancer;
beforeAll(async () => {
  engine = await openEngineFixture(inject('template'), ['ETH']);
  store = await openPayableStore(engine);
  door = await startBalancer({ backends: [{ url: node().url }], seed: 7 });
});
afterAll(async () => {
  await door.stop();
  await engine.close();
});
beforeEach(() => settle(engine, 'ETH'));

const TIER = 'conf:12';
const MAX_STEPS = 20;
const node = () => chainOf(engine, 'ETH').anvil;
const reader = () => followerOf(engine, 'ETH', [node().url]);
const status = (transId: string, of = store) => statusOf(engine, of, transId);
const rowsOf = async (statement: string, values: unknown[]) =>
  (await engine.database.pool.query(statement, values)).rows;

async function openQuote(of = store, amount?: string) {
  const transId = await newInvoice(engine, of, amount);
  return { transId, quote: await select(engine, transId, 'ETH') };
}

async function readHeads(follower: Follower): Promise<void> {
  for (let steps = 0; steps < MAX_STEPS; steps += 1) if ((await followHead(follower)) === 'idle') return;
}

test('a worker that takes over with an old watch set covers no payment to a wallet that was added meanwhile', async () => {
  const early = reader();
  await mineNow(engine, 'ETH');
  await readHeads(early);
  const newcomer = await openPayableStore(engine);
  const { transId, quote } = await openQuote(newcomer);
  const hash = await pay(engine, quote);
  await mineNow(engine, 'ETH', 30);
  const other = reader();
  const { source } = other;
  const read: typeof source.read = async (request) => {
    const found = await source.read(request);
    return { ...found, transfers: found.transfers.filter(({ txId }) => txId !== hash) };
  };
  await readHeads({ ...other, source: { ...source, read } });
  expect(await transfersOf(engine, hash)).toEqual([]);
  await follow(engine, 'ETH', early);
  expect(await status(transId, newcomer)).toBe('completed');
});

test('a depth on which providers agreed before a rewind is agreed on again after it', async () => {
  const both = followerOf(engine, 'ETH', [node().url, door.url]);
  await mineNow(engine, 'ETH', 30);
  await follow(engine, 'ETH', both);
  const { source } = both;
  const depth = 25;
  const { number: head } = await headerAt(node(), 'latest');
  const heads: typeof source.heads = async (pass, tags) => {
    const found = await source.heads(pass, tags);
    if (typeof pass !== 'object') return found;
    return { ...found, latest: { ...found.latest, height: found.latest.height - depth } };
  };
  await reorg(node(), depth);
  await follow(engine, 'ETH', { ...both, source: { ...source, heads } });
  const { covered, height } = await standingOf(engine, 'ETH');
  expect(height).toBeGreaterThan(head - depth);
  expect(covered[TIER]).toBe(head - depth);
});

test('the last common block of a reorg is not taken from the provider that may be stale', async () => {
  const { transId, quote } = await openQuote();
  const hash = await pay(engine, quote);
  await mineNow(engine, 'ETH');
  const { number: height } = await headerAt(node(), 'latest');
  await mineNow(engine, 'ETH', 6);
  const honest = reader();
  const { source } = honest;
  await readHeads(honest);
  const { height: cursor } = await standingOf(engine, 'ETH');
  const old = new Map<number, Awaited<ReturnType<typeof source.blockAt>>>();
  for (let at = height - 1; at < cursor; at += 1) old.set(at, await source.blockAt(at, 'first'));
  const { number: head } = await headerAt(node(), 'latest');
  await reorg(node(), head - height + 1);
  const blockAt: typeof source.blockAt = async (at, pass) =>
    (pass === 'first' ? old.get(at) : undefined) ?? source.blockAt(at, pass);
  await followHead({ ...honest, source: { ...source, blockAt } });
  expect(await transfersOf(engine, hash)).toMatchObject([{ canonical: false }]);
  expect(await status(transId)).toBe('waiting');
});

test('a receipt of another block than the one in question settles nothing at its own height', async () => {
  const { transId, quote } = await openQuote();
  await mineNow(engine, 'ETH');
  const deep = await headerAt(node(), 'latest');
  await mineNow(engine, 'ETH', 20);
  const hash = await pay(engine, quote);
  await mineNow(engine, 'ETH', 4);
  const honest = reader();
  const { source } = honest;
  const isIt = ({ txId }: { txId: string }) => txId === hash;
  const read: typeof source.read = async (request) => {
    const found = await source.read(request);
    return { ...found, transfers: found.transfers.filter((transfer) => !isIt(transfer)) };
  };
  const [receipt] = await source.receipts([hash], 'first');
  const [transfer = fail()] = receipt?.transfers ?? [];
  // The second read shows the payment in a block that is deep enough, and its receipt is of a shallow one.
  const readBlocks: typeof source.readBlocks = async (request) => {
    const found = await source.readBlocks(request);
    const isHere = request.from <= deep.number && deep.number <= request.to;
    const moved = isHere ? [{ ...transfer, height: deep.number, blockHash: deep.hash }] : [];
    return { ...found, transfers: [...found.transfers, ...moved] };
  };
  await follow(engine, 'ETH', { ...honest, source: { ...source, read, readBlocks } });
  expect(await transfersOf(engine, hash)).toEqual([]);
  expect(await status(transId)).toBe('waiting');
  await settle(engine, 'ETH');
  expect(await status(transId)).toBe('completed');
});

test('money that settled for a small invoice is not thereby deep enough for a large one', async () => {
  const small = await openQuote();
  await pay(engine, small.quote);
  await mineNow(engine, 'ETH', 25);
  await follow(engine, 'ETH');
  expect(await status(small.transId)).toBe('completed');
  const twice = await pay(engine, small.quote);
  await mineNow(engine, 'ETH', 25);
  await follow(engine, 'ETH');
  const large = await openQuote(store, '5000');
  await command(engine, 'inbox attach', { invoice: large.transId, network: 'ETH', tx: twice, index: 'USDT:0' });
  expect(await status(large.transId)).toBe('processing');
  await mineNow(engine, 'ETH', 70);
  await follow(engine, 'ETH');
  expect(await status(large.transId)).toBe('completed');
});

test('a rescan ends at the last block that both witnesses call final, whatever it is asked for', async () => {
  const both = followerOf(engine, 'ETH', [node().url, door.url]);
  const witnesses = await chooseWitnesses(both.source);
  const { height } = await standingOf(engine, 'ETH');
  expect(height).toBeGreaterThan(witnesses.finalized);
  const request = { from: witnesses.finalized, to: height, native: false, witnesses, wait: async () => {} };
  expect(await rescanChain(both, request)).toMatchObject({ to: witnesses.finalized });
});

const recordedAs = (
  txId: string,
  units: bigint,
  to: string,
  more: { blockHash?: string; blockTime?: number } = {},
) => ({
  token: 'USDT',
  txId,
  index: 'USDT:0',
  from: '0x1',
  to,
  units,
  height: 1,
  blockHash: '0xa',
  blockTime: 5,
  ...more,
});
const EVIDENCE = { by: 'a', how: 'logs' } as const;

test('a payment between two owners of an amount is of the one who owned it at its block time', async () => {
  const [owner, next] = [await openQuote(), await openQuote()];
  const time = secondsNow(engine);
  const hold = (transId: string) => async (from: number, to: string) =>
    rowsOf(`update quotes set display_units = $2, held_from = to_timestamp($3), held_to = $4 where invoice_id = $1`, [
      (await factsOf(engine, transId)).id,
      owner.quote.displayUnits,
      from,
      to,
    ]);
  await hold(owner.transId)(time - 600, new Date((time + 30) * 1000).toISOString());
  await hold(next.transId)(time + 60, 'infinity');
  const txId = `0x${'cd'.repeat(32)}`;
  const transfer = recordedAs(txId, unitsOf(owner.quote), owner.quote.toAddress, { blockTime: time });
  const apply = createApplyTransfers({ clock: engine.clock, networks: NETWORKS });
  await inTransaction(engine.as('worker'), async (tx) => {
    const { changed } = await recordTransfers(tx, 'ETH', [transfer], new Date(engine.clock.nowMs()), EVIDENCE);
    await apply(tx, 'ETH', changed);
  });
  expect(await transfersOf(engine, txId)).toMatchObject([{ trans_id: owner.transId }]);
});

test('a late payment that a person attached has no reason to pay nothing', async () => {
  const { transId, quote } = await openQuote();
  const end = await endOf(engine, transId);
  const hash = await pay(engine, quote);
  await mineAt(engine, 'ETH', end + 60);
  engine.clock.advance(1_000);
  await mineNow(engine, 'ETH', 4);
  await readHeads(chainOf(engine, 'ETH').follower);
  expect(await transfersOf(engine, hash)).toMatchObject([{ reason: 'late' }]);
  await command(engine, 'inbox attach', { invoice: transId, network: 'ETH', tx: hash, index: 'USDT:0' });
  expect(await transfersOf(engine, hash)).toMatchObject([{ reason: null, trans_id: transId }]);
});

test('a round that found fewer invoices than it may begins again at the first one', async () => {
  const { transId, quote } = await openQuote();
  const hash = await pay(engine, quote);
  await mineNow(engine, 'ETH', 6);
  await follow(engine, 'ETH');
  const decidePending = createDecidePendingInvoices(engine.as('worker'), engine.clock);
  expect(await decidePending()).toBe(0);
  await rowsOf('update transfers set canonical = false where tx_id = $1', [hash]);
  expect(await decidePending()).toBe(1);
  expect(await status(transId)).toBe('waiting');
});
