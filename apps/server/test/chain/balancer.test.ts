import type { Address, Hex } from 'viem';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Anvil } from '../../rig/chains/evm/anvil.ts';
import { startAnvil } from '../../rig/chains/evm/anvil.ts';
import type { Backend } from '../../rig/chains/evm/backend.ts';
import type { Balancer } from '../../rig/chains/evm/balancer.ts';
import { RETRY_AFTER_SECONDS } from '../../rig/chains/provider-faults.ts';
import { startBalancer } from '../../rig/chains/evm/balancer.ts';
import { callRpc, callRpcBatch } from '../../rig/chains/json-rpc.ts';
import { payToken } from '../../rig/chains/evm/payment.ts';
import { headerAt, mine } from '../../rig/chains/evm/reorg.ts';
import { canonicalToken, installCanonicalTokens } from '../../rig/chains/evm/token.ts';

const RECEIVER: Address = '0x00000000000000000000000000000000000feed1';
const LAG = 3;
const UNANSWERED_MS = 200;

type Log = { blockNumber: Hex };

let chain: Anvil;
let token: Address;
let head: number;
let lastPayment: { hash: Hex; blockHash: Hex };
let fresh: Backend;
let behind: Backend;
let balancer: Balancer;

const hex = (value: number) => `0x${value.toString(16)}`;
const ask = <Result>(method: string, params: unknown[] = []) => callRpc<Result>(balancer.url, { method, params });
const logsBetween = (from: number, to: number) => ({
  method: 'eth_getLogs',
  params: [{ address: token, fromBlock: hex(from), toBlock: hex(to) }],
});
const post = (body: unknown) => fetch(balancer.url, { method: 'POST', body: JSON.stringify(body) });
const CHAIN_ID = { jsonrpc: '2.0', id: 9, method: 'eth_chainId', params: [] };

/** Mines a payment in each of the newest ten blocks. */
beforeAll(async () => {
  chain = await startAnvil({ chainId: 56, slotsInAnEpoch: 2 });
  await installCanonicalTokens(chain);
  token = canonicalToken(56, 'USDT').address;
  for (let block = 0; block < 10; block += 1) {
    const hash = await payToken(chain, { token, to: RECEIVER, units: BigInt(block + 1) });
    const mined = await mine(chain);
    head = mined.number;
    lastPayment = { hash, blockHash: mined.hash };
  }
  fresh = { url: chain.url };
  behind = { url: chain.url, lagBlocks: LAG };
});

afterAll(() => chain.stop());

beforeEach(async () => {
  balancer = await startBalancer({ seed: 1, backends: [fresh] });
});

afterEach(() => balancer.stop());

describe('a backend that is up to date', () => {
  test('answers as the node does, batches in order', async () => {
    expect(await ask('eth_blockNumber')).toBe(hex(head));
    const calls = [logsBetween(head - 1, head), { method: 'eth_getBlockByNumber', params: [hex(head), false] }];
    expect(await callRpcBatch(balancer.url, calls)).toEqual(await chain.batch(calls));
  });

  test('returns less without an error when it is asked past its head, unlike the node', async () => {
    const ahead = logsBetween(head + 1, head + 2);
    await expect(chain.batch([ahead])).rejects.toThrow('BlockOutOfRange');
    expect(await callRpc<Log[]>(balancer.url, ahead)).toEqual([]);
    expect(await callRpc<Log[]>(balancer.url, logsBetween(head - 1, head + 50))).toHaveLength(2);
    expect(await ask('eth_getBlockByNumber', [hex(head + 1), false])).toBeNull();
  });

  test('counts requests, and calls by method', async () => {
    await ask('eth_chainId');
    await callRpcBatch(balancer.url, [{ method: 'eth_chainId' }, { method: 'eth_blockNumber' }]);
    expect(balancer.counts()).toEqual({ requests: 2, calls: { eth_chainId: 2, eth_blockNumber: 1 } });
  });
});

describe('a backend that is behind', () => {
  beforeEach(() => balancer.behave({ backends: [behind] }));

  test.each(['latest', 'safe', 'finalized'] as const)('%s is as far behind as its head', async (tag) => {
    const real = await headerAt(chain, tag);
    const block = await ask<{ number: Hex }>('eth_getBlockByNumber', [tag, false]);
    expect(Number(block.number)).toBe(real.number - LAG);
  });

  test('leaves out the newest logs and says nothing', async () => {
    const logs = await callRpc<Log[]>(balancer.url, logsBetween(head - 9, head));
    expect(logs).toHaveLength(10 - LAG);
    expect(Math.max(...logs.map((log) => Number(log.blockNumber)))).toBe(head - LAG);
  });

  test('knows the newest blocks and transactions by no name', async () => {
    const { hash, blockHash } = lastPayment;
    expect(await ask('eth_getBlockByNumber', [hex(head), false])).toBeNull();
    expect(await ask('eth_getBlockByHash', [blockHash, false])).toBeNull();
    expect(await ask('eth_getBlockReceipts', [hex(head)])).toBeNull();
    expect(await ask('eth_getBlockReceipts', [blockHash])).toBeNull();
    expect(await ask('eth_getTransactionReceipt', [hash])).toBeNull();
    await expect(ask('eth_getLogs', [{ blockHash }])).rejects.toMatchObject({ code: -32_000 });
    await expect(ask('eth_getBalance', [RECEIVER, hex(head)])).rejects.toThrow('header not found');
    expect(await ask('eth_getBalance', [RECEIVER])).toBe('0x0');
  });
});

async function headsSeen(seed: number, requests: number): Promise<number[]> {
  const other = await startBalancer({ seed, backends: [{ ...fresh, share: 3 }, behind] });
  try {
    const seen: number[] = [];
    for (let request = 0; request < requests; request += 1) {
      seen.push(Number(await callRpc<Hex>(other.url, { method: 'eth_blockNumber' })));
    }
    return seen;
  } finally {
    await other.stop();
  }
}

describe('backends that disagree', () => {
  test('share the requests by weight, and a seed fixes who answers which', async () => {
    const seen = await headsSeen(7, 60);
    const stale = seen.filter((number) => number === head - LAG).length;
    expect(stale).toBeGreaterThan(5);
    expect(stale).toBeLessThan(25);
    expect(await headsSeen(7, 60)).toEqual(seen);
    expect(await headsSeen(8, 60)).not.toEqual(seen);
  });

  test('a batch goes to one of them, unless batches are split', async () => {
    balancer.behave({ backends: [fresh, behind] });
    const calls = Array.from({ length: 20 }, () => ({ method: 'eth_blockNumber' }));
    expect(new Set(await callRpcBatch(balancer.url, calls)).size).toBe(1);
    balancer.behave({ splitBatches: true });
    expect(new Set(await callRpcBatch(balancer.url, calls)).size).toBe(2);
  });
});

describe('answers that mislead', () => {
  test('a lie drops one log, as often as asked for and only where there are logs', async () => {
    balancer.behave({ lyingAnswers: 1 });
    expect(await callRpc<Log[]>(balancer.url, logsBetween(head + 1, head + 1))).toEqual([]);
    expect(await callRpc<Log[]>(balancer.url, logsBetween(head - 9, head))).toHaveLength(9);
    expect(await callRpc<Log[]>(balancer.url, logsBetween(head - 9, head))).toHaveLength(10);
  });

  test('a batch in the opposite order still carries its ids', async () => {
    balancer.behave({ reverseBatches: true });
    const body = await (await post([CHAIN_ID, { ...CHAIN_ID, id: 10 }])).json();
    expect(body).toMatchObject([{ id: 10 }, { id: 9 }]);
  });

  test('a range above the limit is refused with the code of the provider, one within it is not', async () => {
    balancer.behave({ logLimits: { blocks: 5, code: -32_005 } });
    const refusal = { code: -32_005, message: 'exceed max block range: 5' };
    await expect(callRpc(balancer.url, logsBetween(head - 5, head))).rejects.toMatchObject(refusal);
    expect(await callRpc<Log[]>(balancer.url, logsBetween(head - 4, head))).toHaveLength(5);
  });

  test('more logs than the limit are refused', async () => {
    balancer.behave({ logLimits: { logs: 4, code: -32_602 } });
    await expect(callRpc(balancer.url, logsBetween(head - 4, head))).rejects.toMatchObject({ code: -32_602 });
    expect(await callRpc<Log[]>(balancer.url, logsBetween(head - 3, head))).toHaveLength(4);
  });
});

describe('no answer', () => {
  test('down refuses connections, and up takes them again at the same address', async () => {
    await ask('eth_chainId');
    await balancer.down();
    await expect(ask('eth_chainId')).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } });
    await balancer.up();
    expect(await ask('eth_chainId')).toBe('0x38');
  });

  test('reset cuts the connection', async () => {
    balancer.behave({ fault: 'reset' });
    await expect(ask('eth_chainId')).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } });
  });

  test('hang leaves the request open', async () => {
    balancer.behave({ fault: 'hang' });
    await expect(callRpc(balancer.url, CHAIN_ID, UNANSWERED_MS)).rejects.toThrow('timeout');
    expect(balancer.counts().requests).toBe(1);
  });

  test('busy is 429 with the seconds to wait', async () => {
    balancer.behave({ fault: 'busy' });
    const response = await post(CHAIN_ID);
    expect(response.status).toBe(429);
    expect(response.headers.get('retry-after')).toBe(String(RETRY_AFTER_SECONDS));
  });

  test('html and foreign JSON come with status 200', async () => {
    balancer.behave({ fault: 'html' });
    const page = await post(CHAIN_ID);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html']);
    balancer.behave({ fault: 'foreign-json' });
    const foreign = await post(CHAIN_ID);
    expect([foreign.status, Object.keys((await foreign.json()) as object)]).toEqual([200, ['Success', 'Error']]);
  });

  test('errors come with status 200, for each call or for the whole batch', async () => {
    balancer.behave({ fault: 'error-each' });
    expect(await (await post(CHAIN_ID)).json()).toMatchObject({ id: 9, error: { code: -32_603 } });
    expect(await (await post([CHAIN_ID, CHAIN_ID])).json()).toHaveLength(2);
    balancer.behave({ fault: 'error-whole' });
    expect(await (await post([CHAIN_ID, CHAIN_ID])).json()).toMatchObject({ id: null, error: { code: -32_005 } });
  });

  test('a fault befalls its share of the requests', async () => {
    balancer.behave({ fault: 'busy', faultShare: 0.5 });
    const statuses: number[] = [];
    for (let request = 0; request < 40; request += 1) {
      const response = await post(CHAIN_ID);
      await response.text();
      statuses.push(response.status);
    }
    const busy = statuses.filter((status) => status === 429).length;
    expect(busy).toBeGreaterThan(10);
    expect(busy).toBeLessThan(30);
  });

  test('a paused node behind it hangs too', async () => {
    chain.pause();
    try {
      await expect(callRpc(balancer.url, CHAIN_ID, UNANSWERED_MS)).rejects.toThrow('timeout');
    } finally {
      chain.resume();
    }
  });
});
