import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RpcCall } from './json-rpc.ts';
import { callBatch } from './json-rpc.ts';

type Answer = { status?: number; body: unknown };

let answer: Answer = { body: [] };
const server = createServer((request, response) => {
  request.resume();
  const { status = 200, body } = answer;
  response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body));
});
let url = '';
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

const logs: RpcCall = { method: 'eth_getLogs', params: [] };
const block: RpcCall = { method: 'eth_getBlockByNumber', params: [] };

function ask(given: Answer, calls: RpcCall[] = [logs, block]): Promise<unknown[]> {
  answer = given;
  return callBatch(url, calls);
}

const failed = (code: number, message: string) => ({
  body: [
    { id: 0, error: { code, message } },
    { id: 1, result: {} },
  ],
});

describe('answers', () => {
  test('stand in the order of the calls, whatever order they come in', async () => {
    const body = [
      { id: 1, result: 'block' },
      { id: 0, result: [] },
    ];
    expect(await ask({ body })).toEqual([[], 'block']);
  });

  test('may be null, which is an answer', async () => {
    expect(await ask({ body: [{ id: 0, result: null }] }, [block])).toEqual([null]);
  });
});

describe('what is too much is asked for in smaller pieces', () => {
  test.each<[string, Answer, number | undefined]>([
    ['a code for it', failed(-32_005, 'no'), undefined],
    ['too many results', failed(-32_000, 'query returned more than 10000 results'), undefined],
    ['a range, with the one that is allowed', failed(-32_602, 'exceed max block range: 5000'), 5_000],
    ['a range, with its limit', failed(-32_602, 'range 20000 exceeds limit of 10000'), 10_000],
    ['a range, in a sentence', failed(-32_600, 'You can make requests with up to a 10 block range'), 10],
    ['an answer too large', failed(-32_008, 'response size exceeded'), undefined],
    ['a status for it', { status: 413, body: '' }, undefined],
  ])('%s', async (_title, given, suggestedRange) => {
    await expect(ask(given)).rejects.toMatchObject({ name: 'SourceError', kind: 'range', suggestedRange });
  });
});

describe('what is no answer is asked again later', () => {
  test.each<[string, Answer]>([
    ['an error of the node', failed(-32_603, 'internal error')],
    ['too many requests', { status: 429, body: 'Too Many Requests' }],
    ['too many requests, in words', failed(-32_005, 'daily request count exceeded, request rate limited')],
    ['too much for the plan', failed(429, 'Your app has exceeded its compute units per second capacity')],
    ['a failing gateway', { status: 502, body: '<html>' }],
    ['a page under status 200', { body: '<!doctype html>' }],
    ['JSON that is not JSON-RPC', { body: { Success: false, Error: 'The key exceeds the frequency limit.' } }],
    ['one error for the whole batch', { body: { id: null, error: { code: -32_005, message: 'limit exceeded' } } }],
    ['a limit of what has no range', { body: [{ id: 1, error: { code: -32_005, message: 'limit' } }] }],
  ])('%s', async (_title, given) => {
    await expect(ask(given)).rejects.toMatchObject({ name: 'SourceError', kind: 'unavailable' });
  });

  test('a batch without one of its answers is inconsistent', async () => {
    await expect(ask({ body: [{ id: 0, result: [] }] })).rejects.toMatchObject({ kind: 'inconsistent' });
    await expect(ask({ body: [] })).rejects.toMatchObject({ kind: 'inconsistent' });
  });

  test('a large answer that has no range is not the range’s fault', async () => {
    await expect(ask({ status: 413, body: '' }, [block])).rejects.toMatchObject({ kind: 'unavailable' });
  });
});
