import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import type { Follower } from '../../src/chains/follower.ts';
import type { QuoteRow } from '../../src/quotes/quote.ts';
import type { RpcProxy } from '../../rig/chains/rpc-proxy.ts';
import { changing, startRpcProxy } from '../../rig/chains/rpc-proxy.ts';
import type { EngineFixture } from '../../rig/invoices/engine-fixture.ts';
import { chainOf, followerOf, openEngineFixture, openPayableStore } from '../../rig/invoices/engine-fixture.ts';
import { follow, mineNow, settle } from '../../rig/invoices/follow-network.ts';
import { alarmsOf, statusOf, transfersOf } from '../../rig/invoices/look-up.ts';
import { newInvoice, pay, select } from '../../rig/invoices/pay-invoice.ts';
import { command } from '../../rig/invoices/run-command.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';

/** One payment is one transfer, however often a provider lists its log. */

const NETWORKS = ['BSC', 'ETH'];
/** More blocks than every tier for fifty dollars needs. */
const DEEP = 60;

let engine: EngineFixture;
let store: TestStore;
const proxies = new Map<string, RpcProxy>();
beforeAll(async () => {
  engine = await openEngineFixture(inject('template'), NETWORKS);
  store = await openPayableStore(engine);
  for (const network of NETWORKS) {
    proxies.set(network, await startRpcProxy(chainOf(engine, network).anvil.url));
    await settle(engine, network);
  }
});
afterAll(async () => {
  for (const proxy of proxies.values()) await proxy.stop();
  await engine.close();
});
beforeEach(async () => {
  engine.clock.advance(10_000);
  for (const network of NETWORKS) {
    proxyOf(network).answerTruly();
    await settle(engine, network);
  }
});

function proxyOf(network: string): RpcProxy {
  const proxy = proxies.get(network);
  if (!proxy) throw new Error(`${network} has no proxy.`);
  return proxy;
}

type RawLog = { logIndex: string };

/** Changes what a node answers for the logs of a range; its logs of single blocks and its receipts stay true. */
const changingRanges = (change: (log: RawLog) => RawLog[]) =>
  changing((call, result) => {
    const [filter] = call.params as [{ fromBlock?: string } | undefined];
    if (call.method !== 'eth_getLogs' || filter?.fromBlock === undefined) return result;
    return (result as RawLog[]).flatMap(change);
  });

const twice = changingRanges((log) => [log, log]);
const MOVED_BY = 1_000;
const twiceUnderTwoNumbers = changingRanges((log) => [
  log,
  { ...log, logIndex: `0x${(Number(log.logIndex) + MOVED_BY).toString(16)}` },
]);

const PROVIDERS: [string, number][] = [
  ['the only provider', 1],
  ['the first of two providers', 2],
];

type Paid = { follower: Follower; transId: string; quote: QuoteRow; other: string };

async function openTwo(network: string, providers: number): Promise<Paid> {
  const urls = [proxyOf(network).url, chainOf(engine, network).anvil.url].slice(0, providers);
  const follower = followerOf(engine, network, urls);
  await follow(engine, network, follower);
  const [transId, other] = [await newInvoice(engine, store), await newInvoice(engine, store)];
  const quote = await select(engine, transId, network);
  await select(engine, other, network);
  return { follower, transId, quote, other };
}

const standing = async (txId: string) => (await transfersOf(engine, txId)).filter(({ canonical }) => canonical);

describe.each(NETWORKS)('%s', (network) => {
  test.each(PROVIDERS)(
    'a log that %s lists twice is one transfer, and an alarm is raised',
    async (_name, providers) => {
      const { follower, transId, quote } = await openTwo(network, providers);
      proxyOf(network).answer(twice);
      const txId = await pay(engine, quote);
      await mineNow(engine, network, DEEP);
      await follow(engine, network, follower);
      expect(await statusOf(engine, store, transId)).toBe('completed');
      expect(await transfersOf(engine, txId)).toMatchObject([{ index: 'USDT:0', canonical: true, trans_id: transId }]);
      expect(follower.counts.duplicateLogs).toBeGreaterThan(0);
      expect(await alarmsOf(engine, `chain:${network}`)).toContain('duplicate-logs');
    },
  );

  test.each(PROVIDERS)(
    'a copy that %s lists under another number pays no second invoice, and is undone',
    async (_name, providers) => {
      const { follower, transId, quote, other } = await openTwo(network, providers);
      proxyOf(network).answer(twiceUnderTwoNumbers);
      const txId = await pay(engine, quote);
      await mineNow(engine, network, DEEP);
      await follow(engine, network, follower);
      proxyOf(network).answerTruly();
      expect(await standing(txId)).toHaveLength(2);
      await command(engine, 'inbox attach', { invoice: other, network, tx: txId, index: 'USDT:1' });
      for (let minute = 0; minute < 3; minute += 1) {
        await mineNow(engine, network, DEEP);
        await follow(engine, network, follower);
        expect(await statusOf(engine, store, other)).not.toBe('completed');
      }
      expect(await statusOf(engine, store, transId)).toBe('completed');
      expect(await standing(txId)).toMatchObject([{ index: 'USDT:0', trans_id: transId }]);
    },
  );
});

test('an operator can discard a confirmed copy, and not the payment that is left', async () => {
  const { follower, quote } = await openTwo('BSC', 1);
  const txId = await pay(engine, quote);
  await mineNow(engine, 'BSC', DEEP);
  await follow(engine, 'BSC', follower);
  await engine.database.pool.query(
    `insert into transfers (network, tx_id, index, token, from_address, to_address, units, height, block_hash, block_time, seen_at,
       read_by, read_how, proven_by, proven_how, proven_at, reason)
     select network, tx_id, 'USDT:1', token, from_address, to_address, units, height, block_hash, block_time, seen_at,
       read_by, read_how, proven_by, proven_how, proven_at, 'already_paid' from transfers where tx_id = $1`,
    [txId],
  );
  const discard = (index: string) =>
    command(engine, 'transfer discard', { network: 'BSC', tx: txId, index, reason: 'The node listed it twice.' });
  await discard('USDT:1');
  expect(await standing(txId)).toMatchObject([{ index: 'USDT:0' }]);
  await expect(discard('USDT:0')).rejects.toThrow('The transfer was confirmed');
});
