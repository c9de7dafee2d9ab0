import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { headerAt, mine } from '../../rig/chains/evm/reorg.ts';
import type { ProxiedNode } from '../../rig/chains/evm/proxied-node.ts';
import { startProxiedNode } from '../../rig/chains/evm/proxied-node.ts';
import type { ProxyCall } from '../../rig/chains/rpc-proxy.ts';
import { changing, Refused } from '../../rig/chains/rpc-proxy.ts';

/** Block tags: which of them are asked for, and how a tag is handled that a node does not know. */

let node: ProxiedNode;
let head: number;
beforeAll(async () => {
  node = await startProxiedNode('POLYGON');
  head = (await mine(node.anvil, 10, { secondsBetween: 1 })).number;
});
afterAll(() => node.stop());
beforeEach(() => {
  node.proxy.answerTruly();
  node.proxy.forget();
});

const isTag = ({ method, params }: ProxyCall, tag: string) => method === 'eth_getBlockByNumber' && params[0] === tag;
const tagsAsked = () =>
  node.proxy
    .requests()
    .flat()
    .flatMap(({ method, params: [at] }) => (method === 'eth_getBlockByNumber' ? [String(at)] : []))
    .filter((at) => !at.startsWith('0x'));

/** Changes the answer for one tag; an Error becomes a refusal. */
function answerTag(tag: string, answer: unknown): void {
  node.proxy.answer(
    changing((call, result) => {
      if (!isTag(call, tag)) return result;
      if (answer instanceof Error) throw answer;
      return answer;
    }),
  );
}

async function rawBlock(height: number): Promise<unknown> {
  return node.anvil.rpc('eth_getBlockByNumber', [`0x${height.toString(16)}`, false]);
}

/** Refusals of clients that do not know a tag. */
const UNKNOWN: [string, Refused][] = [
  ['bor', new Refused(-32_000, 'safe block not found')],
  ['geth', new Refused(-32_000, 'safe header not found')],
  ['reth after a restart', new Refused(-32_001, 'block not found: safe')],
  ['erigon', new Refused(-39_001, 'Unknown block')],
  ['java-tron', new Refused(-32_602, 'invalid block number')],
  ['a node that knows no such tag', new Refused(-32_602, 'invalid argument 0: hex string without 0x prefix')],
  ['a gateway', new Refused(-32_601, 'the method is not available')],
];

describe('safe', () => {
  test('is asked for only where a tier needs it', async () => {
    const source = await node.openProved();
    expect(await source.heads('first')).toMatchObject({ safe: null, latest: { height: head } });
    expect(tagsAsked()).toEqual(['latest', 'finalized']);
    node.proxy.forget();
    const { number } = await headerAt(node.anvil, 'safe');
    expect((await source.heads('first', { safe: true })).safe?.height).toBe(number);
    expect(tagsAsked()).toEqual(['latest', 'finalized', 'safe']);
  });

  test.each(UNKNOWN)('is nothing where %s refuses it, and the rest is answered', async (_who, refusal) => {
    answerTag('safe', refusal);
    const { source } = node.open();
    const heads = await source.heads('first', { safe: true });
    expect([heads.latest.height, heads.safe, heads.finalized.height]).toEqual([head, null, head - 2]);
  });

  test.each([
    ['null', () => null],
    ['the first block', () => rawBlock(0)],
  ])('is nothing where it is %s', async (_title, answer) => {
    answerTag('safe', await answer());
    expect((await node.open().source.heads('first', { safe: true })).safe).toBeNull();
  });
});

describe('finalized', () => {
  test.each(UNKNOWN.slice(0, 4))('is not there yet where %s refuses it', async (_who, { code, message }) => {
    answerTag('finalized', new Refused(code, message.replace('safe', 'finalized')));
    await expect(node.open().source.heads('first')).rejects.toMatchObject({ kind: 'not-yet' });
  });

  test('is not there yet where it is null', async () => {
    answerTag('finalized', null);
    await expect(node.open().source.heads('first')).rejects.toMatchObject({ kind: 'not-yet' });
  });

  test('is never block 0, which a node without a final block answers', async () => {
    answerTag('finalized', await rawBlock(0));
    await expect(node.open().source.heads('first')).rejects.toMatchObject({
      kind: 'not-yet',
      message: /knows no final block/,
    });
  });

  test('is asked of the next provider where one does not have it', async () => {
    answerTag('finalized', null);
    const heads = await node.open(node.anvil.url).source.heads('first');
    expect([heads.by, heads.finalized.height]).toEqual([new URL(node.anvil.url).host, head - 2]);
  });

  test('above the newest block of another backend is itself the newest that we know of', async () => {
    answerTag('latest', await rawBlock(head - 5));
    const { latest, finalized } = await node.open().source.heads('first');
    expect(finalized.height).toBe(head - 2);
    expect(latest).toEqual(finalized);
  });
});

test('without the newest block there is no answer', async () => {
  answerTag('latest', null);
  await expect(node.open().source.heads('first')).rejects.toMatchObject({ kind: 'not-yet' });
});
