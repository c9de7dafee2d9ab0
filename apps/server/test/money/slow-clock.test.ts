import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { closeChainFixture, followToEnd, mineNow as mineOn, openChainFixture } from '../../rig/chains/chain-fixture.ts';
import type { ChainFixture } from '../../rig/chains/chain-fixture.ts';
import { mine } from '../../rig/chains/evm/reorg.ts';
import { markAsRead } from '../../rig/chains/mark-as-read.ts';
import type { ProfileRig } from '../../rig/chains/profile-rig.ts';
import { startProfileRig } from '../../rig/chains/profile-rig.ts';
import type { EngineFixture } from '../../rig/invoices/engine-fixture.ts';
import { chainOf, openEngineFixture, openPayableStore, secondsNow } from '../../rig/invoices/engine-fixture.ts';
import { expire, follow, settle } from '../../rig/invoices/follow-network.ts';
import { statusOf, transfersOf } from '../../rig/invoices/look-up.ts';
import { newInvoice, pay, setPrices, unitsOf } from '../../rig/invoices/pay-invoice.ts';
import { selectMethod } from '../../rig/invoices/select-method.ts';
import * as sol from '../../rig/invoices/solana-fixture.ts';

/** Block times far from the wall clock lose no payment: a network that is behind is not offered. */

const BEHIND_SECONDS = 600;
const REFUSED = 'network-unavailable';

const choose = (engine: EngineFixture, transId: string, network: string) =>
  selectMethod({ database: engine.as('api'), clock: engine.clock }, { transId, network, token: 'USDT' });

describe('BSC after a halt of ten minutes', () => {
  let engine: EngineFixture;
  beforeAll(async () => {
    engine = await openEngineFixture(inject('template'), ['BSC']);
    await settle(engine, 'BSC');
  });
  afterAll(() => engine.close());

  test('a network whose blocks are ten minutes behind is not offered, and is offered again when it has caught up', async () => {
    const store = await openPayableStore(engine);
    const { anvil } = chainOf(engine, 'BSC');
    engine.clock.advance(BEHIND_SECONDS * 1000);
    await mine(anvil, 30, { secondsBetween: 1 });
    await follow(engine, 'BSC');
    await setPrices(engine);
    const transId = await newInvoice(engine, store);
    await expect(choose(engine, transId, 'BSC')).rejects.toThrow(REFUSED);
    await settle(engine, 'BSC');
    const quote = await choose(engine, transId, 'BSC');
    const txId = await pay(engine, quote);
    await settle(engine, 'BSC');
    expect(await statusOf(engine, store, transId)).toBe('completed');
    expect(await transfersOf(engine, txId)).toMatchObject([{ canonical: true, trans_id: transId }]);
  });
});

describe('Base, whose blocks catch up in a burst after a halt', () => {
  let fixture: ChainFixture<ProfileRig>;
  beforeAll(async () => {
    fixture = await openChainFixture(inject('template'), startProfileRig('BASE'));
  });
  afterAll(() => closeChainFixture(fixture));

  test('is offered only from where its blocks are current, and a payment made then completes', async () => {
    const { engine, rig, store } = fixture;
    await mineOn(fixture, rig.finalDepth);
    await followToEnd(fixture);
    engine.clock.advance(BEHIND_SECONDS * 1000);
    const transId = await newInvoice(engine, store);
    let refused = 0;
    for (let bursts = 0; bursts < 10; bursts += 1) {
      const head = await rig.mine(Math.ceil(BEHIND_SECONDS / 8 / rig.blockSeconds), {});
      await followToEnd(fixture);
      await setPrices(engine);
      if (secondsNow(engine) - head.time <= 60) break;
      await expect(choose(engine, transId, 'BASE')).rejects.toThrow(REFUSED);
      refused += 1;
    }
    expect(refused).toBeGreaterThan(3);
    const quote = await choose(engine, transId, 'BASE');
    await rig.payToken({ to: quote.toAddress, units: unitsOf(quote) });
    await rig.mine(1, {});
    await mineOn(fixture, rig.finalDepth + 100);
    await followToEnd(fixture);
    engine.clock.advance(60_000);
    await mineOn(fixture, 20);
    await followToEnd(fixture);
    await expire(engine);
    expect(await statusOf(engine, store, transId)).toBe('completed');
  });
});

describe('Solana’s clock ten minutes behind', () => {
  let engine: sol.SolanaFixture;
  beforeAll(async () => {
    engine = await sol.openSolanaFixture(inject('template'));
  });
  afterAll(() => engine.close());

  test('a network whose clock is ten minutes behind is not offered', async () => {
    const store = await sol.openSolanaStore(engine);
    engine.clock.advance(BEHIND_SECONDS * 1000);
    engine.node.delayClock(BEHIND_SECONDS);
    engine.node.produce(engine.node.ledger.finalityLag + 5, { atTime: secondsNow(engine) });
    await sol.follow(engine);
    await setPrices(engine, { SOL: '150' });
    const transId = await newInvoice(engine, store);
    await expect(choose(engine, transId, 'SOL')).rejects.toThrow(REFUSED);
    engine.node.delayClock(0);
    await sol.settle(engine);
    expect(await choose(engine, transId, 'SOL')).toMatchObject({ network: 'SOL' });
  });

  test('a payment with a reference completes although its block time is almost ten minutes before the quote', async () => {
    const store = await sol.openSolanaStore(engine);
    await sol.settle(engine);
    engine.clock.advance(BEHIND_SECONDS * 1000);
    engine.node.delayClock(BEHIND_SECONDS - 20);
    // A network that is behind is not offered, unless what is stored of its head is wrong.
    await markAsRead(engine.database.pool, engine.clock);
    const { transId, quote } = await sol.openQuote(engine, store);
    const txId = await sol.pay(engine, quote, { references: [quote.reference ?? ''] });
    const { time } = engine.node.produce(1, { atTime: secondsNow(engine) });
    expect(secondsNow(engine) - time).toBe(BEHIND_SECONDS - 20);
    engine.node.delayClock(0);
    await sol.settle(engine);
    expect(await transfersOf(engine, txId)).toMatchObject([{ canonical: true, trans_id: transId }]);
    expect(await statusOf(engine, store, transId)).toBe('completed');
  });
});
