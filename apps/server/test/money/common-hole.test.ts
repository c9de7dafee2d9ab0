import type { Address } from 'viem';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { payToken } from '../../rig/chains/evm/payment.ts';
import { canonicalToken } from '../../rig/chains/evm/token.ts';
import type { RpcProxy } from '../../rig/chains/rpc-proxy.ts';
import { changing, startRpcProxy } from '../../rig/chains/rpc-proxy.ts';
import type { EngineFixture } from '../../rig/invoices/engine-fixture.ts';
import {
  CHAIN_IDS,
  chainOf,
  followerOf,
  openEngineFixture,
  openPayableStore,
  secondsNow,
} from '../../rig/invoices/engine-fixture.ts';
import { expire, follow, followChain, mineNow, settle } from '../../rig/invoices/follow-network.ts';
import { alarmsOf, endOf, statusOf } from '../../rig/invoices/look-up.ts';
import { newInvoice, pay, select } from '../../rig/invoices/pay-invoice.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';

/** Absence counts only when two different questions agree: providers may share a fault. */

const STRANGER: Address = '0x00000000000000000000000000000000deadbeef';
const NETWORKS = ['BSC', 'ETH'];

let engine: EngineFixture;
let store: TestStore;
const proxies: Record<string, RpcProxy[]> = {};
beforeAll(async () => {
  engine = await openEngineFixture(inject('template'), NETWORKS);
  store = await openPayableStore(engine);
  for (const network of NETWORKS) {
    const { url } = chainOf(engine, network).anvil;
    proxies[network] = [await startRpcProxy(url), await startRpcProxy(url)];
  }
});
afterAll(async () => {
  for (const proxy of Object.values(proxies).flat()) await proxy.stop();
  await engine.close();
});
beforeEach(async () => {
  for (const proxy of Object.values(proxies).flat()) proxy.answerTruly();
  engine.clock.advance(10_000);
  for (const network of NETWORKS) await settle(engine, network);
});

/** Permanently omits one transaction from log ranges; receipts and logs of single blocks include it. */
const lacking = (txId: string) =>
  changing((call, result) => {
    const [filter] = call.params as [{ fromBlock?: string } | undefined];
    if (call.method !== 'eth_getLogs' || filter?.fromBlock === undefined) return result;
    return (result as { transactionHash: string }[]).filter(({ transactionHash }) => transactionHash !== txId);
  });

describe.each(NETWORKS)('%s', (network) => {
  test.each([
    ['one provider lacks', 1],
    ['two providers both lack', 2],
  ])('a payment whose log %s among others of its block completes its invoice', async (_title, count) => {
    const { anvil } = chainOf(engine, network);
    const used = (proxies[network] ?? []).slice(0, count);
    const follower = followerOf(
      engine,
      network,
      used.map(({ url }) => url),
    );
    await follow(engine, network, follower);
    const transId = await newInvoice(engine, store);
    const quote = await select(engine, transId, network);
    const token = canonicalToken(CHAIN_IDS[network] ?? 0, 'USDT').address;
    await payToken(anvil, { token, to: STRANGER, units: 10n ** 7n });
    const txId = await pay(engine, quote);
    await payToken(anvil, { token, to: STRANGER, units: 10n ** 7n });
    for (const proxy of used) proxy.answer(lacking(txId));
    await mineNow(engine, network, 20);
    await follow(engine, network, follower);
    engine.clock.advance(((await endOf(engine, transId)) + 60 - secondsNow(engine)) * 1000);
    await mineNow(engine, network, 150);
    await follow(engine, network, follower);
    await follow(engine, network, follower);
    await expire(engine);
    expect(await statusOf(engine, store, transId)).toBe('completed');
  });
});

test('two addresses of one host are a single provider, and an alarm says so', async () => {
  const { url } = chainOf(engine, 'BSC').anvil;
  await engine.database.pool.query('delete from alarms');
  const follower = followerOf(engine, 'BSC', [`${url}/?one`, `${url}/?two`]);
  expect(follower.source.providers).toHaveLength(1);
  await followChain(follower);
  expect(await alarmsOf(engine, 'chain:BSC')).toEqual(['single-provider']);
  const { rows } = await engine.database.pool.query('select details from alarms');
  expect(rows).toEqual([{ details: { provider: new URL(url).host, addresses: 2 } }]);
});
