import type { Address } from 'viem';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { readCheckoutFacts } from '../../src/checkout/checkout-facts-sql.ts';
import { readChanges, readPosition } from '../../src/invoices/change-feed-sql.ts';
import { reorg } from '../../rig/chains/evm/reorg.ts';
import type { EngineFixture } from '../../rig/invoices/engine-fixture.ts';
import { chainOf, openPayableStore, openEngineFixture } from '../../rig/invoices/engine-fixture.ts';
import { command } from '../../rig/invoices/run-command.ts';
import { endOf, factsOf } from '../../rig/invoices/look-up.ts';
import { expire, follow, mineAt, mineNow, settle } from '../../rig/invoices/follow-network.ts';
import { newInvoice, pay, select, unitsOf } from '../../rig/invoices/pay-invoice.ts';
import { payToken } from '../../rig/chains/evm/payment.ts';
import { canonicalToken } from '../../rig/chains/evm/token.ts';

/**
 * Everything that a customer can see change must be in the change feed, tested by the engine's own verbs on a real
 * chain.
 */

const LIMIT = 1_000;
/** Last digit that a payer is shown. */
const DIGIT = 1n;

let engine: EngineFixture;
beforeAll(async () => {
  engine = await openEngineFixture(inject('template'), ['ETH']);
  await follow(engine, 'ETH');
});
afterAll(() => engine.close());

async function openQuote(amount = '50') {
  const store = await openPayableStore(engine);
  const transId = await newInvoice(engine, store, amount);
  const quote = await select(engine, transId, 'ETH');
  return { transId, quote };
}

/** Whether `work` puts the invoice into the change feed. */
async function tells(transId: string, work: () => Promise<unknown>): Promise<boolean> {
  const { id } = await factsOf(engine, transId);
  const position = await readPosition(engine.as('api').pool);
  await work();
  return (await readChanges(engine.as('api').pool, position, LIMIT)).invoiceIds.includes(id);
}

async function arrivalsOf(transId: string): Promise<(string | null)[]> {
  const [facts] = await readCheckoutFacts(engine.as('api').pool, [transId]);
  return facts?.transfers.map((transfer) => transfer.reason) ?? [];
}

describe('the change feed contains', () => {
  test('a selection, another one, and the first again', async () => {
    const store = await openPayableStore(engine);
    const transId = await newInvoice(engine, store);
    expect(await tells(transId, () => select(engine, transId, 'ETH'))).toBe(true);
    expect(await tells(transId, () => select(engine, transId, 'ETH', 'USDC'))).toBe(true);
    expect(await tells(transId, () => select(engine, transId, 'ETH'))).toBe(true);
  });

  test('a payment that was seen, and its completion', async () => {
    const { transId, quote } = await openQuote();
    await pay(engine, quote);
    const seen = async () => {
      await mineNow(engine, 'ETH', 6);
      await follow(engine, 'ETH');
    };
    expect(await tells(transId, seen)).toBe(true);
    expect(await tells(transId, () => settle(engine, 'ETH'))).toBe(true);
  });

  test('a payment that a reorganisation took away', async () => {
    const { transId, quote } = await openQuote();
    await settle(engine, 'ETH');
    await pay(engine, quote);
    await mineNow(engine, 'ETH', 6);
    await follow(engine, 'ETH');
    const taken = async () => {
      await reorg(chainOf(engine, 'ETH').anvil, 6);
      await mineNow(engine, 'ETH', 2);
      await follow(engine, 'ETH');
    };
    expect(await tells(transId, taken)).toBe(true);
  });

  test('the end of the invoice', async () => {
    const { transId } = await openQuote();
    await mineAt(engine, 'ETH', (await endOf(engine, transId)) + 1);
    await settle(engine, 'ETH');
    expect(await tells(transId, () => expire(engine))).toBe(true);
  });

  test('late money, and its attachment by the merchant', async () => {
    const { transId, quote } = await openQuote();
    await mineAt(engine, 'ETH', (await endOf(engine, transId)) + 1);
    await settle(engine, 'ETH');
    await expire(engine);
    const hash = await pay(engine, quote);
    expect(await tells(transId, () => settle(engine, 'ETH'))).toBe(true);
    expect(await arrivalsOf(transId)).toEqual(['late']);
    const { rows } = await engine.database.pool.query<{ index: string }>(
      'select index from transfers where tx_id = $1',
      [hash],
    );
    const values = { invoice: transId, network: 'ETH', tx: hash, index: rows[0]?.index ?? '' };
    const attach = () => command(engine, 'inbox attach', values);
    expect(await tells(transId, attach)).toBe(true);
  });
});

describe('money near one open amount is shown to its customer', () => {
  test.each<[string, bigint, string]>([
    ['a little short', -300_000n * DIGIT, 'short'],
    ['a little over', 300_000n * DIGIT, 'over'],
  ])('%s', async (_name, difference, reason) => {
    const { transId, quote } = await openQuote();
    await pay(engine, quote, unitsOf(quote) + difference);
    expect(await tells(transId, () => settle(engine, 'ETH'))).toBe(true);
    expect(await arrivalsOf(transId)).toEqual([reason]);
  });

  test('half of the amount is not shown: it may be meant for anybody', async () => {
    const { transId, quote } = await openQuote();
    await pay(engine, quote, unitsOf(quote) / 2n);
    expect(await tells(transId, () => settle(engine, 'ETH'))).toBe(false);
    expect(await arrivalsOf(transId)).toEqual([]);
  });

  test('a transfer near two amounts is shown to nobody: it may be meant for either', async () => {
    const store = await openPayableStore(engine);
    const transIds = [await newInvoice(engine, store, '50'), await newInvoice(engine, store, '51')];
    const [first] = await Promise.all(transIds.map((transId) => select(engine, transId, 'ETH')));
    if (!first) throw new Error('Nothing was selected.');
    await pay(engine, first, unitsOf(first) + 500_000n * DIGIT);
    await settle(engine, 'ETH');
    expect(await Promise.all(transIds.map(arrivalsOf))).toEqual([[], []]);
  });

  test('money to the address of another store never appears', async () => {
    const [mine, theirs] = [await openQuote(), await openQuote()];
    await payToken(chainOf(engine, 'ETH').anvil, {
      token: canonicalToken(1, 'USDT').address,
      to: theirs.quote.toAddress as Address,
      units: unitsOf(mine.quote),
    });
    await settle(engine, 'ETH');
    expect(await arrivalsOf(mine.transId)).toEqual([]);
  });
});
