import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import type { Follower } from '../../src/chains/follower.ts';
import type { ChainFixture } from '../../rig/chains/chain-fixture.ts';
import {
  closeChainFixture,
  followToEnd,
  keepUp,
  openChainFixture,
  openQuote,
  pay as payQuote,
  settle as settleFixture,
} from '../../rig/chains/chain-fixture.ts';
import { freezeAnswers } from '../../rig/chains/evm/frozen-answers.ts';
import type { RpcProxy } from '../../rig/chains/rpc-proxy.ts';
import { startRpcProxy } from '../../rig/chains/rpc-proxy.ts';
import type { ProfileRig } from '../../rig/chains/profile-rig.ts';
import { settleSeconds, startProfileRig } from '../../rig/chains/profile-rig.ts';
import { lastBlock } from '../../rig/chains/solana/ledger.ts';
import type { SolanaDoor } from '../../rig/chains/solana/node.ts';
import type { EngineFixture } from '../../rig/invoices/engine-fixture.ts';
import { chainOf, followerOf, openEngineFixture, openPayableStore } from '../../rig/invoices/engine-fixture.ts';
import { ageReads, expire, follow, followChain, mineNow, settle } from '../../rig/invoices/follow-network.ts';
import { alarmsOf, statusOf } from '../../rig/invoices/look-up.ts';
import { newInvoice, pay, select } from '../../rig/invoices/pay-invoice.ts';
import * as sol from '../../rig/invoices/solana-fixture.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';

/** A provider with a stalled head is no worse than one that is down. */

const MINUTE_MS = 60_000;
const STEP_SECONDS = 3;
/** How much longer than its rule a payment may take to settle while one of two providers stands still. */
const SPARE_SECONDS = 120;

describe('of a chain', () => {
  let engine: EngineFixture;
  let store: TestStore;
  let frozen: RpcProxy;
  let healthy: RpcProxy;
  beforeAll(async () => {
    engine = await openEngineFixture(inject('template'), ['BSC', 'ETH']);
    store = await openPayableStore(engine);
    frozen = await startRpcProxy(chainOf(engine, 'BSC').anvil.url);
    healthy = await startRpcProxy(chainOf(engine, 'BSC').anvil.url);
    for (const network of ['BSC', 'ETH']) await settle(engine, network);
  });
  afterAll(async () => {
    await frozen.stop();
    await healthy.stop();
    await engine.close();
  });
  beforeEach(async () => {
    frozen.answerTruly();
    await engine.database.pool.query('delete from alarms');
    engine.clock.advance(10_000);
    await settle(engine, 'BSC');
  });

  /** Blocks come and first reads age, minute by minute. */
  async function readForMinutes(follower: Follower, minutes: number): Promise<void> {
    for (let minute = 0; minute < minutes; minute += 1) {
      await mineNow(engine, 'BSC', 5);
      for (let step = 0; step < 6; step += 1) await followChain(follower);
      await ageReads(engine.database, 'BSC');
      await expire(engine);
      engine.clock.advance(MINUTE_MS - 5_000);
    }
  }

  const standing = async () => (await alarmsOf(engine, 'chain:BSC')).filter((kind) => kind === 'head-stalled');

  test.each<[string, () => string[]]>([
    ['first of two', () => [frozen.url, healthy.url]],
    ['second of two', () => [healthy.url, frozen.url]],
    ['first of three', () => [frozen.url, healthy.url, chainOf(engine, 'BSC').anvil.url]],
    ['second of three', () => [healthy.url, frozen.url, chainOf(engine, 'BSC').anvil.url]],
  ])('a paid invoice completes and an unpaid one expires while the %s providers stands still', async (_place, urls) => {
    const follower = followerOf(engine, 'BSC', urls());
    await follow(engine, 'BSC', follower);
    const [paid, unpaid] = [await newInvoice(engine, store), await newInvoice(engine, store)];
    const quote = await select(engine, paid);
    await select(engine, unpaid);
    frozen.answer(await freezeAnswers(chainOf(engine, 'BSC').anvil));
    await pay(engine, quote);
    await readForMinutes(follower, 5);
    expect(await statusOf(engine, store, paid)).toBe('completed');
    expect(await standing()).toEqual(['head-stalled']);
    engine.clock.advance(30 * MINUTE_MS);
    await readForMinutes(follower, 6);
    expect(await statusOf(engine, store, unpaid)).toBe('expired');
  });

  test('a provider that moves again is asked again, and a second standstill raises a second alarm', async () => {
    const follower = followerOf(engine, 'BSC', [frozen.url, healthy.url]);
    await follow(engine, 'BSC', follower);
    for (let times = 0; times < 2; times += 1) {
      frozen.answer(await freezeAnswers(chainOf(engine, 'BSC').anvil));
      await readForMinutes(follower, 3);
      expect(follower.source.standing?.()).toHaveLength(1);
      frozen.answerTruly();
      await readForMinutes(follower, 2);
      expect(follower.source.standing?.()).toEqual([]);
    }
    expect(await standing()).toEqual(['head-stalled', 'head-stalled']);
  });

  test.each(['BSC', 'ETH'])(
    'an only provider of %s that stands still raises an alarm within two minutes',
    async (network) => {
      const proxy = await startRpcProxy(chainOf(engine, network).anvil.url);
      const follower = followerOf(engine, network, [proxy.url]);
      await follow(engine, network, follower);
      proxy.answer(await freezeAnswers(chainOf(engine, network).anvil));
      for (let seconds = 0; seconds < 110; seconds += 10) {
        await mineNow(engine, network, 9);
        await followChain(follower);
        engine.clock.advance(1_000);
      }
      expect(await alarmsOf(engine, `chain:${network}`)).toContain('head-stalled');
      await proxy.stop();
    },
  );
});

// One network for each kind of finality rule: by a tag, by confirmations, by age.
describe.each(['BSC', 'ETH', 'OPTIMISM'])('of two providers of %s', (network) => {
  let fixture: ChainFixture<ProfileRig>;
  beforeAll(async () => {
    fixture = await openChainFixture(inject('template'), startProfileRig(network, 2));
  });
  afterAll(() => closeChainFixture(fixture));

  test.each([
    ['first', 0],
    ['second', 1],
  ])(
    'while the %s stands still, a paid invoice completes within its finality rule and two minutes',
    async (_place, place) => {
      const { engine, rig, store } = fixture;
      await settleFixture(fixture);
      const open = await openQuote(fixture);
      rig.freeze(true, place);
      await payQuote(fixture, open);
      const stepSeconds = Math.max(STEP_SECONDS, rig.blockSeconds);
      let seconds = 0;
      while (
        seconds < settleSeconds(rig) + SPARE_SECONDS &&
        (await statusOf(engine, store, open.transId)) !== 'completed'
      ) {
        keepUp(fixture, await rig.pass(stepSeconds));
        await followToEnd(fixture);
        seconds += stepSeconds;
      }
      rig.freeze(false, place);
      expect(await statusOf(engine, store, open.transId)).toBe('completed');
      expect(await alarmsOf(engine, `chain:${network}`)).toContain('head-stalled');
    },
  );
});

describe('of accounts', () => {
  let engine: sol.SolanaFixture;
  const doors: SolanaDoor[] = [];
  beforeAll(async () => {
    engine = await sol.openSolanaFixture(inject('template'));
    for (let door = 0; door < 3; door += 1) doors.push(await engine.node.openDoor());
  });
  afterAll(() => engine.close());

  test.each([
    ['first of two', 0, 2],
    ['second of two', 1, 2],
    ['first of three', 0, 3],
    ['second of three', 1, 3],
  ])('a paid invoice completes while the %s providers stands still', async (_place, place, count) => {
    await engine.database.pool.query('delete from alarms');
    const store = await sol.openSolanaStore(engine);
    const urls = doors.map(({ url }) => url).slice(0, count);
    const reader = sol.createReader(engine, { urls, monotonic: engine.clock });
    await sol.settle(engine, reader);
    const { transId, quote } = await sol.openQuote(engine, store);
    doors[place]?.behave({ standsAt: lastBlock(engine.node.ledger)?.slot ?? 0 });
    await sol.pay(engine, quote);
    for (let minute = 0; minute < 6; minute += 1) {
      sol.finalizeNow(engine);
      await sol.follow(engine, reader);
      await sol.ageReads(engine);
      await sol.follow(engine, reader);
      engine.clock.advance(MINUTE_MS);
    }
    doors[place]?.behave({ standsAt: null });
    expect(await statusOf(engine, store, transId)).toBe('completed');
    expect(await alarmsOf(engine, 'chain:SOL')).toContain('head-stalled');
  });

  test('an only provider whose blocks do not become final raises an alarm', async () => {
    await engine.database.pool.query('delete from alarms');
    const [door] = doors;
    const reader = sol.createReader(engine, { urls: [door?.url ?? ''], monotonic: engine.clock });
    await sol.settle(engine, reader);
    const stalledAt = lastBlock(engine.node.ledger)?.slot ?? 0;
    for (let minute = 0; minute < 3; minute += 1) {
      sol.produceNow(engine, 10);
      door?.behave({ finalityLag: (lastBlock(engine.node.ledger)?.slot ?? 0) - stalledAt + 50 });
      await sol.follow(engine, reader);
      engine.clock.advance(MINUTE_MS);
    }
    door?.behave({ finalityLag: null });
    expect(await alarmsOf(engine, 'chain:SOL')).toEqual(['finality-stalled']);
  });
});
