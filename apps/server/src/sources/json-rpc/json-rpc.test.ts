import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callBatch } from './json-rpc.ts';
import type { RpcCall } from './rpc-call.ts';
import { countBlocks, getBlock } from './rpc-call.ts';

let answer: unknown = [];
const server = createServer((request, response) => {
  request.resume();
  response.end(typeof answer === 'string' ? answer : JSON.stringify(answer));
});
let url = '';
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

const logs: RpcCall = { method: 'eth_getLogs', params: [{ fromBlock: '0x1', toBlock: '0xa' }] };
const block = getBlock('0xa');

function ask(given: unknown, calls: RpcCall[] = [logs, block]): Promise<unknown[]> {
  answer = given;
  return callBatch(url, calls);
}

describe('answers', () => {
  test('answers stand in the order of the calls, whatever order they come in', async () => {
    const given = [
      { id: 1, result: 'block' },
      { id: 0, result: [] },
    ];
    expect(await ask(given)).toEqual([[], 'block']);
  });

  test('a null result is an answer, also beside a null error', async () => {
    expect(await ask([{ id: 0, result: null, error: null }], [block])).toEqual([null]);
  });
});

describe('unusable answers', () => {
  test.each<[string, unknown]>([
    ['a page', '<!doctype html>'],
    ['JSON of another kind', { status: 'ok' }],
    ['a number', 7],
    ['a list of other things', [{ name: 'block' }]],
  ])('%s is not JSON-RPC: the provider is unavailable', async (_title, given) => {
    await expect(ask(given)).rejects.toMatchObject({ name: 'SourceError', kind: 'unavailable' });
  });

  test.each<[string, unknown]>([
    ['one answer for two calls', [{ id: 0, result: [] }]],
    ['no answer', []],
    ['an answer with neither result nor error', [{ id: 0, result: [] }, { id: 1 }]],
    [
      'an answer of another number',
      [
        { id: 0, result: [] },
        { id: 5, result: {} },
      ],
    ],
  ])('%s: a batch without one of its answers is inconsistent', async (_title, given) => {
    await expect(ask(given)).rejects.toMatchObject({ kind: 'inconsistent' });
  });

  test('a refused call is reported, and not those that were left out because of it', async () => {
    const given = [{ id: 1, error: { code: -32_600, message: 'batch too large' } }];
    await expect(ask(given)).rejects.toMatchObject({ kind: 'range' });
  });

  test('a long refusal is cut', async () => {
    const given = [{ id: 0, error: { code: -32_603, message: 'x'.repeat(10_000) } }];
    const failure = await ask(given).catch((cause: unknown) => cause as Error);
    expect((failure as Error).message.length).toBeLessThanOrEqual(300);
  });
});

describe('how many blocks a request speaks of', () => {
  test.each<[string, RpcCall[], number]>([
    ['a range of logs', [logs, getBlock('0x1'), getBlock('0xa')], 10],
    ['one block', [{ method: 'eth_getLogs', params: [{ fromBlock: '0xa', toBlock: '0xa' }] }, block], 1],
    ['blocks one by one, each once', [getBlock('0x1'), getBlock('0x2', true), getBlock('0x2')], 2],
    ['logs by hash', ['0x1', '0x2', '0x3'].map((blockHash) => ({ method: 'eth_getLogs', params: [{ blockHash }] })), 3],
    ['receipts', ['0xa1', '0xa2'].map((id) => ({ method: 'eth_getTransactionReceipt', params: [id] })), 2],
    ['tags', [getBlock('latest'), getBlock('finalized')], 0],
    ['something else', [{ method: 'eth_chainId', params: [] }], 0],
  ])('blocks that a request concerns: %s', (_title, calls, blocks) => {
    expect(countBlocks(calls)).toBe(blocks);
  });
});
