import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createManualClock } from '../../lib/clock.ts';
import { createTronEndpoint } from '../tron/tron-endpoint.ts';
import { classifyRefusal } from './classify-refusal.ts';
import { LIMIT_PAUSE_MS } from './limit-memory.ts';
import type { RpcCall } from './rpc-call.ts';
import { getBlock, getBlockReceipts } from './rpc-call.ts';
import { createRpcProvider } from './rpc-provider.ts';

/**
 * Real refusals of nodes and providers, in the form in which they come over HTTP, and how a reader understands them.
 */

type Answer = { status?: number; headers?: Record<string, string>; body: unknown };

let answers: Answer[] = [];
const server = createServer((request, response) => {
  request.resume();
  const { status = 200, headers = {}, body } = (answers.length > 1 ? answers.shift() : answers[0]) ?? { body: [] };
  response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));
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

const clock = createManualClock(0);
const hex = (height: number) => `0x${height.toString(16)}`;
const logsOf = (from: number, to: number): RpcCall => ({
  method: 'eth_getLogs',
  params: [{ fromBlock: hex(from), toBlock: hex(to), address: [], topics: [] }],
});

const MANY = 60;
/** Logs of a range and the headers of its ends, as a reader asks for them. */
const RANGE = [logsOf(1, MANY), getBlock(hex(1)), getBlock(hex(MANY))];
const ONE_BLOCK = [logsOf(7, 7), getBlock(hex(7))];
const WHOLE_BLOCKS = Array.from({ length: 20 }, (_unused, place) => getBlock(hex(1 + place), true));
const HEADS = [getBlock('latest'), getBlock('finalized'), getBlock('safe')];

const ask = (calls: readonly RpcCall[], ...given: Answer[]) => {
  answers = given;
  return createRpcProvider(url, clock).call(calls);
};

const error = (code: number, message: string) => ({ code, message });
/** Answers of a node to a batch of calls: the call at `place` is refused, all others are answered. */
const refuseOne = (place: number, code: number, message: string) => (calls: readonly RpcCall[]) => ({
  body: calls.map((_call, id) => (id === place ? { id, error: error(code, message) } : { id, result: {} })),
});
/** Answers the first call, which fills the answer, and refuses every later one. */
const refuseAfterFirst = (code: number, message: string) => (calls: readonly RpcCall[]) => ({
  body: calls.map((_call, id) => (id === 0 ? { id, result: [] } : { id, error: error(code, message) })),
});
/** Refuses the whole batch with one object that names no call. */
const refuseWhole = (code: number, message: string) => () => ({
  body: { jsonrpc: '2.0', id: null, error: error(code, message) },
});
/** Refuses a batch as geth does: a list with only the first call's id. */
const refuseFirstAlone = (code: number, message: string) => () => ({ body: [{ id: 0, error: error(code, message) }] });
const refuseByStatus =
  (status: number, body: unknown, headers = {}) =>
  (): Answer => ({ status, headers, body });
const rpcBody = (code: number, message: string) => ({ jsonrpc: '2.0', id: 0, error: error(code, message) });

const good: Make = (calls) => ({ body: calls.map((_call, id) => ({ id, result: [] })) });

type Make = (calls: readonly RpcCall[]) => Answer;
type Expected = { kind: string; suggestedRange?: number; retryAfterMs?: number };
type Row = [who: string, calls: readonly RpcCall[], make: Make, expected: Expected];

const HALF = MANY / 2;
const range = (suggestedRange = HALF): Expected => ({ kind: 'range', suggestedRange });

const UNCLEAR: Expected = { kind: 'rate', retryAfterMs: LIMIT_PAUSE_MS };

const ROWS: Row[] = [
  [
    'geth 1.17, erigon: past its head',
    RANGE,
    refuseOne(0, -32_602, 'block range extends beyond current head block'),
    { kind: 'not-yet' },
  ],
  [
    'reth: past its head',
    RANGE,
    refuseOne(0, -32_602, 'block range extends beyond current head block: requested 60, head 58'),
    { kind: 'not-yet' },
  ],
  [
    'bsc, bor, nitro, geth 1.16: past its head',
    RANGE,
    refuseOne(0, -32_000, 'invalid block range params'),
    { kind: 'not-yet' },
  ],
  [
    'erigon: not executed',
    RANGE,
    refuseOne(0, -32_000, 'requested block range [1, 60] is beyond latest executed block 58 (node is still syncing)'),
    { kind: 'not-yet' },
  ],
  ['geth, bsc: a tag', HEADS, refuseOne(1, -32_000, 'finalized header not found'), { kind: 'not-yet' }],
  ['geth, bsc: another tag', HEADS, refuseOne(2, -32_000, 'safe header not found'), { kind: 'not-yet' }],
  ['bor: a tag', HEADS, refuseOne(1, -32_000, 'finalized block not found'), { kind: 'not-yet' }],
  ['bor: another tag', HEADS, refuseOne(2, -32_000, 'safe block not found'), { kind: 'not-yet' }],
  ['reth: a tag', HEADS, refuseOne(1, -32_001, 'block not found: finalized'), { kind: 'not-yet' }],
  ['erigon: a tag', HEADS, refuseOne(1, -39_001, 'Unknown block'), { kind: 'not-yet' }],
  ['geth: a block by its hash', ONE_BLOCK, refuseOne(0, -32_000, 'unknown block'), { kind: 'not-yet' }],
  ['java-tron: a tag', HEADS, refuseOne(2, -32_602, 'invalid block number'), { kind: 'unsupported' }],
  ['java-tron: pending', HEADS, refuseOne(2, -32_602, 'TAG pending not supported'), { kind: 'unsupported' }],
  ['geth family: logs fill the answer', RANGE, refuseAfterFirst(-32_003, 'response too large'), range()],
  ['geth family: blocks fill the answer', WHOLE_BLOCKS, refuseAfterFirst(-32_003, 'response too large'), range(10)],
  ['geth family: a batch', WHOLE_BLOCKS, refuseFirstAlone(-32_600, 'batch too large'), range(10)],
  [
    'erigon: a batch',
    RANGE,
    refuseOne(0, -32_600, 'batch limit 100 exceeded (can increase by --rpc.batch.limit). Requested batch of size: 120'),
    range(),
  ],
  ['bor: a batch', RANGE, refuseWhole(-32_000, 'batch limit 100 exceeded: 120 requests given'), range()],
  ['java-tron: a batch', RANGE, refuseWhole(-32_005, 'Batch size 120 exceeds the limit of 100'), range()],
  ['java-tron: 25 MiB', RANGE, refuseWhole(-32_003, 'Response exceeds the limit'), range()],
  ['geth family: too slow', RANGE, refuseOne(0, -32_002, 'request timed out'), range()],
  ['geth family: pruned', RANGE, refuseOne(0, 4_444, 'pruned history unavailable'), { kind: 'unsupported' }],
  [
    'geth: a filter that never will do',
    RANGE,
    refuseOne(0, -32_602, 'exceed max addresses or topics per search position'),
    { kind: 'unsupported' },
  ],
  ['geth: a range', RANGE, refuseOne(0, -32_602, 'exceed maximum block range 50'), range(50)],
  ['bsc: a range', RANGE, refuseOne(0, -32_000, 'exceed maximum block range: 5000'), range(5_000)],
  ['reth: a range', RANGE, refuseOne(0, -32_602, 'query exceeds max block range 100000'), range(100_000)],
  [
    'reth: results',
    RANGE,
    refuseOne(0, -32_602, 'query exceeds max results 20000, retry with the range 100-163'),
    range(64),
  ],
  [
    'erigon: a range',
    RANGE,
    refuseOne(0, -32_602, 'query block range exceeds server limit, narrow your filter: 1000'),
    range(1_000),
  ],
  ['erigon: results', RANGE, refuseOne(0, -32_602, 'query returns too many logs, narrow your filter: 20000'), range()],
  [
    'coreth: a range',
    RANGE,
    refuseOne(0, -32_000, 'requested too many blocks from 1 to 60, maximum is set to 40'),
    range(40),
  ],
  ['java-tron: a range', RANGE, refuseOne(0, -32_602, 'exceed max block range: 5000'), range(5_000)],
  ['java-tron: results', RANGE, refuseOne(0, -32_005, 'query returned more than 10000 results'), range()],
  [
    'Alchemy: a range',
    RANGE,
    refuseOne(
      0,
      -32_600,
      'You can make eth_getLogs requests with up to a 500 block range. Based on your parameters, this block range should work: [0x1, 0x14]',
    ),
    range(20),
  ],
  [
    'Alchemy, free: a range',
    RANGE,
    refuseOne(0, -32_600, 'Under the Free tier plan, you can make eth_getLogs requests with up to a 10 block range.'),
    range(10),
  ],
  ['Alchemy: bytes', RANGE, refuseOne(0, -32_602, 'Log response size exceeded.'), range()],
  [
    'Alchemy: bytes, with a range',
    RANGE,
    refuseOne(0, -32_602, 'Log response size exceeded. You can make requests with up to a 2K block range'),
    range(2_000),
  ],
  ['Infura: a range', RANGE, refuseOne(0, -32_602, 'range 20000 exceeds limit of 10000'), range(10_000)],
  [
    'Infura: results',
    RANGE,
    refuseOne(0, -32_005, 'query returned more than 10000 results. Try with this block range [0x1, 0x1E].'),
    range(30),
  ],
  [
    'Infura: a day',
    RANGE,
    refuseOne(0, -32_005, 'daily request count exceeded, request rate limited'),
    { kind: 'rate' },
  ],
  ['Infura: a second', RANGE, refuseOne(0, -32_005, 'project ID request rate exceeded'), { kind: 'rate' }],
  [
    'QuickNode: a range',
    RANGE,
    refuseByStatus(413, rpcBody(-32_614, 'eth_getLogs is limited to a 10,000 range')),
    range(10_000),
  ],
  ['QuickNode: a second', RANGE, refuseByStatus(429, 'Too Many Requests'), { kind: 'rate' }],
  [
    'QuickNode: a second, in a batch',
    RANGE,
    refuseOne(0, -32_007, '50/second request limit reached - reduce calls per second or upgrade your account'),
    { kind: 'rate' },
  ],
  ['Ankr: a range', RANGE, refuseOne(0, -32_602, 'maximum [from, to] blocks distance: 1000'), range(1_000)],
  ['dRPC: a range', RANGE, refuseOne(0, 35, 'ranges over 10000 blocks are not supported on freetier'), range(10_000)],
  ['BlockPI: a range', RANGE, refuseOne(0, -32_602, 'eth_getLogs is limited to 1024 block range'), range(1_024)],
  ['anyone: a limit, and not of what', RANGE, refuseOne(0, -32_005, 'limit exceeded'), UNCLEAR],
  ['anyone: the same of a whole batch', RANGE, refuseWhole(-32_005, 'limit exceeded'), UNCLEAR],
  [
    'anyone: 400 with a body that names a range',
    RANGE,
    refuseByStatus(400, rpcBody(-32_602, 'exceed maximum block range 50')),
    range(50),
  ],
  [
    'anyone: 403 with a body that names a quota',
    RANGE,
    refuseByStatus(403, [rpcBody(-32_000, 'monthly quota reached')]),
    { kind: 'rate' },
  ],
  [
    'anyone: 500 with a body that names a head',
    RANGE,
    refuseByStatus(500, rpcBody(-32_000, 'header not found')),
    { kind: 'not-yet' },
  ],
  [
    'anyone: 429 with a body, and for how long',
    RANGE,
    refuseByStatus(429, rpcBody(429, 'Your app has exceeded its compute units per second capacity'), {
      'retry-after': '7',
    }),
    { kind: 'rate', retryAfterMs: 7_000 },
  ],
  [
    'anyone: 429 makes clear what is limited',
    RANGE,
    refuseByStatus(429, rpcBody(-32_005, 'limit exceeded'), { 'retry-after': '9' }),
    { kind: 'rate', retryAfterMs: 9_000 },
  ],
  ['anyone: 400 does not', RANGE, refuseByStatus(400, rpcBody(-32_005, 'limit exceeded')), UNCLEAR],
  [
    'anyone: 503, and for how long',
    RANGE,
    refuseByStatus(503, '', { 'retry-after': '3' }),
    { kind: 'rate', retryAfterMs: 3_000 },
  ],
  ['anyone: 413', RANGE, refuseByStatus(413, ''), range()],
  ['anyone: 503', RANGE, refuseByStatus(503, ''), { kind: 'unavailable' }],
  ['anyone: 403', RANGE, refuseByStatus(403, '<html>'), { kind: 'unavailable' }],
  ['a gateway: a sentence', RANGE, () => ({ body: { error: 'too many requests' } }), { kind: 'rate' }],
  ['a gateway: its own form', RANGE, () => ({ body: { message: 'API rate limit exceeded' } }), { kind: 'rate' }],
  ['TronGrid, under 200', RANGE, () => ({ body: { Error: 'lack of computing resources' } }), { kind: 'rate' }],
  [
    'TronGrid, its key',
    RANGE,
    () => ({ body: { Success: false, Error: 'The key exceeds the frequency limit.' } }),
    { kind: 'rate' },
  ],
  [
    'a method that is not there',
    [getBlockReceipts(hex(1))],
    refuseOne(0, -32_601, 'the method eth_getBlockReceipts does not exist/is not available'),
    { kind: 'unsupported' },
  ],
  ['an error of the node', RANGE, refuseOne(0, -32_603, 'internal error'), { kind: 'unavailable' }],
];

describe('a refusal', () => {
  test.each(ROWS)('a refusal is classified: %s', async (_who, calls, make, expected) => {
    const failure: unknown = await ask(calls, make(calls)).catch((cause: unknown) => cause);
    expect(failure).toMatchObject({ name: 'SourceError', suggestedRange: undefined, ...expected });
  });

  test.each([429, 403, 503])('status %i of TronGrid is a quota, in JSON-RPC and in the HTTP view', async (status) => {
    answers = [{ status, body: 'forbidden' }];
    const endpoint = createTronEndpoint(url, clock);
    await expect(endpoint.call(RANGE)).rejects.toMatchObject({ kind: 'rate' });
    await expect(endpoint.ask('getnowblock', {})).rejects.toMatchObject({ kind: 'rate' });
  });

  test('the rate limiter of a Tron node is recognised under status 200', async () => {
    answers = [{ body: { Error: 'class java.lang.IllegalAccessException : lack of computing resources' } }];
    const endpoint = createTronEndpoint(url, clock);
    await expect(endpoint.ask('getnowblock', {})).rejects.toMatchObject({ kind: 'rate' });
  });
});

describe('a refusal that speaks of a range, when one block was asked for', () => {
  test.each<[string, number, string, string]>([
    ['a range: it is not there yet', -32_602, 'the range is outside of what this node has', 'not-yet'],
    ['a largest range: it is not there yet', -32_602, 'exceed maximum block range: 5000', 'not-yet'],
    ['results: another provider may answer more', -32_005, 'query returned more than 10000 results', 'unavailable'],
    ['bytes: another provider may answer more', -32_003, 'response too large', 'unavailable'],
    ['time: another provider may be quicker', -32_002, 'request timed out', 'unavailable'],
    ['a limit, and not of what: it is asked too often', -32_005, 'limit exceeded', 'rate'],
  ])('a refusal of one block that speaks of %s', async (_title, code, message, kind) => {
    const failure = ask(ONE_BLOCK, refuseOne(0, code, message)(ONE_BLOCK));
    await expect(failure).rejects.toMatchObject({ kind, suggestedRange: undefined });
    expect(classifyRefusal({ code, message }, 0).kind).not.toBe('range');
  });

  test('an unknown refusal shrinks a range down to one block, and then the next provider is asked', () => {
    const refusal = { code: -32_000, message: 'this range is above what was indexed' };
    const sizes: number[] = [];
    for (let blocks = 50; blocks > 1; blocks = sizes.at(-1) ?? 1)
      sizes.push(classifyRefusal(refusal, blocks).suggestedRange ?? 0);
    expect(sizes).toEqual([25, 12, 6, 3, 1]);
    expect(classifyRefusal(refusal, 1)).toEqual({ kind: 'not-yet' });
  });
});

describe('a limit that does not say what it limits', () => {
  const LIMIT: Answer = { body: { id: null, error: error(-32_005, 'limit exceeded') } };
  const small = [logsOf(1, HALF), getBlock(hex(1))];

  test('an unclear limit is one of requests at first, and of the range when it repeats at the same size after a pause', async () => {
    const own = createManualClock(0);
    const provider = createRpcProvider(url, own);
    answers = [LIMIT];
    await expect(provider.call(RANGE)).rejects.toMatchObject({ kind: 'rate', retryAfterMs: LIMIT_PAUSE_MS });
    own.advance(LIMIT_PAUSE_MS - 1);
    await expect(provider.call(RANGE)).rejects.toMatchObject({ kind: 'rate' });
    own.advance(1);
    await expect(provider.call(RANGE)).rejects.toMatchObject({ kind: 'range', suggestedRange: HALF });
  });

  test('an unclear limit says nothing of a smaller range', async () => {
    const own = createManualClock(0);
    const provider = createRpcProvider(url, own);
    answers = [LIMIT];
    await expect(provider.call(RANGE)).rejects.toMatchObject({ kind: 'rate' });
    own.advance(LIMIT_PAUSE_MS);
    await expect(provider.call(small)).rejects.toMatchObject({ kind: 'rate' });
    own.advance(LIMIT_PAUSE_MS);
    await expect(provider.call(small)).rejects.toMatchObject({ kind: 'range', suggestedRange: HALF / 2 });
  });

  test('an unclear limit is forgotten when as many blocks were answered for', async () => {
    const own = createManualClock(0);
    const provider = createRpcProvider(url, own);
    answers = [LIMIT, good(RANGE), LIMIT];
    await expect(provider.call(RANGE)).rejects.toMatchObject({ kind: 'rate' });
    own.advance(LIMIT_PAUSE_MS);
    await provider.call(RANGE);
    await expect(provider.call(RANGE)).rejects.toMatchObject({ kind: 'rate' });
  });

  test('an unclear limit is remembered when fewer blocks were answered for', async () => {
    const own = createManualClock(0);
    const provider = createRpcProvider(url, own);
    answers = [LIMIT, good(small), LIMIT];
    await expect(provider.call(RANGE)).rejects.toMatchObject({ kind: 'rate' });
    own.advance(LIMIT_PAUSE_MS);
    await provider.call(small);
    await expect(provider.call(RANGE)).rejects.toMatchObject({ kind: 'range' });
  });

  test('an unclear limit in every call of a batch is counted once', async () => {
    const own = createManualClock(0);
    const provider = createRpcProvider(url, own);
    answers = [{ body: RANGE.map((_call, id) => ({ id, error: error(-32_005, 'limit exceeded') })) }];
    await expect(provider.call(RANGE)).rejects.toMatchObject({ kind: 'rate' });
    own.advance(LIMIT_PAUSE_MS);
    const each = await provider.each(RANGE);
    expect(each.map(({ error: refused }) => refused?.kind)).toEqual(['range', 'range', 'range']);
  });
});
