import type { Hex } from 'viem';
import { afterAll, beforeAll, describe, expect, expectTypeOf, test } from 'vitest';
import { createManualClock, createPacedClock } from '../../src/lib/clock.ts';
import type { ManualClock } from '../../src/lib/clock.ts';
import { CHAIN_NETWORKS } from '../../src/networks/chain-networks.ts';
import type { ClientRefusal } from '../../src/networks/client-refusals.ts';
import type { OwnTransaction } from '../../src/networks/profile.ts';
import { profileOf } from '../../src/networks/profile.ts';
import { callRpc, callRpcBatch } from '../../rig/chains/json-rpc.ts';
import { NO_FAULTS } from '../../rig/chains/evm/network-faults.ts';
import { wordOf } from '../../rig/chains/evm/network-block.ts';
import type { NetworkNode, NetworkNodeOptions, NetworkProvider } from '../../rig/chains/evm/network-node.ts';
import { startNetworkNode } from '../../rig/chains/evm/network-node.ts';
import { payByBatch, payToken } from '../../rig/chains/evm/payment.ts';
import { sendSigned, signPayment } from '../../rig/chains/evm/signed.ts';
import { canonicalToken } from '../../rig/chains/evm/token.ts';

const START_MS = 1_794_700_000_000;
const PAYEE: Hex = '0x00000000000000000000000000000000000c0de1';
const VISITOR: Hex = '0x00000000000000000000000000000000000c0de2';
const TRANSFER: Hex = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const EVM = CHAIN_NETWORKS.filter(({ family }) => family === 'evm');
const SYMBOLS = EVM.map(({ id }) => id);

type Block = {
  number: Hex;
  hash: Hex;
  parentHash: Hex;
  timestamp: Hex;
  logsBloom: Hex;
  transactions: { hash: Hex; type: Hex; to?: Hex }[];
};
type Log = { blockNumber: Hex; blockHash: Hex; transactionHash: Hex; data: Hex; topics: Hex[]; logIndex: Hex };
type Rig = { clock: ManualClock; node: NetworkNode; token: Hex };

const rigs = new Map<string, Rig>();

beforeAll(async () => {
  await Promise.all(
    EVM.map(async ({ id: symbol, chainId }) => {
      const clock = createManualClock(START_MS);
      const node = await startNetworkNode({ network: symbol, clock });
      rigs.set(symbol, { clock, node, token: canonicalToken(chainId ?? 0, 'USDT').address });
    }),
  );
});
afterAll(async () => {
  await Promise.all([...rigs.values()].map(({ node }) => node.stop()));
});

function rigOf(symbol: string): Rig {
  const rig = rigs.get(symbol);
  if (!rig) throw new Error(`There is no rig of ${symbol}.`);
  return rig;
}

const hex = (height: number): Hex => `0x${height.toString(16)}`;
const ask = <Result>({ url }: NetworkProvider, method: string, ...params: unknown[]) =>
  callRpc<Result>(url, { method, params });
const blockAt = (provider: NetworkProvider, at: number | string) =>
  ask<Block>(provider, 'eth_getBlockByNumber', typeof at === 'number' ? hex(at) : at, true);
const heightOf = async (provider: NetworkProvider, tag: string) => Number((await blockAt(provider, tag)).number);

function logsOf(provider: NetworkProvider, from: number, to: number, token: Hex): Promise<Log[]> {
  return ask(provider, 'eth_getLogs', { fromBlock: hex(from), toBlock: hex(to), address: [token], topics: [TRANSFER] });
}

/** The whole answer to a batch, as it comes. */
async function post(provider: NetworkProvider, calls: { method: string; params: unknown[] }[]): Promise<unknown> {
  const body = JSON.stringify(calls.map((call, id) => ({ jsonrpc: '2.0', id, ...call })));
  const response = await fetch(provider.url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  return response.json();
}

/** Pays in the first of some new blocks and moves the clock along. Answers the transaction and its height. */
async function pay(rig: Rig, units = 7n, blocks = 1): Promise<{ hash: Hex; height: number }> {
  const { node, token, clock } = rig;
  const hash = await payToken(node.chain.anvil, { token, to: PAYEE, units });
  const height = node.chain.head() + 1;
  const { timeMs } = await node.chain.produce(blocks);
  clock.advance(Math.max(0, timeMs - clock.nowMs()));
  return { hash, height };
}

/** Whether a type of transaction is where the network puts it in a block. */
function isPlaced({ type, place, perBlock }: OwnTransaction, found: readonly Hex[]): boolean {
  const places = found.flatMap((one, at) => (one === type ? [at] : []));
  if (perBlock !== null && places.length !== perBlock) return false;
  if (place === 'opening') return places.every((at) => at < places.length);
  return place === 'any' || places.every((at) => at >= found.length - places.length);
}

describe.each(SYMBOLS)('%s', (symbol) => {
  const { blockSeconds, finalizedLagBlocks, finalizedMonotonic, timesRepeat, ...profile } = profileOf({ id: symbol });

  test('blocks come at the pace of the network, are linked, and carry whole seconds', async () => {
    const { node, clock } = rigOf(symbol);
    const before = node.chain.head();
    clock.advance(60_000);
    await node.chain.advance();
    const made = node.chain.head() - before;
    expect(Math.abs(made - 60 / blockSeconds)).toBeLessThanOrEqual(1);
    const heights = Array.from({ length: made }, (_unused, place) => before + place + 1);
    const blocks = await callRpcBatch<Block>(
      node.provider.url,
      heights.slice(0, 90).map((height) => ({ method: 'eth_getBlockByNumber', params: [hex(height), false] })),
    );
    const times = blocks.map(({ timestamp }) => Number(timestamp));
    expect(blocks.slice(1).every(({ parentHash }, place) => parentHash === blocks[place]?.hash)).toBe(true);
    expect(times.every((time, place) => Number.isInteger(time) && time >= (times[place - 1] ?? 0))).toBe(true);
    const shared = new Set(times).size < times.length;
    expect(shared).toBe(blockSeconds < 1);
    expect([true, 'unknown'].includes(timesRepeat) || !shared).toBe(true);
  });

  test('block 0 is the first block of the real network', async () => {
    expect((await blockAt(rigOf(symbol).node.provider, 0)).hash).toBe(profile.genesisHash);
    expect(Number(await ask(rigOf(symbol).node.provider, 'eth_chainId'))).toBe(
      EVM.find((network) => network.id === symbol)?.chainId,
    );
  });

  test('finalized lies where the profile says, and goes back only where it was seen to', async () => {
    const { node } = rigOf(symbol);
    const lags: number[] = [];
    const heights: number[] = [];
    for (let round = 0; round < 40; round += 1) {
      const [latest, finalized] = await callRpcBatch<Block>(node.provider.url, [
        { method: 'eth_getBlockByNumber', params: ['latest', false] },
        { method: 'eth_getBlockByNumber', params: ['finalized', false] },
      ]);
      heights.push(Number(finalized?.number));
      lags.push(Number(latest?.number) - Number(finalized?.number));
      if (round % 4 === 3) await node.chain.produce(1);
    }
    expect(Math.min(...lags)).toBeGreaterThanOrEqual(finalizedLagBlocks.least);
    expect(Math.max(...lags)).toBeLessThanOrEqual(finalizedLagBlocks.most);
    const wentBack = heights.some((height, place) => height < (heights[place - 1] ?? 0));
    expect(wentBack).toBe(!finalizedMonotonic);
  });

  test('a payment stands in logs of a range, in logs of its block, in its receipt and in those of its block alike', async () => {
    const rig = rigOf(symbol);
    const { node, token } = rig;
    const { hash, height } = await pay(rig, 11n, 4);
    const inRange = (await logsOf(node.provider, height - 2, height, token)).filter(
      (log) => log.transactionHash === hash,
    );
    const block = await blockAt(node.provider, height);
    const byHash = await ask<Log[]>(node.provider, 'eth_getLogs', {
      blockHash: block.hash,
      topics: [TRANSFER, null, wordOf(PAYEE)],
    });
    const receipt = await ask<{ logs: Log[]; status: Hex }>(node.provider, 'eth_getTransactionReceipt', hash);
    const receipts = await ask<{ transactionHash: Hex; logs: Log[] }[]>(
      node.provider,
      'eth_getBlockReceipts',
      hex(height),
    );
    expect(inRange).toMatchObject([{ blockNumber: hex(height), blockHash: block.hash, data: wordOf(11n) }]);
    expect(byHash).toEqual(inRange);
    expect(receipt).toMatchObject({ status: '0x1', logs: inRange });
    expect(receipts.find((one) => one.transactionHash === hash)).toMatchObject({ logs: inRange });
    expect(receipts.map((one) => one.transactionHash)).toEqual(block.transactions.map((one) => one.hash));
  });

  test('the transactions of the network itself stand at their places', async () => {
    const rig = rigOf(symbol);
    const { height } = await pay(rig, 12n, 16);
    const types: Hex[][] = [];
    for (let at = height; at < height + 14; at += 1)
      types.push((await blockAt(rig.node.provider, at)).transactions.map(({ type }) => type));
    const misplaced = types.filter((found) => !profile.ownTransactions.every((own) => isPlaced(own, found)));
    expect(misplaced).toEqual([]);
    expect(types.flat().length).toBeGreaterThan(0);
  });

  test('a reorg gives other hashes above the common block, and moves or drops what was paid', async () => {
    const { node, token } = rigOf(symbol);
    const { anvil } = node.chain;
    const kept = await signPayment(anvil, { payer: 3, to: PAYEE, units: 21n, token });
    await sendSigned(anvil, kept);
    const dropped = await signPayment(anvil, { payer: 4, to: PAYEE, units: 22n, token });
    await sendSigned(anvil, dropped);
    const ancestor = node.chain.head();
    await node.chain.produce(8);
    const hashes = () => [ancestor, ancestor + 1, ancestor + 8].map((at) => node.chain.block(at)?.hash);
    const before = hashes();
    await node.chain.reorg(8, [{ rawTransaction: kept.rawTransaction, offset: 5 }]);
    const after = hashes();
    expect(after[0]).toBe(before[0]);
    expect(after[1]).not.toBe(before[1]);
    expect(after[2]).not.toBe(before[2]);
    await node.chain.produce(4);
    expect(await ask(node.provider, 'eth_getTransactionReceipt', kept.hash)).toMatchObject({
      blockNumber: hex(ancestor + 6),
    });
    expect(await ask(node.provider, 'eth_getTransactionReceipt', dropped.hash)).toBeNull();
    const logs = await logsOf(node.provider, ancestor, ancestor + 8, token);
    expect(logs.map(({ transactionHash }) => transactionHash)).toContain(kept.hash);
    expect(logs.map(({ transactionHash }) => transactionHash)).not.toContain(dropped.hash);
  });
});

const profiles = SYMBOLS.map((symbol) => ({ symbol, ...profileOf({ id: symbol }) }));
type Safe = { lagSeconds: number; lagSecondsMost: number };
const SAFE = profiles.flatMap(({ symbol, safe }): [string, Safe][] =>
  safe && 'lagSeconds' in safe ? [[symbol, safe]] : [],
);
const WITHOUT_SAFE = profiles.flatMap(({ symbol, safe }): [string, ClientRefusal][] =>
  safe && 'refusal' in safe ? [[symbol, safe.refusal]] : [],
);

describe('safe', () => {
  test('every EVM network serves the tag or refuses it', () => {
    expect([...SAFE, ...WITHOUT_SAFE].map(([symbol]) => symbol).sort()).toEqual(SYMBOLS.toSorted());
  });

  test.each(SAFE)('%s: it lies at its distance, and further away where a provider is slow', async (symbol, safe) => {
    const { node } = rigOf(symbol);
    const { blockSeconds, finalizedLagBlocks } = profileOf({ id: symbol });
    const latest = await heightOf(node.provider, 'latest');
    const near = await heightOf(node.provider, 'safe');
    const most = Math.max(safe.lagSeconds, finalizedLagBlocks.most * blockSeconds);
    expect((latest - near) * blockSeconds).toBeLessThanOrEqual(most + blockSeconds);
    const slow = await node.openProvider({ slowSafe: true });
    expect(await heightOf(slow, 'safe')).toBeLessThanOrEqual(near + 1);
  });

  test.each(WITHOUT_SAFE)('%s: it is refused in the words of the client, and counted', async (symbol, refusal) => {
    const { provider } = rigOf(symbol).node;
    const { code, message } = refusal;
    const before = provider.counts().refusedTags;
    await expect(blockAt(provider, 'safe')).rejects.toMatchObject({ code, message });
    expect(provider.counts().refusedTags).toBe(before + 1);
  });
});

const LIMITED_CALLS: [symbol: string, limit: number, answer: unknown][] = [
  ['BSC', 1_000, [{ id: 0, error: { code: -32_600, message: 'batch too large' } }]],
  ['ARBITRUM', 1_000, [{ id: 0, error: { code: -32_600, message: 'batch too large' } }]],
  ['AVAX', 1_000, [{ id: 0, error: { code: -32_600, message: 'batch too large' } }]],
  [
    'ETH',
    100,
    [
      {
        id: 0,
        error: {
          code: -32_600,
          message: 'batch limit 100 exceeded (can increase by --rpc.batch.limit). Requested batch of size: 101',
        },
      },
    ],
  ],
  ['POLYGON', 100, { id: null, error: { code: -32_000, message: 'batch limit 100 exceeded: 101 requests given' } }],
];
const BEYOND_AT_END: [symbol: string, message: RegExp][] = [
  ['ETH', /^block range extends beyond current head block$/],
  ['OPTIMISM', /^block range extends beyond current head block: requested \d+, head \d+$/],
  ['BASE', /^block range extends beyond current head block: requested \d+, head \d+$/],
];

const calls = (count: number) => Array.from({ length: count }, () => ({ method: 'eth_chainId', params: [] }));

describe('limits', () => {
  test.each(LIMITED_CALLS)(
    '%s: a batch of more than %i calls is refused in the client’s form',
    async (symbol, limit, answer) => {
      const { provider } = rigOf(symbol).node;
      expect(await post(provider, calls(limit))).toHaveLength(limit);
      expect(provider.counts().limits.calls).toBe(0);
      expect(await post(provider, calls(limit + 1))).toMatchObject(answer as object);
      expect(provider.counts().limits.calls).toBe(1);
    },
  );

  test.each(['OPTIMISM', 'BASE'])('%s: calls of a batch are not counted', async (symbol) => {
    expect(await post(rigOf(symbol).node.provider, calls(1_500))).toHaveLength(1_500);
  });

  test.each(BEYOND_AT_END)('%s: a range that ends above the head is refused', async (symbol, message) => {
    const { node, token } = rigOf(symbol);
    const head = node.chain.head();
    const refused = { code: -32_602, message: expect.stringMatching(message) as string };
    await expect(logsOf(node.provider, head - 10, head + 5, token)).rejects.toMatchObject(refused);
    expect(node.provider.counts().beyondHead).toBeGreaterThan(0);
  });

  test.each(['BSC', 'POLYGON', 'ARBITRUM'])(
    '%s: a range is cut off at the head in silence, and refused above it',
    async (symbol) => {
      const { node, token } = rigOf(symbol);
      const head = node.chain.head();
      expect(await logsOf(node.provider, head - 10, head + 5, token)).toBeInstanceOf(Array);
      const refused = { code: -32_000, message: 'invalid block range params' };
      await expect(logsOf(node.provider, head + 2, head + 5, token)).rejects.toMatchObject(refused);
    },
  );

  test('AVAX: a range above the head is empty, without an error', async () => {
    const { node, token } = rigOf('AVAX');
    const head = node.chain.head();
    expect(await logsOf(node.provider, head + 2, head + 5, token)).toEqual([]);
  });

  test('geth and its forks send the answer that is too big, and refuse the calls after it', async () => {
    const { node } = rigOf('ARBITRUM');
    const from = node.chain.head() + 1;
    await node.chain.produce(3, { traffic: { token: node.chain.busyToken, transfers: 0, inputBytes: 3_000_000 } });
    const whole = (height: number) => ({ method: 'eth_getBlockByNumber', params: [hex(height), true] });
    const answers = (await post(node.provider, [whole(from), whole(from + 1), whole(from + 2)])) as object[];
    expect(answers.map((answer) => 'result' in answer)).toEqual([true, true, false]);
    expect(answers[2]).toMatchObject({ id: 2, error: { code: -32_003, message: 'response too large' } });
    expect(node.provider.counts().limits.bytes).toBe(1);
    expect(await post(node.provider, [whole(from)])).toMatchObject([{ result: { number: hex(from) } }]);
  });

  test('ranges and results are refused where the client counts them', async () => {
    const { node, token } = rigOf('ETH');
    const from = node.chain.head() + 1;
    await node.chain.produce(1_002);
    await expect(logsOf(node.provider, from, from + 1_000, token)).rejects.toMatchObject({
      code: -32_602,
      message: 'query block range exceeds server limit, narrow your filter: 1000',
    });
    expect(await logsOf(node.provider, from, from + 999, token)).toEqual([]);
    const busy = node.chain.head() + 1;
    await node.chain.produce(3, { traffic: { token: node.chain.busyToken, transfers: 4_000, inputBytes: 0 } });
    await expect(logsOf(node.provider, busy, busy + 2, token)).rejects.toMatchObject({
      code: -32_005,
      message: `query returned more than 10000 results. Try with this block range [${busy}, ${busy + 1}].`,
    });
    expect(await logsOf(node.provider, busy, busy + 1, token)).toHaveLength(8_000);
    expect(node.provider.counts().limits).toMatchObject({ range: 1, results: 1 });
  });

  test('Avalanche shows headers of blocks that are not executed, with a bloom of others, without logs and receipts', async () => {
    const rig = rigOf('AVAX');
    const { node, token } = rig;
    const provider = await node.openProvider({ queueSeconds: 9 });
    const { hash, height } = await pay(rig, 31n, 3);
    expect(await heightOf(provider, 'latest')).toBe(node.chain.head() - 6);
    expect((await blockAt(provider, height)).number).toBe(hex(height));
    expect(await logsOf(provider, height, height, token)).toEqual([]);
    expect(await ask(provider, 'eth_getBlockReceipts', hex(height))).toBeNull();
    expect(await ask(provider, 'eth_getTransactionReceipt', hash)).toBeNull();
    expect(provider.counts().unexecuted).toBe(1);
    await node.chain.produce(10);
    expect(await logsOf(provider, height, height, token)).toHaveLength(1);
    expect(Number((await blockAt(provider, height)).logsBloom)).toBe(0);
    expect(Number((await blockAt(provider, height + 5)).logsBloom)).toBeGreaterThan(0);
  });
});

describe('faults', () => {
  test('an index that lags by blocks or by seconds lacks the newest logs while headers and receipts are there', async () => {
    const rig = rigOf('BSC');
    const { node, token, clock } = rig;
    const blocks = await node.openProvider({ logsLagBlocks: 6 });
    const seconds = await node.openProvider({ logsLagSeconds: 60 });
    const { hash, height } = await pay(rig, 41n, 3);
    for (const provider of [blocks, seconds]) {
      expect(await logsOf(provider, height, height, token)).toEqual([]);
      expect(await ask(provider, 'eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1' });
      const { hash: blockHash } = await blockAt(provider, height);
      expect(await ask(provider, 'eth_getLogs', { blockHash, address: token })).toHaveLength(1);
      expect(provider.counts().indexLag).toBe(1);
    }
    await node.chain.produce(6);
    clock.advance(4_000);
    expect(await logsOf(blocks, height, height, token)).toHaveLength(1);
    expect(await logsOf(seconds, height, height, token)).toEqual([]);
    clock.advance(60_000);
    expect(await logsOf(seconds, height, height, token)).toHaveLength(1);
    expect(node.provider.counts().indexLag).toBe(0);
  });

  test('where logs of a block are answered by the index too, they lag alike', async () => {
    const rig = rigOf('ETH');
    const provider = await rig.node.openProvider({ logsLagBlocks: 6 });
    const { height } = await pay(rig, 42n, 3);
    const { hash: blockHash } = await blockAt(provider, height);
    expect(await ask(provider, 'eth_getLogs', { blockHash, address: rig.token })).toEqual([]);
  });

  test('a hole near the end hides logs while newer ones are there', async () => {
    const rig = rigOf('BASE');
    const provider = await rig.node.openProvider({ logsHole: { from: 2, to: 4 } });
    const holed = await pay(rig, 43n, 2);
    const newer = await pay(rig, 44n, 2);
    const logs = await logsOf(provider, holed.height, newer.height + 1, rig.token);
    expect(logs.map(({ transactionHash }) => transactionHash)).toEqual([newer.hash]);
    expect(provider.counts().holes).toBe(1);
  });

  test('a log is missing for ever, for a while, or in one answer; without an earlier one the others are numbered wrong', async () => {
    const rig = rigOf('POLYGON');
    const { node, token, clock } = rig;
    const provider = await node.openProvider();
    const gone = await pay(rig, 45n, 2);
    provider.hideLog(gone.hash, 0);
    const late = await pay(rig, 46n, 2);
    provider.hideLog(late.hash, 0, { seconds: 30 });
    const batch = await payByBatch(node.chain.anvil, [
      { token, to: VISITOR, units: 1n },
      { token, to: PAYEE, units: 47n },
    ]);
    await node.chain.produce(2);
    provider.hideLog(batch, 0, { answers: 1 });
    const read = async () => {
      const logs = await logsOf(provider, gone.height, node.chain.head(), token);
      const ours = logs.filter(({ topics }) => [PAYEE, VISITOR].some((address) => topics[2] === wordOf(address)));
      return ours.map(({ data }) => BigInt(data));
    };
    expect(await read()).toEqual([47n]);
    expect(provider.counts()).toMatchObject({ missingLogs: 1, phantoms: 1 });
    expect(await read()).toEqual([1n, 47n]);
    clock.advance(31_000);
    expect(await read()).toEqual([46n, 1n, 47n]);
    expect(provider.counts()).toMatchObject({ missingLogs: 3, phantoms: 1 });
    expect(await ask(provider, 'eth_getTransactionReceipt', gone.hash)).toMatchObject({ status: '0x1' });
  });

  test('calls of a batch that is split are answered by nodes of different heights', async () => {
    const { node } = rigOf('OPTIMISM');
    const backends = [
      { share: 1, lagBlocks: 0 },
      { share: 1, lagBlocks: 5 },
    ];
    const provider = await node.openProvider({ backends, splitBatches: true });
    const heights = await callRpcBatch<Hex>(
      provider.url,
      Array.from({ length: 30 }, () => ({ method: 'eth_blockNumber' })),
    );
    expect(new Set(heights.map((height) => node.chain.head() - Number(height)))).toEqual(new Set([0, 5]));
    expect(provider.counts()).toMatchObject({ splitBatches: 1 });
    expect(provider.counts().staleAnswers).toBeGreaterThan(0);
  });

  test('a provider on another fork has the same number and first block, other hashes, and a payment that nobody else has', async () => {
    const { node, token } = rigOf('BSC');
    await node.chain.produce(30);
    const above = node.chain.head() - 20;
    const transfers = [{ height: above + 5, token, to: PAYEE, units: 48n }];
    const provider = await node.openProvider({ foreign: { above, transfers } });
    const hashes = async (height: number) => [
      (await blockAt(provider, height)).hash,
      (await blockAt(node.provider, height)).hash,
    ];
    const [same, alike] = await hashes(above);
    expect(same).toBe(alike);
    const [here, there] = await hashes(above + 1);
    expect(here).not.toBe(there);
    const log = (await logsOf(provider, above + 5, above + 5, token)).find(({ data }) => BigInt(data) === 48n);
    expect(await logsOf(node.provider, above + 5, above + 5, token)).toEqual([]);
    expect(await ask(provider, 'eth_getTransactionReceipt', log?.transactionHash)).toMatchObject({
      status: '0x1',
      blockHash: log?.blockHash,
    });
    expect((await blockAt(provider, 0)).hash).toBe(profileOf({ id: 'BSC' }).genesisHash);
    expect(await ask(provider, 'eth_chainId')).toBe('0x38');
    expect(provider.counts().foreign).toBeGreaterThan(0);
  });

  test('the final block can stand still, and can be unknown after a restart', async () => {
    const { node } = rigOf('BSC');
    const provider = await node.openProvider({ finalizedStandsAt: node.chain.head() - 10 });
    await node.chain.produce(5);
    expect(await heightOf(provider, 'finalized')).toBe(node.chain.head() - 15);
    provider.behave({ finalizedUnknown: true });
    await expect(blockAt(provider, 'finalized')).rejects.toMatchObject({ message: 'finalized header not found' });
  });

  test('a block can hold a transaction of a type without receiver and value', async () => {
    const { node } = rigOf('BASE');
    await node.chain.produce(1, { strange: true });
    const block = await blockAt(node.provider, node.chain.head());
    expect(block.transactions.at(-1)).not.toHaveProperty('to');
    expect(block.transactions.at(-1)).not.toHaveProperty('value');
  });
});

describe('one factor', () => {
  test('nothing of a profile can be set: there are the network, the clock, a seed and faults', () => {
    expectTypeOf<keyof NetworkNodeOptions>().toEqualTypeOf<'network' | 'clock' | 'seed' | 'faults'>();
    const facts = Object.keys(profileOf({ id: 'BSC' }));
    expect(Object.keys(NO_FAULTS).filter((fault) => facts.includes(fault))).toEqual([]);
  });

  test('a faster clock scales blocks, tags and the lag of an index together', async () => {
    const base = createManualClock(START_MS);
    const clock = createPacedClock(base, { rate: 20, fromMs: START_MS });
    const node = await startNetworkNode({ network: 'BSC', clock, faults: { logsLagSeconds: 10 } });
    try {
      const { token } = rigOf('BSC');
      const hash = await payToken(node.chain.anvil, { token, to: PAYEE, units: 51n });
      const before = node.chain.head();
      base.advance(450);
      await node.chain.advance();
      expect(node.chain.head() - before).toBe(20);
      const height = node.chain.heightOf(hash) ?? 0;
      expect(await logsOf(node.provider, height, height, token)).toEqual([]);
      base.advance(100);
      expect(await logsOf(node.provider, height, height, token)).toHaveLength(1);
      const { timestamp } = await blockAt(node.provider, 'latest');
      expect(Number(timestamp)).toBe(START_MS / 1000 + 9);
    } finally {
      await node.stop();
    }
  });
});
