import type { Address, Hex } from 'viem';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ChainSource } from '../../src/sources/chain-source.ts';
import { SourceError } from '../../src/sources/chain-source.ts';
import { payNative, payToken, payTokens } from '../../rig/chains/evm/payment.ts';
import { mine, reorg } from '../../rig/chains/evm/reorg.ts';
import { FAUCET } from '../../rig/chains/evm/sender.ts';
import type { ProxiedNode } from '../../rig/chains/evm/proxied-node.ts';
import { request, startProxiedNode } from '../../rig/chains/evm/proxied-node.ts';
import type { ProxyCall } from '../../rig/chains/rpc-proxy.ts';
import { changing } from '../../rig/chains/rpc-proxy.ts';

/** A range is read in requests that nodes can answer, and all their answers together are one read. */

const STORE: Address = '0x00000000000000000000000000000000000000aa';
const BLOCKS = 130;
const MAX_CALLS = 90;
const MAX_WHOLE_BLOCKS = 20;

let node: ProxiedNode;
/** Range with a token transfer in every tenth block and a coin transfer in every seventh. */
let from: number;
let to: number;
let txIds: Hex[];
beforeAll(async () => {
  node = await startProxiedNode('BSC');
  txIds = [];
  for (let count = 0; count < BLOCKS; count += 1) {
    if (count % 10 === 0)
      txIds.push(await payToken(node.anvil, { token: node.contract('USDT'), to: STORE, units: BigInt(count + 1) }));
    if (count % 7 === 0) txIds.push(await payNative(node.anvil, { to: STORE, units: BigInt(count + 1) }));
    to = (await mine(node.anvil, 1, { secondsBetween: 1 })).number;
  }
  from = to - BLOCKS + 1;
});
afterAll(() => node.stop());
beforeEach(() => {
  node.proxy.answerTruly();
  node.proxy.forget();
});

const isWhole = ({ method, params }: ProxyCall) =>
  method === 'eth_getBlockReceipts' || (method === 'eth_getBlockByNumber' && params[1] === true);

function requireSmallRequests(): void {
  for (const calls of node.proxy.requests()) {
    expect(calls.length).toBeLessThanOrEqual(MAX_CALLS);
    expect(calls.filter(isWhole).length).toBeLessThanOrEqual(MAX_WHOLE_BLOCKS);
  }
}

describe('no request is larger than what nodes answer', () => {
  test('every header of a long range', async () => {
    const { source } = node.open();
    expect((await source.read(request(from, to))).blocks).toHaveLength(BLOCKS);
    requireSmallRequests();
  });

  test('whole blocks of a long range', async () => {
    const { source } = node.open();
    const { transfers } = await source.read(request(from, to, { native: true }));
    expect(transfers.filter(({ token }) => token === 'USDT')).toHaveLength(13);
    expect(transfers.filter(({ index }) => index === 'native')).toHaveLength(19);
    requireSmallRequests();
  });

  test('block by block, with coins', async () => {
    const { source } = node.open();
    const { transfers } = await source.readBlocks(request(from, to, { native: true }));
    expect(transfers).toHaveLength(32);
    requireSmallRequests();
  });

  test('receipts', async () => {
    const { source } = node.open();
    const many = Array.from({ length: 10 }, () => txIds).flat();
    const receipts = await source.receipts(many, 'first');
    expect(receipts.map((receipt) => receipt?.txId)).toEqual(many);
    requireSmallRequests();
  });
});

describe('a short range is one request', () => {
  test.each([
    ['logs and headers', { headers: 'all' as const }, 20],
    ['logs and ends', { headers: 'ends' as const }, 100],
    ['logs and whole blocks', { native: true }, 20],
  ])('%s', async (_title, more, blocks) => {
    const { source } = node.open();
    await source.heads('first');
    node.proxy.forget();
    await source.read(request(from, from + blocks - 1, more));
    expect(node.proxy.requests()).toHaveLength(1);
  });
});

describe('answers of several requests are one read', () => {
  test('a reorg between two of them is seen, though each of them is right', async () => {
    const own = await startProxiedNode('BSC');
    const head = await mine(own.anvil, 100, { secondsBetween: 1 });
    const range = request(head.number - 60, head.number, { native: true });
    const { source } = own.open();
    await source.heads('first');
    own.proxy.forget();
    own.proxy.answer(async (calls, ask) => {
      const answers = await ask(calls);
      if (own.proxy.requests().length === 2) await reorg(own.anvil, 3);
      return answers;
    });
    await expect(source.read(range)).rejects.toMatchObject({
      kind: 'inconsistent',
      message: `Block ${head.number} was replaced while the range was read.`,
    });
    await own.stop();
  });

  test('a header that does not follow from its neighbour in another request: throws', async () => {
    const strange = `0x${'ab'.repeat(32)}`;
    const { source } = node.open();
    node.proxy.answer(
      changing(({ params }, result) =>
        params[0] === `0x${(from + 90).toString(16)}` ? { ...(result as object), hash: strange } : result,
      ),
    );
    const failure = source.read(request(from, to));
    await expect(failure).rejects.toMatchObject({ kind: 'inconsistent', message: /does not follow/ });
  });

  test('a block of another height than the one that was asked for: throws', async () => {
    const { source } = node.open();
    await source.heads('first');
    node.proxy.answer(
      changing(({ method }, result) =>
        method === 'eth_getBlockByNumber' ? { ...(result as object), number: '0x1' } : result,
      ),
    );
    for (const read of [
      () => source.read(request(from, to)),
      () => source.readBlocks(request(from, to)),
      () => source.blockAt(from, 'first'),
    ])
      await expect(read()).rejects.toMatchObject({ kind: 'inconsistent', message: /another height/ });
  });
});

/** Limits bytes like geth and its forks: a batch is answered up to a size, and every later call is refused. */
function limitBytes(bytes: number): void {
  node.proxy.answer(async (calls, ask) => {
    let left = bytes;
    const answers = await ask(calls);
    return calls.map(({ id }) => {
      const answer = answers.find((one) => one.id === id);
      if (left <= 0) return { id, error: { code: -32_003, message: 'response too large' } };
      left -= JSON.stringify(answer).length;
      return answer;
    });
  });
}

/** Reads as a reader that makes its range smaller when refused. Answers the number of refusals. */
async function readInPieces(source: ChainSource, first: number, last: number, native: boolean): Promise<number> {
  let range = 40;
  let refusals = 0;
  for (let next = first; next <= last;) {
    try {
      await source.read(request(next, Math.min(last, next + range - 1), { native }));
      next += range;
    } catch (cause) {
      if (!(cause instanceof SourceError) || cause.kind !== 'range' || range === 1) throw cause;
      range = Math.max(1, Math.min(cause.suggestedRange ?? range, Math.floor(range / 2)));
      refusals += 1;
    }
  }
  return refusals;
}

describe('what is refused at once is answered in smaller pieces', () => {
  test('a node that answers so many bytes, with coins and without', async () => {
    await payTokens(
      node.anvil,
      Array.from({ length: 50 }, () => ({ token: node.contract('USDT'), to: STORE, units: 1n })),
    );
    for (let count = 0; count < 20; count += 1) {
      const data = `0x${'ab'.repeat(10_000)}`;
      await node.anvil.rpc('eth_sendTransaction', [{ from: FAUCET, to: FAUCET, data, gas: '0x5f5e100' }]);
      await mine(node.anvil, 1, { secondsBetween: 1 });
    }
    const { source } = node.open();
    await source.heads('first');
    limitBytes(100_000);
    for (const native of [true, false]) expect(await readInPieces(source, to + 1, to + 20, native)).toBeLessThan(6);
  });

  test('bor answers a batch of too many calls with one object and no id', async () => {
    const { source } = node.open();
    await source.heads('first');
    node.proxy.answer(async (calls, ask) =>
      calls.length > 50
        ? { id: null, error: { code: -32_000, message: `batch limit 50 exceeded: ${calls.length} requests given` } }
        : ask(calls),
    );
    await expect(source.read(request(from, to))).rejects.toMatchObject({ kind: 'range' });
    expect((await source.read(request(from, from + 40))).blocks).toHaveLength(41);
  });

  test('receipts are no range: they are asked for in halves until they are answered', async () => {
    const { source } = node.open();
    await source.heads('first');
    node.proxy.forget();
    node.proxy.answer(async (calls, ask) =>
      calls.length > 10 ? { id: null, error: { code: -32_600, message: 'batch too large' } } : ask(calls),
    );
    const receipts = await source.receipts(txIds, 'first');
    expect(receipts.map((receipt) => receipt?.txId)).toEqual(txIds);
    node.proxy.answer(async () => ({ id: null, error: { code: -32_600, message: 'batch too large' } }));
    await expect(source.receipts(txIds, 'first')).rejects.toMatchObject({ kind: 'unavailable' });
  });
});
