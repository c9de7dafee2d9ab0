import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { createDecidePendingInvoices } from '../../src/invoices/decide-pending-invoices.ts';
import { processingAfter } from '../../src/invoices/pending-sql.ts';
import { findLedgerFaults } from '../../src/ledger/ledger-sql.ts';
import type { Follower } from '../../src/chains/follower.ts';
import { headerAt, reorg } from '../../rig/chains/evm/reorg.ts';
import { sendSigned, signPayment } from '../../rig/chains/evm/signed.ts';
import { canonicalToken } from '../../rig/chains/evm/token.ts';
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
  followerOf,
  openPayableStore,
  openEngineFixture,
  secondsNow,
} from '../../rig/invoices/engine-fixture.ts';
import { command } from '../../rig/invoices/run-command.ts';
import { decideAgain, expire, follow, mineNow, settle } from '../../rig/invoices/follow-network.ts';
import { newInvoice, pay, select, unitsOf } from '../../rig/invoices/pay-invoice.ts';

/** `processing` always ends: automatically where nothing can be lost, otherwise by an audited command. */

const ONE_TOKEN = 10n ** 6n;
/** How long readers of Ethereum decide alone before an operator may accept a transfer. */
const ACCEPTABLE_MS = 1_920_000;
const THIRTY_DAYS_MS = 30 * 86_400_000;

let engine: EngineFixture;
let store: TestStore;
beforeAll(async () => {
  engine = await openEngineFixture(inject('template'), ['ETH', 'BSC']);
  store = await openPayableStore(engine);
  await settle(engine, 'ETH');
  await settle(engine, 'BSC');
});
afterAll(() => engine.close());

const rowsOf = async (statement: string, values: unknown[] = []) =>
  (await engine.database.pool.query<Record<string, unknown>>(statement, values)).rows;
const node = () => chainOf(engine, 'ETH').anvil;
const status = (transId: string) => statusOf(engine, store, transId);

type Seen = { transId: string; hash: string };

/** Opens an invoice that is paid on Ethereum, seen and not settled, and quoted on other networks too. */
async function openProcessing(...others: string[]): Promise<Seen> {
  const transId = await newInvoice(engine, store);
  for (const network of others) await select(engine, transId, network);
  const hash = await pay(engine, await select(engine, transId, 'ETH'));
  await mineNow(engine, 'ETH', 6);
  await follow(engine, 'ETH');
  expect(await status(transId)).toBe('processing');
  return { transId, hash };
}

async function goPast(transId: string): Promise<void> {
  engine.clock.advance(Math.max(0, ((await endOf(engine, transId)) + 60 - secondsNow(engine)) * 1000));
}

describe('an invoice that lost its payment and was not decided', () => {
  test('waits again, expires at its end, and gives its fee back', async () => {
    const transId = await newInvoice(engine, store);
    const quote = await select(engine, transId, 'ETH');
    const hash = await pay(engine, quote, unitsOf(quote) - ONE_TOKEN);
    await mineNow(engine, 'ETH', 6);
    await follow(engine, 'ETH');
    await command(engine, 'inbox attach', { invoice: transId, network: 'ETH', tx: hash, index: 'USDT:0' });
    expect(await status(transId)).toBe('processing');
    await rowsOf('update transfers set invoice_id = null, attached_by = null where tx_id = $1', [hash]);
    await decideAgain(engine);
    expect(await status(transId)).toBe('waiting');
    await goPast(transId);
    await settle(engine, 'ETH');
    await expire(engine);
    expect(await status(transId)).toBe('expired');
    expect(await eventsOf(engine, transId)).toMatchObject([{ event: 'invoice.expired' }]);
    expect(await findLedgerFaults(engine.database.queries, 5)).toEqual([]);
  });

  test('is found behind any number of others, a bounded part in each round, by an index', async () => {
    const paid = [await newInvoice(engine, store), await newInvoice(engine, store)];
    for (const other of paid) await pay(engine, await select(engine, other, 'ETH'));
    const { transId, hash } = await openProcessing();
    await rowsOf('update transfers set canonical = false where tx_id = $1', [hash]);
    const decidePending = createDecidePendingInvoices(engine.as('worker'), engine.clock, { round: 1 });
    expect([await decidePending(), await decidePending(), await decidePending()]).toEqual([0, 0, 1]);
    expect(await status(transId)).toBe('waiting');
    for (const other of paid) expect(await status(other)).toBe('processing');
    const { sql, parameters } = processingAfter(0n, 200).compile(engine.database.queries);
    const client = await engine.database.pool.connect();
    await client.query('set enable_seqscan = off');
    const plan = await client.query(`explain ${sql}`, [...parameters]);
    client.release(true);
    expect(JSON.stringify(plan.rows)).toContain('invoices_processing');
    await settle(engine, 'ETH');
  });
});

const coverFurther = () =>
  rowsOf(`update chain_coverage set height = height + 40 where network = 'ETH' and tier = 'conf:12'`);
const goBack = () =>
  rowsOf(`update chain_coverage set height = height - 40 where network = 'ETH' and tier = 'conf:12'`);

describe('a payment that coverage passed and nobody decided', () => {
  test('completes an invoice that is processing', async () => {
    const { transId, hash } = await openProcessing();
    await coverFurther();
    await decideAgain(engine);
    expect(await lookUp(engine, store, transId)).toMatchObject({ status: 'completed', transaction_hash: hash });
    await goBack();
    await settle(engine, 'ETH');
  });

  test('completes an invoice that has expired, and is remembered until then and no longer', async () => {
    const transId = await newInvoice(engine, store);
    const quote = await select(engine, transId, 'ETH');
    await goPast(transId);
    await settle(engine, 'ETH');
    await expire(engine);
    const hash = await pay(engine, quote);
    await mineNow(engine, 'ETH', 6);
    await follow(engine, 'ETH');
    await command(engine, 'inbox attach', { invoice: transId, network: 'ETH', tx: hash, index: 'USDT:0' });
    await decideAgain(engine);
    expect(await status(transId)).toBe('expired');
    expect(await rowsOf('select from expired_pending')).toHaveLength(1);
    await coverFurther();
    await decideAgain(engine);
    expect(await lookUp(engine, store, transId)).toMatchObject({ status: 'completed', transaction_hash: hash });
    await decideAgain(engine);
    expect(await rowsOf('select from expired_pending')).toEqual([]);
    await goBack();
    await settle(engine, 'ETH');
  });
});

const ACCEPT = { network: 'ETH', index: 'USDT:0', reason: 'the explorer shows it' };

describe('a transfer that no receipt proves or disproves', () => {
  test('is discarded by a person: its invoice waits again, audited', async () => {
    const { transId, hash } = await openProcessing();
    await command(engine, 'transfer discard', { ...ACCEPT, tx: hash, reason: 'no explorer shows it' });
    expect(await status(transId)).toBe('waiting');
    expect(await transfersOf(engine, hash)).toMatchObject([{ canonical: false, trans_id: transId }]);
    expect(await auditOf(engine, 'chain:ETH')).toContain('transfer.discard');
    await expect(command(engine, 'transfer discard', { ...ACCEPT, tx: hash })).rejects.toThrow('nothing to discard');
    await expect(command(engine, 'transfer accept', { ...ACCEPT, tx: hash })).rejects.toThrow('no longer in the chain');
  });

  test('that was discarded by mistake is brought back by the next read that shows it', async () => {
    const { transId, hash } = await openProcessing();
    await command(engine, 'transfer discard', { ...ACCEPT, tx: hash });
    await settle(engine, 'ETH');
    expect(await lookUp(engine, store, transId)).toMatchObject({ status: 'completed', transaction_hash: hash });
  });

  test('that completed an invoice freezes its network when it is discarded', async () => {
    const { transId, hash } = await openProcessing();
    await settle(engine, 'ETH');
    expect(await status(transId)).toBe('completed');
    await rowsOf('update transfers set proven_at = null where tx_id = $1', [hash]);
    await command(engine, 'transfer discard', { ...ACCEPT, tx: hash });
    expect(await status(transId)).toBe('completed');
    expect(await standingOf(engine, 'ETH')).toMatchObject({ frozen: true });
    expect(await alarmsOf(engine, transId)).toEqual(['payment-reverted']);
    await command(engine, 'chain unfreeze', { network: 'ETH', reason: 'the merchant bears it' });
  });

  test('is accepted by a person once readers had their time: it completes its invoice, audited', async () => {
    const { transId, hash } = await openProcessing();
    await expect(command(engine, 'transfer accept', { ...ACCEPT, tx: hash })).rejects.toThrow('32 minutes');
    engine.clock.advance(ACCEPTABLE_MS);
    await expect(command(engine, 'transfer accept', { ...ACCEPT, tx: hash, index: 'USDT:7' })).rejects.toThrow(
      'no such transfer',
    );
    await command(engine, 'transfer accept', { ...ACCEPT, tx: hash });
    expect(await lookUp(engine, store, transId)).toMatchObject({ status: 'completed', transaction_hash: hash });
    expect(await auditOf(engine, 'chain:ETH')).toContain('transfer.accept');
    expect(await rowsOf('select accepted_by from transfers where tx_id = $1', [hash])).toEqual([
      { accepted_by: 'cli:operator' },
    ]);
    await expect(command(engine, 'transfer accept', { ...ACCEPT, tx: hash })).rejects.toThrow('already confirmed');
  });

  test('that moves to another block after it was accepted is doubted anew', async () => {
    const transId = await newInvoice(engine, store);
    const quote = await select(engine, transId, 'ETH');
    const to = quote.toAddress as `0x${string}`;
    const token = canonicalToken(1, 'USDT').address;
    const short = unitsOf(quote) - ONE_TOKEN;
    const signed = await signPayment(node(), { payer: 1, to, units: short, token });
    await sendSigned(node(), signed);
    await mineNow(engine, 'ETH', 6);
    await follow(engine, 'ETH');
    engine.clock.advance(ACCEPTABLE_MS);
    await command(engine, 'transfer accept', { ...ACCEPT, tx: signed.hash });
    await reorg(node(), 6, [{ rawTransaction: signed.rawTransaction, offset: 2 }]);
    await mineNow(engine, 'ETH', 4);
    await follow(engine, 'ETH');
    expect(await rowsOf('select settled_hash from transfers where tx_id = $1', [signed.hash])).toEqual([
      { settled_hash: null },
    ]);
    await settle(engine, 'ETH');
  });
});

const retire = () => command(engine, 'chain retire', { network: 'ETH', reason: 'dead' });
const revive = () => rowsOf(`update chains set retired_at = null where network = 'ETH'`);
const end = (transId: string, outcome: string) =>
  command(engine, 'invoice end', { 'trans-id': transId, outcome, reason: 'the merchant has it' });

/** A reader whose node shows a transaction in logs of a range, and not by block or as a receipt. */
function doubtingReader(hash: string): Follower {
  const follower = followerOf(engine, 'ETH', [node().url]);
  const { readBlocks, receipts } = follower.source;
  return {
    ...follower,
    source: {
      ...follower.source,
      readBlocks: async (request) => {
        const read = await readBlocks(request);
        return { ...read, transfers: read.transfers.filter(({ txId }) => txId !== hash) };
      },
      receipts: async (txIds, pass) =>
        (await receipts(txIds, pass)).map((receipt) => (receipt?.txId === hash ? null : receipt)),
    },
  };
}

async function openDoubted(): Promise<Seen & { height: number; reader: Follower }> {
  const transId = await newInvoice(engine, store);
  const hash = await pay(engine, await select(engine, transId, 'ETH'));
  const reader = doubtingReader(hash);
  await mineNow(engine, 'ETH', 30);
  await follow(engine, 'ETH', reader);
  const [{ height } = { height: 0 }] = await transfersOf(engine, hash);
  engine.clock.advance(ACCEPTABLE_MS);
  await follow(engine, 'ETH', reader);
  expect(await status(transId)).toBe('processing');
  expect((await standingOf(engine, 'ETH')).covered['conf:12']).toBeLessThan(height);
  expect(await alarmsOf(engine, 'chain:ETH')).toContain('transfer-doubted');
  return { transId, hash, height, reader };
}

describe('coverage that a doubted transfer holds up', () => {
  test('goes on when a person vouches for it', async () => {
    const { transId, hash, height, reader } = await openDoubted();
    await command(engine, 'transfer accept', { ...ACCEPT, tx: hash });
    expect(await lookUp(engine, store, transId)).toMatchObject({ status: 'completed', transaction_hash: hash });
    await follow(engine, 'ETH', reader);
    expect((await standingOf(engine, 'ETH')).covered['conf:12']).toBeGreaterThan(height);
    expect(await command(engine, 'transfer show', { network: 'ETH', tx: hash })).toMatchObject([
      { index: 'USDT:0', in_chain: true, confirmed_by: null, accepted_by: 'cli:operator', invoice: transId },
    ]);
  });

  test('goes on when a person discards it, and its invoice ends unpaid', async () => {
    const { transId, hash, height, reader } = await openDoubted();
    await command(engine, 'transfer discard', { ...ACCEPT, tx: hash });
    await follow(engine, 'ETH', reader);
    expect((await standingOf(engine, 'ETH')).covered['conf:12']).toBeGreaterThan(height);
    await settle(engine, 'ETH');
    await expire(engine);
    expect(await status(transId)).toBe('expired');
  });
});

/** A reader whose node shows the transaction by block, and not by range or as a receipt. */
function lackingReader(hash: string): Follower {
  const follower = followerOf(engine, 'ETH', [node().url]);
  const { read, receipts } = follower.source;
  return {
    ...follower,
    source: {
      ...follower.source,
      read: async (request) => {
        const found = await read(request);
        return { ...found, transfers: found.transfers.filter(({ txId }) => txId !== hash) };
      },
      receipts: async (txIds, pass) =>
        (await receipts(txIds, pass)).map((receipt) => (receipt?.txId === hash ? null : receipt)),
    },
  };
}

describe('a transfer that only the second read shows, and of which nobody has a receipt', () => {
  test('is kept after a minute, pays nothing and is not covered by being shown again, until a person vouches for it', async () => {
    const transId = await newInvoice(engine, store);
    const hash = await pay(engine, await select(engine, transId, 'ETH'));
    await mineNow(engine, 'ETH');
    const { number: height } = await headerAt(node(), 'latest');
    const reader = lackingReader(hash);
    await mineNow(engine, 'ETH', 30);
    await follow(engine, 'ETH', reader);
    expect(await transfersOf(engine, hash)).toEqual([]);
    for (let times = 0; times < 3; times += 1) {
      engine.clock.advance(ACCEPTABLE_MS);
      await follow(engine, 'ETH', reader);
    }
    expect(await transfersOf(engine, hash)).toMatchObject([{ index: 'USDT:0', canonical: true, trans_id: transId }]);
    expect(await status(transId)).toBe('processing');
    expect((await standingOf(engine, 'ETH')).covered['conf:12']).toBeLessThan(height);
    await command(engine, 'transfer accept', { ...ACCEPT, tx: hash });
    expect(await lookUp(engine, store, transId)).toMatchObject({ status: 'completed', transaction_hash: hash });
    await follow(engine, 'ETH', reader);
    expect((await standingOf(engine, 'ETH')).covered['conf:12']).toBeGreaterThan(height);
  });

  test('is discarded by a person, and coverage goes on with a provider that does not show it', async () => {
    const transId = await newInvoice(engine, store);
    const hash = await pay(engine, await select(engine, transId, 'ETH'));
    await mineNow(engine, 'ETH');
    const { number: height } = await headerAt(node(), 'latest');
    await mineNow(engine, 'ETH', 30);
    const reader = lackingReader(hash);
    for (let times = 0; times < 2; times += 1) {
      await follow(engine, 'ETH', reader);
      engine.clock.advance(ACCEPTABLE_MS);
    }
    expect(await status(transId)).toBe('processing');
    await command(engine, 'transfer discard', { ...ACCEPT, tx: hash, reason: 'that provider is broken' });
    expect(await status(transId)).toBe('waiting');
    const { source } = reader;
    const readBlocks: typeof source.readBlocks = async (request) => {
      const found = await source.readBlocks(request);
      return { ...found, transfers: found.transfers.filter(({ txId }) => txId !== hash) };
    };
    await follow(engine, 'ETH', { ...reader, source: { ...source, readBlocks } });
    expect((await standingOf(engine, 'ETH')).covered['conf:12']).toBeGreaterThan(height);
    await settle(engine, 'ETH');
    await expire(engine);
    expect(await status(transId)).toBe('expired');
  });
});

describe('a payment on a network that is given up', () => {
  test('ends nothing by itself, and an operator sees it; one that waits for no payment expires', async () => {
    const { transId, hash } = await openProcessing();
    const unpaid = await newInvoice(engine, store);
    await select(engine, unpaid, 'ETH');
    await expect(end(transId, 'completed')).rejects.toThrow('ends automatically');
    await retire();
    engine.clock.advance(THIRTY_DAYS_MS);
    await expire(engine);
    expect([await status(transId), await status(unpaid)]).toEqual(['processing', 'expired']);
    const stuck = { invoice: transId, why: 'its network was retired: invoice end', network: 'ETH', tx: hash };
    expect(await command(engine, 'invoice stuck', {})).toMatchObject([stuck]);
    await expect(end(unpaid, 'completed')).rejects.toThrow('will expire automatically');
    await end(transId, 'completed');
    expect(await lookUp(engine, store, transId)).toMatchObject({ status: 'completed', transaction_hash: hash });
    expect(await eventsOf(engine, transId)).toHaveLength(1);
    expect(await auditOf(engine, `invoice:${transId}`)).toContain('invoice.end');
    expect(await command(engine, 'invoice stuck', {})).toEqual([]);
    await revive();
  });

  test('is given up by a person: the invoice expires, and completes late should the payment settle after all', async () => {
    const { transId, hash } = await openProcessing();
    await retire();
    await expect(end(transId, 'expired')).rejects.toThrow('has not ended');
    await goPast(transId);
    await end(transId, 'expired');
    expect(await status(transId)).toBe('expired');
    await expect(end(transId, 'expired')).rejects.toThrow('already expired');
    await revive();
    await settle(engine, 'ETH');
    expect(await lookUp(engine, store, transId)).toMatchObject({ status: 'completed', transaction_hash: hash });
    expect(await eventsOf(engine, transId)).toMatchObject([{ event: 'invoice.expired' }, { late: true }]);
    expect(await alarmsOf(engine, transId)).toEqual(['found-late']);
  });

  test('does not expire before every other network it was quoted on is read past its end', async () => {
    const { transId } = await openProcessing('BSC');
    await retire();
    await goPast(transId);
    await expect(end(transId, 'expired')).rejects.toThrow('not read past its end');
    expect(await status(transId)).toBe('processing');
    await settle(engine, 'BSC');
    await end(transId, 'expired');
    expect(await status(transId)).toBe('expired');
    await revive();
    await settle(engine, 'ETH');
  });

  test('completes by a person though the network is frozen as well, and nothing else there does', async () => {
    const other = await newInvoice(engine, store);
    await pay(engine, await select(engine, other, 'ETH'));
    const { transId } = await openProcessing();
    await rowsOf(`update chains set frozen_at = now() where network = 'ETH'`);
    await expect(end(transId, 'completed')).rejects.toThrow('ends automatically');
    await retire();
    await goPast(transId);
    await expire(engine);
    expect(await status(transId)).toBe('processing');
    await end(transId, 'completed');
    expect([await status(transId), await status(other)]).toEqual(['completed', 'processing']);
    await revive();
    await command(engine, 'chain unfreeze', { network: 'ETH', reason: 'test' });
    await settle(engine, 'ETH');
    expect(await status(other)).toBe('completed');
  });

  test('balances recomputed from the entries alone agree', async () => {
    expect(await findLedgerFaults(engine.database.queries, 10)).toEqual([]);
  });
});
