import type { Address } from 'viem';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { LONGEST_PAUSE_MS, PATIENCE_MS } from '../../src/sources/json-rpc/patient-read.ts';
import { payToken } from '../../rig/chains/evm/payment.ts';
import { mine } from '../../rig/chains/evm/reorg.ts';
import type { ProxiedNode } from '../../rig/chains/evm/proxied-node.ts';
import { request, startProxiedNode } from '../../rig/chains/evm/proxied-node.ts';
import type { ProxyAnswers, ProxyCall } from '../../rig/chains/rpc-proxy.ts';
import { changing, Refused } from '../../rig/chains/rpc-proxy.ts';

/** End of a range: blocks that are not executed, and a log index that is behind the headers. */

const STORE: Address = '0x00000000000000000000000000000000000000aa';

type Log = { blockNumber: string; blockHash: string };

/** Shows headers of every block, but logs and receipts only up to some height each, as two backends would. */
function executed(upTo: { logs: number; receipts: number }): ProxyAnswers {
  return changing(({ method, params }, result) => {
    if (method === 'eth_getLogs')
      return (result as Log[]).filter(({ blockNumber }) => Number(blockNumber) <= upTo.logs);
    if (method === 'eth_getBlockReceipts') return Number(params[0]) <= upTo.receipts ? result : null;
    return result;
  });
}

const isReceipts = ({ method }: ProxyCall) => method === 'eth_getBlockReceipts';
const receiptsAsked = ({ proxy }: ProxiedNode) =>
  proxy
    .requests()
    .flat()
    .filter(isReceipts)
    .map(({ params }) => Number(params[0]));

const countPaid = (transfers: readonly { to: string }[]) => transfers.filter(({ to }) => to === STORE).length;

describe('AVAX serves headers of blocks that it has not executed', () => {
  let node: ProxiedNode;
  let paid: number;
  let head: number;
  beforeAll(async () => {
    node = await startProxiedNode('AVAX');
    await mine(node.anvil, 40, { secondsBetween: 2 });
    await payToken(node.anvil, { token: node.contract('USDT'), to: STORE, units: 5n });
    paid = (await mine(node.anvil, 1, { secondsBetween: 2 })).number;
    head = (await mine(node.anvil, 4, { secondsBetween: 2 })).number;
  });
  afterAll(() => node.stop());
  beforeEach(() => {
    node.proxy.answerTruly();
    node.proxy.forget();
  });

  test('an answer counts when the last block of the range is executed', async () => {
    const { source } = node.open();
    node.proxy.answer(executed({ logs: head - 2, receipts: head - 2 }));
    await expect(source.read(request(head - 9, head))).rejects.toMatchObject({ kind: 'not-yet' });
    const read = await source.read(request(head - 9, head - 2));
    expect(read.transfers).toMatchObject([{ to: STORE, height: paid }]);
    expect(read).not.toHaveProperty('quietTail');
  });

  test('logs of a backend that has executed less than the one that gives receipts are not believed', async () => {
    const { source } = node.open();
    node.proxy.answer(executed({ logs: paid - 1, receipts: head }));
    await expect(source.read(request(head - 9, head))).rejects.toMatchObject({
      kind: 'not-yet',
      message: /not executed all blocks/,
    });
  });

  test('also where only the ends of a long range are asked for', async () => {
    const { source } = node.open();
    const range = request(head - 39, head, { headers: 'ends' });
    const read = await source.read(range);
    expect(read.transfers).toMatchObject([{ to: STORE, height: paid }]);
    expect(read.blocks.map(({ height }) => height)).toEqual([head - 39, head]);
    node.proxy.answer(executed({ logs: paid - 1, receipts: head }));
    await expect(source.read(range)).rejects.toMatchObject({ kind: 'not-yet' });
  });

  test('thirty seconds of blocks are compared, and no more', async () => {
    await (await node.openProved()).read(request(head - 39, head));
    expect(receiptsAsked(node)).toEqual(Array.from({ length: 20 }, (_unused, place) => head - 19 + place));
  });

  test('no patience: what is not executed is never answered', async () => {
    const { source, clock } = node.open();
    node.proxy.answer(executed({ logs: head - 1, receipts: head - 1 }));
    for (let times = 0; times < 3; times += 1) {
      await expect(source.read(request(head, head))).rejects.toMatchObject({ kind: 'not-yet' });
      clock.advance(PATIENCE_MS);
    }
  });

  test('the next provider is asked', async () => {
    const { source } = node.open(node.anvil.url);
    node.proxy.answer(executed({ logs: head - 1, receipts: head - 1 }));
    const read = await source.read(request(head - 9, head));
    expect([read.by, read.transfers.length]).toEqual([new URL(node.anvil.url).host, 1]);
  });

  test('logs that no receipt shows cannot be', async () => {
    const { source } = node.open();
    node.proxy.answer(
      changing((call, result) =>
        isReceipts(call) ? (result as object[]).map((receipt) => Object.assign(receipt, { logs: [] })) : result,
      ),
    );
    await expect(source.read(request(head - 9, head))).rejects.toMatchObject({
      kind: 'inconsistent',
      message: `Logs and receipts disagree at ${paid}.`,
    });
  });
});

describe('BSC is never silent about USDT', () => {
  let node: ProxiedNode;
  /** Newest block, which has a payment; the previous one with a payment is twelve seconds earlier. */
  let head: number;
  beforeAll(async () => {
    node = await startProxiedNode('BSC');
    await mine(node.anvil, 30, { secondsBetween: 1 });
    for (let times = 0; times < 2; times += 1) {
      await payToken(node.anvil, { token: node.contract('USDT'), to: STORE, units: 5n });
      await payToken(node.anvil, { token: node.contract('USDC'), to: STORE, units: 6n });
      await mine(node.anvil, 1, { secondsBetween: 1 });
      head = (await mine(node.anvil, times === 0 ? 11 : 0, { secondsBetween: 1 })).number;
    }
  });
  afterAll(() => node.stop());
  beforeEach(() => {
    node.proxy.answerTruly();
    node.proxy.forget();
  });

  test('an end that is not silent is believed at once', async () => {
    const { source } = node.open();
    expect(countPaid((await source.read(request(head - 5, head))).transfers)).toBe(2);
    await source.read(request(head - 20, head - 3, { headers: 'ends' }));
    expect(receiptsAsked(node)).toEqual([]);
  });

  test('a silent end is believed when the last block’s receipts are silent, too', async () => {
    const { source } = node.open();
    const read = await source.read(request(head - 20, head - 1));
    expect(read).not.toHaveProperty('quietTail');
    expect(receiptsAsked(node)).toEqual([head - 1]);
  });

  test('the silence of the last ten seconds counts, by the times of the headers', async () => {
    const { source } = node.open();
    await source.read(request(head - 20, head - 3));
    expect(receiptsAsked(node)).toEqual([]);
    await source.read(request(head - 20, head - 2));
    expect(receiptsAsked(node)).toEqual([head - 2]);
  });

  test('another token’s transfer is no sign of life', async () => {
    const { source } = node.open();
    node.proxy.answer(
      changing(({ method }, result) =>
        method === 'eth_getLogs'
          ? (result as { address: string }[]).filter(({ address }) => address !== node.contract('USDT').toLowerCase())
          : result,
      ),
    );
    await expect(source.read(request(head, head))).rejects.toMatchObject({ kind: 'not-yet' });
    expect(receiptsAsked(node)).toEqual([head]);
  });

  test.each<[string, () => ProxyAnswers, number]>([
    ['shows what the logs lack', () => executed({ logs: head - 1, receipts: head }), 2],
    ['has no receipts', () => executed({ logs: head - 1, receipts: head - 1 }), 0],
    [
      'knows no receipts of blocks',
      () => async (calls, ask) => {
        const answers = (await executed({ logs: head - 1, receipts: head })(calls, ask)) as { id: number }[];
        return answers.map((answer, place) => {
          const call = calls[place];
          return call && isReceipts(call)
            ? { id: call.id, error: { code: -32_601, message: 'no such method' } }
            : answer;
        });
      },
      0,
    ],
  ])(
    'a provider that %s is asked again for a minute, and then answers, and reports it',
    async (_title, answers, found) => {
      const { source, clock } = node.open();
      node.proxy.answer(answers());
      await expect(source.read(request(head, head))).rejects.toMatchObject({ kind: 'not-yet' });
      clock.advance(PATIENCE_MS - 1);
      await expect(source.read(request(head, head))).rejects.toMatchObject({ kind: 'not-yet' });
      clock.advance(1);
      const read = await source.read(request(head, head));
      expect(read).toMatchObject({ quietTail: true, by: new URL(node.proxy.url).host });
      expect(countPaid(read.transfers)).toBe(found);
    },
  );

  test('patience begins anew when an end could be believed', async () => {
    const { source, clock } = node.open();
    node.proxy.answer(executed({ logs: head - 1, receipts: head }));
    await expect(source.read(request(head, head))).rejects.toMatchObject({ kind: 'not-yet' });
    clock.advance(PATIENCE_MS);
    node.proxy.answerTruly();
    expect(await source.read(request(head, head))).not.toHaveProperty('quietTail');
    node.proxy.answer(executed({ logs: head - 1, receipts: head }));
    await expect(source.read(request(head, head))).rejects.toMatchObject({ kind: 'not-yet' });
  });

  test('patience begins anew when nobody has asked for long', async () => {
    const { source, clock } = node.open();
    node.proxy.answer(executed({ logs: head - 1, receipts: head }));
    await expect(source.read(request(head, head))).rejects.toMatchObject({ kind: 'not-yet' });
    clock.advance(LONGEST_PAUSE_MS + 1);
    await expect(source.read(request(head, head))).rejects.toMatchObject({ kind: 'not-yet' });
    clock.advance(PATIENCE_MS);
    expect(await source.read(request(head, head))).toMatchObject({ quietTail: true });
  });

  test('the first read’s doubt is not the second’s', async () => {
    const { source, clock } = node.open();
    node.proxy.answer(executed({ logs: head - 1, receipts: head }));
    await expect(source.read(request(head, head))).rejects.toMatchObject({ kind: 'not-yet' });
    clock.advance(PATIENCE_MS);
    await expect(source.read(request(head, head, { pass: 'second' }))).rejects.toMatchObject({ kind: 'not-yet' });
  });

  test('another provider that can prove it answers, however long the first one could not', async () => {
    const { source, clock } = node.open(node.anvil.url);
    node.proxy.answer(executed({ logs: head - 1, receipts: head }));
    for (let times = 0; times < 2; times += 1) {
      const read = await source.read(request(head, head));
      expect(read.by).toBe(new URL(node.anvil.url).host);
      expect(read).not.toHaveProperty('quietTail');
      clock.advance(PATIENCE_MS);
    }
  });

  test('one that is asked too often is not taken for one without receipts', async () => {
    const { source } = node.open();
    node.proxy.answer(
      changing((call, result) => {
        if (isReceipts(call)) throw new Refused(-32_005, 'project ID request rate exceeded');
        return call.method === 'eth_getLogs' ? [] : result;
      }),
    );
    await expect(source.read(request(head, head))).rejects.toMatchObject({ kind: 'rate' });
  });
});

test('a network without busy tokens may be silent: OPTIMISM', async () => {
  const node = await startProxiedNode('OPTIMISM');
  const head = (await mine(node.anvil, 5, { secondsBetween: 2 })).number;
  await node.open().source.read(request(head - 3, head));
  expect(receiptsAsked(node)).toEqual([]);
  await node.stop();
});
