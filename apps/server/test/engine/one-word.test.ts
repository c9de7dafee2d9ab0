import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import type { ChainReceipt, ChainSource, Pass } from '../../src/sources/chain-source.ts';
import type { Follower } from '../../src/chains/follower.ts';
import type { ChainTransfer } from '../../src/sources/transfer.ts';
import type { QuoteRow } from '../../src/quotes/quote.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { answeringOf, otherAddressOf } from '../../rig/fakes/answering-provider.ts';
import type { EngineFixture } from '../../rig/invoices/engine-fixture.ts';
import { ageReads, followChain, mineNow, settle } from '../../rig/invoices/follow-network.ts';
import { alarmsOf, standingOf, statusOf } from '../../rig/invoices/look-up.ts';
import { chainOf, followerOf, openPayableStore, openEngineFixture } from '../../rig/invoices/engine-fixture.ts';
import { command } from '../../rig/invoices/run-command.ts';
import { newInvoice, pay, select, unitsOf } from '../../rig/invoices/pay-invoice.ts';

/** Neither of two providers settles anything alone, whether it makes the first or the second read. */

let engine: EngineFixture;
let store: TestStore;
beforeAll(async () => {
  engine = await openEngineFixture(inject('template'), ['BSC']);
  store = await openPayableStore(engine);
  await settle(engine, 'BSC');
});
afterAll(() => engine.close());
beforeEach(async () => {
  engine.clock.advance(10_000);
  await settle(engine, 'BSC');
});

const MINUTE_MS = 60_000;

type Lie = { by: 'first' | 'second'; told: boolean; forged: ChainTransfer };

/** A reader with two providers, one of which shows an invented payment in its logs, blocks and receipts. */
function readerWithLiar(lie: Lie): Follower {
  const { url } = chainOf(engine, 'BSC').anvil;
  const follower = followerOf(engine, 'BSC', [url, otherAddressOf(url)]);
  const honest = follower.source;
  const liar = answeringOf(honest.providers, lie.by);
  const lies = (pass: Pass) => lie.told && answeringOf(honest.providers, pass) === liar;
  const addForged = <Read extends { transfers: ChainTransfer[] }>(read: Read, from: number, to: number): Read =>
    lie.forged.height < from || lie.forged.height > to ? read : { ...read, transfers: [...read.transfers, lie.forged] };
  const receipt: ChainReceipt = { ...lie.forged, succeeded: true, transfers: [lie.forged] };
  const source: ChainSource = {
    ...honest,
    read: async (request) => {
      const read = await honest.read(request);
      return lies(request.pass) ? addForged(read, request.from, request.to) : read;
    },
    readBlocks: async (request) => {
      const read = await honest.readBlocks(request);
      return lies(request.pass) ? addForged(read, request.from, request.to) : read;
    },
    receipts: async (txIds, pass) => {
      const receipts = await honest.receipts(txIds, pass);
      const isForged = (place: number) =>
        lies(pass) && txIds[place] === lie.forged.txId && lie.forged.index !== 'native';
      return receipts.map((one, place) => (isForged(place) ? receipt : one));
    },
  };
  return Object.assign(follower, { source });
}

type Denial = { told: boolean; txId: string };

/** A reader with two providers, the first of which lacks a real payment and answers a failed receipt for it. */
function readerWithDenier(denial: Denial): Follower {
  const { url } = chainOf(engine, 'BSC').anvil;
  const follower = followerOf(engine, 'BSC', [url, otherAddressOf(url)]);
  const honest = follower.source;
  const [denier] = honest.providers;
  const denies = (pass: Pass, txId: string) =>
    denial.told && txId === denial.txId && answeringOf(honest.providers, pass) === denier;
  const withoutDenied = <Read extends { transfers: ChainTransfer[] }>(read: Read, pass: Pass): Read => ({
    ...read,
    transfers: read.transfers.filter(({ txId }) => !denies(pass, txId)),
  });
  const source: ChainSource = {
    ...honest,
    read: async (request) => withoutDenied(await honest.read(request), request.pass),
    readBlocks: async (request) => withoutDenied(await honest.readBlocks(request), request.pass),
    receipts: async (txIds, pass) => {
      const receipts = await honest.receipts(txIds, pass);
      for (const one of receipts) if (one && denies(pass, one.txId)) one.succeeded = false;
      return receipts;
    },
  };
  return Object.assign(follower, { source });
}

async function openQuote(token = 'USDT'): Promise<{ transId: string; quote: QuoteRow }> {
  const transId = await newInvoice(engine, store, '50');
  return { transId, quote: await select(engine, transId, 'BSC', token) };
}

/** An invented payment of a quote, claimed to be in the newest block. */
async function forge(quote: QuoteRow, digits: string): Promise<ChainTransfer> {
  const { anvil } = chainOf(engine, 'BSC');
  const block = await anvil.rpc<{ number: string; hash: string }>('eth_getBlockByNumber', ['latest', false]);
  const from = '0x00000000000000000000000000000000deadbeef';
  const place = { height: Number(block.number), blockHash: block.hash };
  return {
    token: 'USDT',
    txId: `0x${digits.repeat(32)}`,
    index: 'USDT:0',
    from,
    to: quote.toAddress.toLowerCase(),
    units: unitsOf(quote),
    ...place,
  };
}

/** Follows long enough to cover everything, and for a doubt to grow old. */
async function followForMinutes(follower: Follower, minutes = 4): Promise<void> {
  for (let minute = 0; minute < minutes; minute += 1) {
    for (let step = 0; step < 6; step += 1) await followChain(follower);
    await ageReads(engine.database, 'BSC');
    engine.clock.advance(MINUTE_MS);
  }
}

describe('an invented payment', () => {
  test.each(['first', 'second'] as const)('that only the %s provider shows never completes an invoice', async (by) => {
    const { transId, quote } = await openQuote();
    const other = await openQuote();
    await pay(engine, other.quote);
    await mineNow(engine, 'BSC', 3);
    const lie: Lie = { by, told: true, forged: await forge(quote, by === 'first' ? 'f1' : 'f2') };
    await mineNow(engine, 'BSC', 20);
    const before = await standingOf(engine, 'BSC');
    const follower = readerWithLiar(lie);
    await followForMinutes(follower);
    expect(await statusOf(engine, store, transId)).not.toBe('completed');
    expect(await statusOf(engine, store, other.transId)).toBe('completed');
    expect(await alarmsOf(engine, 'chain:BSC')).toContain('transfer-doubted');
    expect((await standingOf(engine, 'BSC')).covered['finalized']).toBeLessThan(lie.forged.height);
    lie.told = false;
    const named = { network: 'BSC', tx: lie.forged.txId, index: 'USDT:0' };
    await command(engine, 'transfer discard', { ...named, reason: 'no explorer shows it' });
    await followForMinutes(follower);
    expect(await statusOf(engine, store, transId)).toBe('waiting');
    expect((await standingOf(engine, 'BSC')).covered['finalized']).toBeGreaterThan(before.covered['finalized'] ?? 0);
  });

  test.each(['first', 'second'] as const)(
    'of coins, shown by the %s in a transaction that is there, pays nothing either',
    async (by) => {
      const { transId, quote } = await openQuote('BNB');
      const other = await openQuote();
      const txId = await pay(engine, other.quote);
      await mineNow(engine, 'BSC');
      const { height, blockHash, from, to } = await forge(quote, 'f3');
      const coins = { token: 'BNB', index: 'native', units: unitsOf(quote), from, to };
      await mineNow(engine, 'BSC', 20);
      const follower = readerWithLiar({ by, told: true, forged: { ...coins, txId, height, blockHash } });
      await followForMinutes(follower);
      expect(await statusOf(engine, store, transId)).not.toBe('completed');
      expect(await statusOf(engine, store, other.transId)).toBe('completed');
    },
  );
});

test('a payment that only the second read shows below the coverage of another tier is not recorded: it would settle at once', async () => {
  const { transId, quote } = await openQuote();
  await mineNow(engine, 'BSC', 3);
  const lie: Lie = { by: 'second', told: true, forged: await forge(quote, 'f4') };
  await mineNow(engine, 'BSC', 20);
  const follower = readerWithLiar(lie);
  await followForMinutes(follower, 1);
  await engine.database.pool.query(
    `insert into chain_coverage (network, tier, height, block_time)
     select network, 'other', height + 1000, block_time from chain_coverage where network = 'BSC' and tier = 'finalized'`,
  );
  await followForMinutes(follower);
  expect(await alarmsOf(engine, 'chain:BSC')).toContain('transfer-doubted');
  const { rows } = await engine.database.pool.query('select id from transfers where tx_id = $1', [lie.forged.txId]);
  expect(rows).toEqual([]);
  lie.told = false;
  await engine.database.pool.query(`delete from chain_coverage where tier = 'other'`);
  await followForMinutes(follower);
  expect(await statusOf(engine, store, transId)).toBe('waiting');
});

describe('a real payment', () => {
  test('that the first provider denies is not passed over while the second shows it', async () => {
    const { transId, quote } = await openQuote();
    const other = await openQuote();
    const denial: Denial = { told: true, txId: await pay(engine, quote) };
    await pay(engine, other.quote);
    await mineNow(engine, 'BSC');
    const height = Number(await chainOf(engine, 'BSC').anvil.rpc<string>('eth_blockNumber', []));
    await mineNow(engine, 'BSC', 20);
    const follower = readerWithDenier(denial);
    await followForMinutes(follower);
    expect(await statusOf(engine, store, other.transId)).toBe('completed');
    expect(await alarmsOf(engine, 'chain:BSC')).toContain('transfer-doubted');
    expect((await standingOf(engine, 'BSC')).covered['finalized']).toBeLessThan(height);
    denial.told = false;
    await followForMinutes(follower);
    expect(await statusOf(engine, store, transId)).toBe('completed');
    expect((await standingOf(engine, 'BSC')).covered['finalized']).toBeGreaterThanOrEqual(height);
  });
});
