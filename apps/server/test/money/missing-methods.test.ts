import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import type { Follower } from '../../src/chains/follower.ts';
import { payToken } from '../../rig/chains/evm/payment.ts';
import { canonicalToken } from '../../rig/chains/evm/token.ts';
import type { RpcProxy } from '../../rig/chains/rpc-proxy.ts';
import { changing, Refused, startRpcProxy } from '../../rig/chains/rpc-proxy.ts';
import type { EngineFixture } from '../../rig/invoices/engine-fixture.ts';
import { chainOf, followerOf, openEngineFixture, openPayableStore } from '../../rig/invoices/engine-fixture.ts';
import { ageReads, expire, followChain, mineNow, settle } from '../../rig/invoices/follow-network.ts';
import { alarmsOf, statusOf } from '../../rig/invoices/look-up.ts';
import { newInvoice, select } from '../../rig/invoices/pay-invoice.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';

/** A provider that lacks a method which second reads need is reported: without it nothing expires. */

const STRANGER = '0x00000000000000000000000000000000deadbeef';
const METHOD_NOT_FOUND = -32_601;
/** More blocks than Ethereum needs to make one final. */
const FINAL_BLOCKS = 110;

let engine: EngineFixture;
let store: TestStore;
let proxy: RpcProxy;
beforeAll(async () => {
  engine = await openEngineFixture(inject('template'), ['ETH']);
  store = await openPayableStore(engine);
  proxy = await startRpcProxy(chainOf(engine, 'ETH').anvil.url);
});
afterAll(async () => {
  await proxy.stop();
  await engine.close();
});
beforeEach(async () => {
  proxy.answerTruly();
  await settle(engine, 'ETH');
  await engine.database.pool.query('delete from alarms');
});

const withoutReceipts = changing((call, result) => {
  if (call.method !== 'eth_getBlockReceipts') return result;
  throw new Refused(METHOD_NOT_FOUND, 'the method eth_getBlockReceipts does not exist/is not available');
});

/** Makes blocks with a transfer each, so that no bloom filter passes them over, and then blocks until these are final. */
async function makeFinalTransfers(): Promise<void> {
  const { anvil } = chainOf(engine, 'ETH');
  for (let block = 0; block < 5; block += 1) {
    await payToken(anvil, { token: canonicalToken(1, 'USDT').address, to: STRANGER, units: 10n ** 7n });
    await mineNow(engine, 'ETH');
  }
  await mineNow(engine, 'ETH', FINAL_BLOCKS);
}

async function readForMinutes(follower: Follower, minutes: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute += 1) {
    for (let step = 0; step < 6; step += 1) await followChain(follower);
    await ageReads(engine.database, 'ETH');
    engine.clock.advance(59_000);
    await mineNow(engine, 'ETH');
  }
}

const unsupported = async () =>
  (await alarmsOf(engine, 'chain:ETH')).filter((kind) => kind === 'method-unsupported').length;

describe('eth_getBlockReceipts', () => {
  test('a provider that never had it raises an alarm when it is first asked', async () => {
    proxy.answer(withoutReceipts);
    await followChain(followerOf(engine, 'ETH', [proxy.url]));
    expect(await unsupported()).toBe(1);
  });

  test('a provider that has it raises none', async () => {
    await followChain(followerOf(engine, 'ETH', [proxy.url]));
    expect(await unsupported()).toBe(0);
  });

  test('an only provider that stops answering it raises an alarm after a minute', async () => {
    const follower = followerOf(engine, 'ETH', [proxy.url]);
    await followChain(follower);
    proxy.answer(withoutReceipts);
    await makeFinalTransfers();
    await readForMinutes(follower, 4);
    expect(await unsupported()).toBeGreaterThan(0);
  });

  test('with a second provider that has it, an unpaid invoice expires', async () => {
    const follower = followerOf(engine, 'ETH', [proxy.url, chainOf(engine, 'ETH').anvil.url]);
    proxy.answer(withoutReceipts);
    await followChain(follower);
    const transId = await newInvoice(engine, store);
    await select(engine, transId, 'ETH');
    engine.clock.advance(60 * 60_000);
    await makeFinalTransfers();
    await readForMinutes(follower, 4);
    await expire(engine);
    expect(await statusOf(engine, store, transId)).toBe('expired');
  });
});
