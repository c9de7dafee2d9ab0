import type { Hex } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ManualClock } from '../../src/lib/clock.ts';
import { createManualClock } from '../../src/lib/clock.ts';
import { profileOf } from '../../src/networks/profile.ts';
import { callRpc } from '../../rig/chains/json-rpc.ts';
import { wordOf } from '../../rig/chains/evm/network-block.ts';
import { payByBatch, payToken } from '../../rig/chains/evm/payment.ts';
import { canonicalToken } from '../../rig/chains/evm/token.ts';
import { TRON_CHAIN_ID } from '../../rig/chains/tron/block.ts';
import type { TronNetworkNode } from '../../rig/chains/tron/network.ts';
import { startTronNetworkNode } from '../../rig/chains/tron/network.ts';

const TOKEN = canonicalToken(TRON_CHAIN_ID, 'USDT').address;
const PAYEE: Hex = '0x00000000000000000000000000000000000c0de1';
const VISITOR: Hex = '0x00000000000000000000000000000000000c0de2';
const profile = profileOf({ id: 'TRC20' });

type Block = { number: Hex; hash: Hex; parentHash: Hex; timestamp: Hex };
type Log = { data: Hex; topics: Hex[]; blockHash: Hex };

let clock: ManualClock;
let node: TronNetworkNode;

beforeAll(async () => {
  clock = createManualClock(1_794_700_000_000);
  node = await startTronNetworkNode({ clock });
});
afterAll(() => node.stop());

const hex = (value: number): Hex => `0x${value.toString(16)}`;
const ask = <Result>(method: string, params: unknown[] = []) =>
  callRpc<Result>(`${node.url}/jsonrpc`, { method, params });
const blockAt = (at: number | string) =>
  ask<Block>('eth_getBlockByNumber', [typeof at === 'number' ? hex(at) : at, false]);

async function unitsBetween(from: number, to: number): Promise<bigint[]> {
  const logs = await ask<Log[]>('eth_getLogs', [{ fromBlock: hex(from), toBlock: hex(to), address: TOKEN }]);
  return logs
    .filter(({ topics }) => [wordOf(PAYEE), wordOf(VISITOR)].includes(topics[2] ?? '0x'))
    .map(({ data }) => BigInt(data));
}

async function produce(blocks: number): Promise<number> {
  const { timeMs } = await node.chain.produce(blocks);
  clock.advance(Math.max(0, timeMs - clock.nowMs()));
  return node.chain.head();
}

async function post(body: unknown): Promise<unknown> {
  const response = await fetch(`${node.url}/jsonrpc`, { method: 'POST', body: JSON.stringify(body) });
  return response.json();
}

test('blocks come at the network’s pace, linked, after the first block of the real network', async () => {
  const before = node.chain.head();
  clock.advance(30_000);
  await node.chain.advance();
  expect(node.chain.head() - before).toBe(30 / profile.blockSeconds);
  expect((await blockAt(0)).hash).toBe(`0x${profile.genesisHash}`);
  const [lower, upper] = [await blockAt(before), await blockAt(before + 1)];
  expect(upper.parentHash).toBe(lower.hash);
  expect((await blockAt(1)).parentHash).toBe(`0x${profile.genesisHash}`);
});

test('the solidified block is where the profile says', async () => {
  const [latest, finalized] = [await blockAt('latest'), await blockAt('finalized')];
  expect(Number(latest.number) - Number(finalized.number)).toBe(profile.finalizedLagBlocks.most);
  await expect(blockAt('safe')).rejects.toMatchObject({ code: -32_602, message: 'invalid block number' });
});

test('an index that is behind lacks the newest logs; the infos of the same block do not', async () => {
  node.behave({ logsLagBlocks: 3 });
  await payToken(node.chain.anvil, { token: TOKEN, to: PAYEE, units: 61n });
  const height = await produce(1);
  expect(await unitsBetween(height, height)).toEqual([]);
  expect(node.counts().indexLag).toBe(1);
  const response = await fetch(`${node.url}/wallet/gettransactioninfobyblocknum`, {
    method: 'POST',
    body: JSON.stringify({ num: height }),
  });
  expect(((await response.json()) as { log?: unknown[] }[])[0]?.log).toHaveLength(1);
  await produce(3);
  expect(await unitsBetween(height, height)).toEqual([61n]);
  node.behave({ logsLagBlocks: 0 });
});

test('a log that is missing before another gives that one a wrong number, and is counted', async () => {
  const hash = await payByBatch(node.chain.anvil, [
    { token: TOKEN, to: VISITOR, units: 1n },
    { token: TOKEN, to: PAYEE, units: 62n },
  ]);
  const height = await produce(1);
  node.hideLog(hash, 0, { answers: 1 });
  expect(await unitsBetween(height, height)).toEqual([62n]);
  expect(await unitsBetween(height, height)).toEqual([1n, 62n]);
  expect(node.counts()).toMatchObject({ missingLogs: 1, phantoms: 1 });
});

test('a batch of too many calls, and an answer of too many bytes, are refused by one object without an id', async () => {
  const calls = Array.from({ length: 101 }, (_unused, id) => ({
    jsonrpc: '2.0',
    id,
    method: 'eth_chainId',
    params: [],
  }));
  expect(await post(calls.slice(1))).toHaveLength(100);
  expect(await post(calls)).toMatchObject({
    id: null,
    error: { code: -32_005, message: 'Batch size 101 exceeds the limit of 100' },
  });
  const height = node.chain.head() + 1;
  await node.chain.produce(1, { traffic: { token: TOKEN.toLowerCase() as Hex, transfers: 0, inputBytes: 7_000_000 } });
  const whole = { jsonrpc: '2.0', method: 'eth_getBlockByNumber', params: [hex(height), true] };
  const refused = { code: -32_003, message: 'Response byte size exceeds the limit of 26214400' };
  expect(
    await post([
      { ...whole, id: 1 },
      { ...whole, id: 2 },
    ]),
  ).toMatchObject({ id: null, error: refused });
  expect(await post({ ...whole, id: 3 })).toMatchObject({ id: 3, result: { number: hex(height) } });
  expect(node.counts().limits).toMatchObject({ calls: 1, bytes: 1 });
});

test('too many blocks and too many logs are refused and counted', async () => {
  const from = node.chain.head() + 1;
  await node.chain.produce(3, { traffic: { token: node.chain.busyToken, transfers: 4_000, inputBytes: 0 } });
  await node.chain.produce(1);
  await expect(unitsBetween(from, from + 2)).rejects.toMatchObject({
    message: 'query returned more than 10000 results',
  });
  expect(await unitsBetween(from, from + 1)).toEqual([]);
  await node.chain.produce(5_001);
  await expect(unitsBetween(from, node.chain.head())).rejects.toMatchObject({
    message: 'exceed max block range: 5000',
  });
  expect(node.counts().limits).toMatchObject({ range: 1, results: 1 });
});
