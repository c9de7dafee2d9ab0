import type { Address } from 'viem';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { payNative } from '../../rig/chains/evm/payment.ts';
import * as solana from '../../rig/invoices/solana-fixture.ts';
import type { EngineFixture } from '../../rig/invoices/engine-fixture.ts';
import { chainOf, openPayableStore, openEngineFixture } from '../../rig/invoices/engine-fixture.ts';
import { follow, mineNow, settle } from '../../rig/invoices/follow-network.ts';
import { newInvoice, pay, select, setPrices } from '../../rig/invoices/pay-invoice.ts';
import { statusOf, transfersOf } from '../../rig/invoices/look-up.ts';

/** Coins worth less than ten cents are counted and not recorded, unless that very amount was quoted. */

let engine: EngineFixture;
beforeAll(async () => {
  engine = await openEngineFixture(inject('template'), ['BSC']);
  await follow(engine, 'BSC');
});
afterAll(() => engine.close());

const reader = () => chainOf(engine, 'BSC').follower;
/** Ten cents of a coin at 600 dollars. */
const TEN_CENTS = 166_666_666_666_666n;

async function openQuote(token = 'BNB') {
  const store = await openPayableStore(engine);
  const transId = await newInvoice(engine, store);
  const quote = await select(engine, transId, 'BSC', token);
  return { store, transId, quote, to: quote.toAddress as Address };
}

/** Forgets the dust limit, as after a minute, when the price is read again. */
function forgetLimit(): void {
  reader().memory.dustLimit = undefined;
}

describe('coins', () => {
  test('worth less than ten cents at the last price are counted and not recorded; ten cents are recorded', async () => {
    const { to } = await openQuote();
    forgetLimit();
    const before = reader().counts.dust;
    const dust = await payNative(chainOf(engine, 'BSC').anvil, { to, units: TEN_CENTS - 1n });
    const enough = await payNative(chainOf(engine, 'BSC').anvil, { to, units: TEN_CENTS });
    await settle(engine, 'BSC');
    expect(await transfersOf(engine, dust)).toEqual([]);
    expect(await transfersOf(engine, enough)).toMatchObject([{ index: 'native', reason: 'short' }]);
    expect(reader().counts).toMatchObject({ dust: before + 1, disagreements: 0 });
  });

  test('of a quoted amount pay, whatever the price has become', async () => {
    const { store, transId, quote } = await openQuote();
    await setPrices(engine, { BNB: '0.0001' });
    forgetLimit();
    await pay(engine, quote);
    await settle(engine, 'BSC');
    expect(await statusOf(engine, store, transId)).toBe('completed');
  });

  test('that one read recorded stay when the price falls before the second read', async () => {
    const { to } = await openQuote();
    await setPrices(engine);
    forgetLimit();
    const hash = await payNative(chainOf(engine, 'BSC').anvil, { to, units: TEN_CENTS });
    await mineNow(engine, 'BSC', 6);
    await follow(engine, 'BSC');
    await setPrices(engine, { BNB: '1' });
    forgetLimit();
    await settle(engine, 'BSC');
    expect(await transfersOf(engine, hash)).toMatchObject([{ canonical: true }]);
    expect(reader().counts.disagreements).toBe(0);
  });

  test('are all recorded where no price is known, or only an old one', async () => {
    const { to } = await openQuote();
    await engine.database.pool.query(`update price_reports set observed_at = observed_at - interval '25 hours'`);
    forgetLimit();
    const hash = await payNative(chainOf(engine, 'BSC').anvil, { to, units: 1n });
    await settle(engine, 'BSC');
    expect(await transfersOf(engine, hash)).toMatchObject([{ index: 'native', reason: 'short' }]);
  });
});

describe('coins of Solana', () => {
  test('below ten cents are counted and not recorded, and payments beside them are recorded', async () => {
    const accounts = await solana.openSolanaFixture(inject('template'));
    try {
      const store = await solana.openSolanaStore(accounts);
      const { transId, quote } = await solana.openQuote(accounts, store, 'SOL');
      // A Solana account must hold its rent, so the first payment to it is more than dust.
      const first = await solana.pay(accounts, quote, { units: 10_000_000n });
      solana.produceNow(accounts, 2);
      const before = accounts.follower.counts.dust;
      const dust = await solana.pay(accounts, quote, { units: 666_665n });
      const paid = await solana.pay(accounts, quote);
      await solana.settle(accounts);
      expect(await transfersOf(accounts, dust)).toEqual([]);
      expect(await transfersOf(accounts, first)).toHaveLength(1);
      expect(await transfersOf(accounts, paid)).toMatchObject([{ trans_id: transId }]);
      expect(await statusOf(accounts, store, transId)).toBe('completed');
      expect(accounts.follower.counts.dust).toBeGreaterThan(before);
      expect(accounts.follower.counts.disagreements).toBe(0);
    } finally {
      await accounts.close();
    }
  });
});
