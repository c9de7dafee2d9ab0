import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { inTransaction } from '../../src/db/transaction.ts';
import type { ChainReceipt, ChainSource, Pass } from '../../src/sources/chain-source.ts';
import { followHead, followTiers } from '../../src/chains/follow-chain.ts';
import type { Follower } from '../../src/chains/follower.ts';
import type { ChainTransfer } from '../../src/sources/transfer.ts';
import { revertTransfersAbove } from '../../src/transfers/transfer-sql.ts';
import type { QuoteRow } from '../../src/quotes/quote.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { answeringOf, otherAddressOf } from '../../rig/fakes/answering-provider.ts';
import type { EngineFixture } from '../../rig/invoices/engine-fixture.ts';
import { ageReads, followChain, mineNow, settle } from '../../rig/invoices/follow-network.ts';
import { alarmsOf, statusOf, transfersOf } from '../../rig/invoices/look-up.ts';
import { chainOf, followerOf, openPayableStore, openEngineFixture } from '../../rig/invoices/engine-fixture.ts';
import { command } from '../../rig/invoices/run-command.ts';
import { newInvoice, pay, select, unitsOf } from '../../rig/invoices/pay-invoice.ts';

/** Harm that one of two providers can do by answering, refusing and adding to its answers. */

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
const FORGED = `0x${'e1'.repeat(32)}`;

type Liar = {
  by: 'first' | 'second';
  /** Whether the liar refuses first reads, so that the other provider answers them. */
  refuses: boolean;
  /** Transactions that neither the liar's logs nor its blocks show. */
  hidden: string[];
  /** Invented transfers in the liar's logs, blocks and receipts. */
  forged: ChainTransfer[];
  /** Invented transfers in the liar's receipts only. */
  added: ChainTransfer[];
};

const newLiar = (liar: Partial<Liar>): Liar => ({
  by: 'first',
  refuses: false,
  hidden: [],
  forged: [],
  added: [],
  ...liar,
});

function readerWith(liar: Liar): Follower {
  const { url } = chainOf(engine, 'BSC').anvil;
  const follower = followerOf(engine, 'BSC', [url, otherAddressOf(url)]);
  const honest = follower.source;
  const liarName = answeringOf(honest.providers, liar.by);
  const answering = (pass: Pass) => answeringOf(honest.providers, pass);
  const lying =
    (ask: ChainSource['read']): ChainSource['read'] =>
    async (request) => {
      const { pass, from, to } = request;
      if (liar.refuses && answering(pass) === liarName && typeof pass === 'string')
        return ask({ ...request, pass: { not: liarName } });
      const read = await ask(request);
      if (read.by !== liarName) return read;
      const shown = read.transfers.filter(({ txId }) => !liar.hidden.includes(txId));
      const forged = liar.forged.filter(({ height }) => height >= from && height <= to);
      return { ...read, transfers: [...shown, ...forged] };
    };
  const receipts: ChainSource['receipts'] = async (txIds, pass) => {
    const answers = await honest.receipts(txIds, pass);
    if (answering(pass) !== liarName) return answers;
    return txIds.map((txId, place): ChainReceipt | null => {
      const forged = [...liar.forged, ...liar.added].filter((one) => one.txId === txId);
      const receipt = answers[place] ?? (forged[0] ? { ...forged[0], succeeded: true, transfers: [] } : null);
      return receipt && { ...receipt, transfers: [...receipt.transfers, ...forged] };
    });
  };
  const source = { ...honest, read: lying(honest.read), readBlocks: lying(honest.readBlocks), receipts };
  return Object.assign(follower, { source });
}

async function openQuote(): Promise<{ transId: string; quote: QuoteRow }> {
  const transId = await newInvoice(engine, store, '50');
  return { transId, quote: await select(engine, transId) };
}

/** An invented payment of a quote, in a given transaction and the newest block. */
async function forge(quote: QuoteRow, txId: string, index = 'USDT:0'): Promise<ChainTransfer> {
  const { anvil } = chainOf(engine, 'BSC');
  const block = await anvil.rpc<{ number: string; hash: string }>('eth_getBlockByNumber', ['latest', false]);
  const place = { height: Number(block.number), blockHash: block.hash };
  const from = '0x00000000000000000000000000000000deadbeef';
  return { token: 'USDT', txId, index, from, to: quote.toAddress.toLowerCase(), units: unitsOf(quote), ...place };
}

async function followForMinutes(follower: Follower, minutes = 4): Promise<void> {
  for (let minute = 0; minute < minutes; minute += 1) {
    for (let step = 0; step < 6; step += 1) await followChain(follower);
    await ageReads(engine.database, 'BSC');
    engine.clock.advance(MINUTE_MS);
  }
}

describe('a provider that leaves every other first read to another', () => {
  test('does not confirm by its blocks what only its own logs have shown', async () => {
    const { transId, quote } = await openQuote();
    const liar = newLiar({});
    const follower = readerWith(liar);
    await mineNow(engine, 'BSC', 3);
    liar.forged.push(await forge(quote, FORGED));
    await mineNow(engine, 'BSC', 5);
    await followHead(follower);
    liar.refuses = true;
    await mineNow(engine, 'BSC', 20);
    await followHead(follower);
    liar.refuses = false;
    await followForMinutes(follower);
    expect(await statusOf(engine, store, transId)).not.toBe('completed');
    expect(await alarmsOf(engine, 'chain:BSC')).toContain('transfer-doubted');
    liar.forged.length = 0;
    const named = { network: 'BSC', tx: FORGED, index: 'USDT:0' };
    await command(engine, 'transfer discard', { ...named, reason: 'no explorer shows it' });
    await followForMinutes(follower);
    expect(await statusOf(engine, store, transId)).toBe('waiting');
  });

  test('does not cover by its blocks what its own logs have hidden', async () => {
    const { transId, quote } = await openQuote();
    const liar = newLiar({});
    const follower = readerWith(liar);
    liar.hidden.push(await pay(engine, quote));
    await mineNow(engine, 'BSC', 8);
    await followHead(follower);
    liar.refuses = true;
    await mineNow(engine, 'BSC', 20);
    await followHead(follower);
    liar.refuses = false;
    await followForMinutes(follower, 2);
    expect(await statusOf(engine, store, transId)).toBe('completed');
  });
});

describe('further transfers in a receipt than the one it was asked for', () => {
  test('settle nothing by the answer of the provider that decided a difference', async () => {
    const { transId, quote } = await openQuote();
    const stray = await pay(engine, quote, unitsOf(quote) / 3n);
    await mineNow(engine, 'BSC');
    const forged = await forge(quote, stray, 'USDT:1');
    const follower = readerWith(newLiar({ by: 'second', hidden: [stray], added: [forged] }));
    await mineNow(engine, 'BSC', 20);
    await followForMinutes(follower);
    expect(await statusOf(engine, store, transId)).not.toBe('completed');
  });

  test('settle nothing by the answer of the provider that proved a payment', async () => {
    const [open, other] = [await openQuote(), await openQuote()];
    const paid = await pay(engine, other.quote);
    await mineNow(engine, 'BSC');
    const forged = await forge(open.quote, paid, 'USDT:1');
    await mineNow(engine, 'BSC', 20);
    await followForMinutes(readerWith(newLiar({ by: 'second', forged: [forged] })));
    expect(await statusOf(engine, store, open.transId)).not.toBe('completed');
    expect(await statusOf(engine, store, other.transId)).toBe('completed');
    expect(await transfersOf(engine, paid)).toHaveLength(1);
  });
});

test('a receipt that was asked for before its block was undone brings nothing back', async () => {
  const { transId, quote } = await openQuote();
  const hash = await pay(engine, quote);
  await mineNow(engine, 'BSC', 20);
  let undone = 0;
  const failpoint = async (name: string) => {
    if (name !== 'proof:before-commit') return;
    undone += 1;
    const [row] = await transfersOf(engine, hash);
    await inTransaction(engine.database, async (tx) => {
      await revertTransfersAbove(tx, 'BSC', (row?.height ?? 0) - 1);
      await tx
        .updateTable('chains')
        .set((eb) => ({ rewinds: eb('rewinds', '+', 1n) }))
        .where('network', '=', 'BSC')
        .execute();
    });
  };
  const follower = followerOf(engine, 'BSC', [chainOf(engine, 'BSC').anvil.url], { failpoint });
  await followHead(follower);
  await followTiers(follower);
  expect(undone).toBe(1);
  expect(await transfersOf(engine, hash)).toMatchObject([{ canonical: false }]);
  expect(await statusOf(engine, store, transId)).not.toBe('completed');
});
