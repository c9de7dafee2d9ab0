import type { Address, Hex } from 'viem';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createBloomTest } from '../../src/sources/evm/bloom.ts';
import { payByBatch, payNative, payRevertingNative, payToken } from '../../rig/chains/evm/payment.ts';
import { mine } from '../../rig/chains/evm/reorg.ts';
import { deployLookAlike } from '../../rig/chains/evm/token.ts';
import type { ProxiedNode } from '../../rig/chains/evm/proxied-node.ts';
import { request, startProxiedNode } from '../../rig/chains/evm/proxied-node.ts';
import type { ProxyCall } from '../../rig/chains/rpc-proxy.ts';
import { changing, Refused } from '../../rig/chains/rpc-proxy.ts';

/** A range is read block by block: another question than its logs, with the same answer. */

const STORE: Address = '0x00000000000000000000000000000000000000aa';
const QUIET_BLOCKS = 5;
const hex = (height: number) => `0x${height.toString(16)}`;

type Chain = { node: ProxiedNode; from: number; to: number; paid: number; coins: number };

/** Makes blocks with our tokens, with only a lookalike, with a failed coin, with only coins, and empty ones. */
async function startChain(symbol: string): Promise<Chain> {
  const node = await startProxiedNode(symbol);
  const { anvil } = node;
  const USDT = { symbol: 'USDT', decimals: 6, address: node.contract('USDT') };
  const fake = await deployLookAlike(anvil, USDT);
  await payByBatch(anvil, []);
  const from = (await mine(anvil)).number;
  await payToken(anvil, { token: fake.address, to: STORE, units: 5n });
  await mine(anvil);
  await payByBatch(
    anvil,
    ['USDT', 'USDC', 'USDT'].map((token) => ({ token: node.contract(token), to: STORE, units: 7n })),
  );
  const paid = (await mine(anvil)).number;
  await payRevertingNative(anvil, { to: STORE, units: 9n });
  await payNative(anvil, { to: STORE, units: 11n });
  const coins = (await mine(anvil)).number;
  const to = (await mine(anvil, QUIET_BLOCKS, { secondsBetween: 1 })).number;
  return { node, from, to, paid, coins };
}

let chains: Record<string, Chain>;
beforeAll(async () => {
  chains = { BSC: await startChain('BSC'), ETH: await startChain('ETH'), AVAX: await startChain('AVAX') };
});
afterAll(() => Promise.all(Object.values(chains).map(({ node }) => node.stop())));
beforeEach(() => {
  for (const { node } of Object.values(chains)) {
    node.proxy.answerTruly();
    node.proxy.forget();
  }
});

function chainOf(symbol: string): Chain {
  const chain = chains[symbol];
  if (!chain) throw new Error(`There is no ${symbol}.`);
  return chain;
}

const isReceipts = ({ method }: ProxyCall) => method === 'eth_getBlockReceipts';
const questionsOf = ({ node }: Chain) =>
  node.proxy
    .requests()
    .flat()
    .filter(({ method }) => method === 'eth_getBlockReceipts' || method === 'eth_getLogs');

describe('the same as by logs', () => {
  test.each(['BSC', 'ETH', 'AVAX'])('%s: transfers, coins and headers, field by field', async (symbol) => {
    const { node, from, to } = chainOf(symbol);
    const { source } = node.open();
    for (const native of [false, true]) {
      const seen = await source.read(request(from, to, { native }));
      const again = await source.readBlocks(request(from, to, { native, headers: 'ends' }));
      expect(again).toEqual(seen);
      expect(seen.transfers.length).toBe(native ? 7 : 5);
    }
  });

  test('each header follows from the one before it, or it throws', async () => {
    const { node, from, to } = chainOf('BSC');
    const { source } = node.open();
    node.proxy.answer(
      changing(({ params }, result) =>
        params[0] === hex(to) ? { ...(result as object), parentHash: `0x${'ab'.repeat(32)}` } : result,
      ),
    );
    await expect(source.readBlocks(request(from, to))).rejects.toMatchObject({ kind: 'inconsistent' });
  });

  test('a block that the provider lacks is not there yet', async () => {
    const { node, to } = chainOf('BSC');
    await expect(node.open().source.readBlocks(request(to, to + 1))).rejects.toMatchObject({ kind: 'not-yet' });
  });
});

describe('the question for the logs of a block', () => {
  test('is by the hash of the block where the client answers that from receipts', async () => {
    const chain = chainOf('BSC');
    const source = await chain.node.openProved();
    const { blocks } = await source.readBlocks(request(chain.paid, chain.paid));
    expect(questionsOf(chain)).toMatchObject([{ method: 'eth_getLogs', params: [{ blockHash: blocks[0]?.hash }] }]);
    expect(JSON.stringify(questionsOf(chain))).not.toContain('fromBlock');
  });

  test.each(['ETH', 'AVAX'])('is for its receipts where the client would search an index: %s', async (symbol) => {
    const chain = chainOf(symbol);
    await (await chain.node.openProved()).readBlocks(request(chain.paid, chain.paid));
    expect(questionsOf(chain)).toMatchObject([{ method: 'eth_getBlockReceipts', params: [hex(chain.paid)] }]);
  });

  test.each(['BSC', 'ETH'])('is saved where the bloom lacks every contract of ours: %s', async (symbol) => {
    const chain = chainOf(symbol);
    await (await chain.node.openProved()).readBlocks(request(chain.from, chain.to));
    // Receipts are fetched of the block that pays tokens only, not of those with coins, lookalikes or nothing.
    expect(questionsOf(chain).length).toBeGreaterThanOrEqual(1);
    expect(questionsOf(chain).length).toBeLessThan(chain.to - chain.from);
  });

  test('is never saved where a bloom does not describe its own block: AVAX', async () => {
    const chain = chainOf('AVAX');
    await (await chain.node.openProved()).readBlocks(request(chain.from, chain.to));
    expect(questionsOf(chain)).toHaveLength(chain.to - chain.from + 1);
  });

  test.each([
    ['is empty although the block has transactions', `0x${'0'.repeat(512)}`],
    ['is missing', undefined],
    ['is malformed', '0x00'],
  ])('is asked where the bloom %s', async (_title, logsBloom) => {
    const chain = chainOf('BSC');
    const { source } = chain.node.open();
    chain.node.proxy.answer(
      changing(({ method }, result) =>
        method === 'eth_getBlockByNumber' ? { ...(result as object), logsBloom } : result,
      ),
    );
    const { transfers } = await source.readBlocks(request(chain.paid, chain.paid));
    expect(transfers.filter(({ to }) => to === STORE)).toHaveLength(3);
  });
});

describe('an answer that lacks something never looks empty', () => {
  test.each<[string, string, unknown]>([
    ['no receipts yet', 'not-yet', null],
    ['receipts of a block that has other transactions', 'inconsistent', []],
    ['no list', 'inconsistent', {}],
  ])('%s: %s', async (_title, kind, answer) => {
    const { node, paid } = chainOf('AVAX');
    const { source } = node.open();
    node.proxy.answer(changing((call, result) => (isReceipts(call) ? answer : result)));
    await expect(source.readBlocks(request(paid, paid))).rejects.toMatchObject({ kind });
  });

  type Receipt = { transactionHash: Hex; blockHash: Hex; logs: { blockHash: Hex }[] };
  const strange: Hex = `0x${'ab'.repeat(32)}`;
  test.each<[string, (receipts: Receipt[]) => unknown]>([
    ['lack one', (receipts) => receipts.slice(1)],
    ['hold one twice', (receipts) => [...receipts.slice(1), ...receipts.slice(1, 2)]],
    ['name another transaction', ([one, ...rest]) => [{ ...one, transactionHash: strange }, ...rest]],
    ['are of another block', (receipts) => receipts.map((one) => ({ ...one, blockHash: strange }))],
    [
      'hold logs of another block',
      (receipts) => receipts.map((one) => ({ ...one, logs: one.logs.map((log) => ({ ...log, blockHash: strange })) })),
    ],
    ['have no logs', (receipts) => receipts.map(({ logs: _gone, ...one }) => one)],
  ])('receipts that %s: throws', async (_title, change) => {
    const { node, paid } = chainOf('ETH');
    const { source } = node.open();
    node.proxy.answer(changing((call, result) => (isReceipts(call) ? change(result as Receipt[]) : result)));
    await expect(source.readBlocks(request(paid, paid))).rejects.toMatchObject({ kind: 'inconsistent' });
  });

  test.each<[string, string, unknown]>([
    ['a hash that a backend does not know', 'not-yet', new Refused(-32_000, 'unknown block')],
    ['null', 'not-yet', null],
    ['no list', 'inconsistent', {}],
  ])('logs by hash, %s: %s', async (_title, kind, answer) => {
    const { node, paid } = chainOf('BSC');
    const { source } = node.open();
    node.proxy.answer(
      changing(({ method }, result) => {
        if (method !== 'eth_getLogs') return result;
        if (answer instanceof Refused) throw answer;
        return answer;
      }),
    );
    await expect(source.readBlocks(request(paid, paid))).rejects.toMatchObject({ kind });
  });

  test('logs by hash of another block: throws', async () => {
    const { node, paid } = chainOf('BSC');
    const { source } = node.open();
    node.proxy.answer(
      changing(({ method }, result) =>
        method === 'eth_getLogs'
          ? (result as object[]).map((log) => Object.assign(log, { blockHash: strange }))
          : result,
      ),
    );
    await expect(source.readBlocks(request(paid, paid))).rejects.toMatchObject({ kind: 'inconsistent' });
  });

  test('a block without its transactions: throws', async () => {
    const { node, paid } = chainOf('ETH');
    const { source } = node.open();
    await source.heads('first');
    node.proxy.answer(
      changing(({ method }, result) =>
        method === 'eth_getBlockByNumber' ? { ...(result as object), transactions: undefined } : result,
      ),
    );
    for (const native of [true, false])
      await expect(source.readBlocks(request(paid, paid, { native }))).rejects.toMatchObject({ kind: 'inconsistent' });
  });
});

test('a transaction of a kind that names no receiver and no value delays nothing: it is counted', async () => {
  const { node, paid, coins } = chainOf('BSC');
  const { source } = node.open();
  const strange = { type: '0x79', hash: `0x${'cd'.repeat(32)}`, from: STORE, calls: [] };
  node.proxy.answer(
    changing(({ method, params }, result) => {
      if (method !== 'eth_getBlockByNumber' || params[1] !== true) return result;
      const block = result as { transactions: unknown[] };
      return { ...block, transactions: [...block.transactions, strange] };
    }),
  );
  for (const read of [source.read, source.readBlocks]) {
    const found = await read(request(paid, coins, { native: true }));
    expect(found.unknownShapes).toBe(coins - paid + 1);
    expect(found.transfers.filter(({ index, to }) => index === 'native' && to === STORE)).toMatchObject([
      { units: 9n },
      { units: 11n },
    ]);
  }
});

describe('the bloom of real blocks', () => {
  type Log = { address: Hex };
  type Block = { logsBloom: Hex };

  test('never lacks a contract that has a log in the block', async () => {
    const { node, to } = chainOf('BSC');
    let logged = 0;
    for (let height = 1; height <= to; height += 1) {
      const at = hex(height);
      const block = await node.anvil.rpc<Block>('eth_getBlockByNumber', [at, false]);
      const logs = await node.anvil.rpc<Log[]>('eth_getLogs', [{ fromBlock: at, toBlock: at }]);
      for (const { address } of logs) {
        logged += 1;
        expect(createBloomTest([address])(block.logsBloom)).toBe(false);
      }
    }
    expect(logged).toBeGreaterThan(10);
  });

  test('lacks nearly every address that has none', async () => {
    const { node, paid } = chainOf('BSC');
    const block = await node.anvil.rpc<Block>('eth_getBlockByNumber', [hex(paid), false]);
    const others = Array.from({ length: 1_000 }, (_unused, place) =>
      hex(place + 1)
        .slice(2)
        .padStart(40, '0'),
    );
    const absent = others.filter((digits) => createBloomTest([`0x${digits}`])(block.logsBloom));
    expect(absent.length).toBeGreaterThan(990);
  });
});
