import { once } from 'node:events';
import type { RequestListener, Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readBody } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FetchError, fetchJson } from './fetch-json.ts';

const LIMITS = { timeoutMs: 60_000, maxBytes: 10_000 };
const SHORT_MS = 100;
const KEY = 'k3yThatNobodyMaySee';

let server: Server;
let origin: string;
let answer: RequestListener;
beforeEach(async () => {
  answer = (_request, response) => response.end('{}');
  server = createServer((request, response) => answer(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  server.close();
  server.closeAllConnections();
  if (server.listening) await once(server, 'close');
});

async function failureOf(promise: Promise<unknown>): Promise<FetchError> {
  const cause = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(cause instanceof FetchError)) throw new Error('It did not fail with a FetchError.', { cause });
  return cause;
}

function everythingOf(failure: FetchError): string {
  return JSON.stringify([failure, failure.message, failure.stack, failure.excerpt, String(failure.cause)]);
}

describe('a request', () => {
  test('a request without a body is a GET and gives the parsed answer, also when it is split inside a character', async () => {
    answer = (request, response) => {
      const bytes = Buffer.from(JSON.stringify({ method: request.method, sign: '€' }));
      const middle = bytes.indexOf('€') + 1;
      response.write(bytes.subarray(0, middle), () => response.end(bytes.subarray(middle)));
    };
    expect(await fetchJson(origin, LIMITS)).toEqual({ method: 'GET', sign: '€' });
  });

  test('a request with a body is a POST of JSON with the given headers', async () => {
    answer = (request, response) => {
      const { 'content-type': type, 'x-name': name } = request.headers;
      void readBody(request).then((body) => response.end(JSON.stringify({ method: request.method, type, name, body })));
    };
    expect(await fetchJson(origin, { ...LIMITS, body: [{ id: 1 }], headers: { 'x-name': 'given' } })).toEqual({
      method: 'POST',
      type: 'application/json',
      name: 'given',
      body: '[{"id":1}]',
    });
  });
});

describe('time', () => {
  test('a server that never answers is a timeout', async () => {
    answer = () => {};
    expect(await failureOf(fetchJson(origin, { ...LIMITS, timeoutMs: SHORT_MS }))).toMatchObject({ kind: 'timeout' });
  });

  test('a server that stops in the middle of its answer is a timeout', async () => {
    answer = (_request, response) => {
      response.write('{"half":');
    };
    expect(await failureOf(fetchJson(origin, { ...LIMITS, timeoutMs: SHORT_MS }))).toMatchObject({ kind: 'timeout' });
  });

  test("the caller's own time limit is a timeout too", async () => {
    const limit = new AbortController();
    // What AbortSignal.timeout gives as its reason.
    answer = () => limit.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
    expect(await failureOf(fetchJson(origin, { ...LIMITS, signal: limit.signal }))).toMatchObject({ kind: 'timeout' });
  });

  test('a caller who gives up gets its own reason back', async () => {
    const reason = new Error('shutting down');
    const controller = new AbortController();
    answer = () => controller.abort(reason);
    await expect(fetchJson(origin, { ...LIMITS, signal: controller.signal })).rejects.toBe(reason);
  });
});

describe('size', () => {
  test('an answer of exactly the limit passes and of one byte more is too large', async () => {
    answer = (_request, response) => response.end('"12345678"');
    expect(await fetchJson(origin, { ...LIMITS, maxBytes: 10 })).toBe('12345678');
    expect(await failureOf(fetchJson(origin, { ...LIMITS, maxBytes: 9 }))).toMatchObject({ kind: 'too-large' });
  });

  test('an endless JSON answer is cut off', async () => {
    answer = (_request, response) => {
      const more = () => {
        while (response.write('x'.repeat(1_000)));
      };
      response.on('drain', more);
      more();
    };
    expect(await failureOf(fetchJson(origin, LIMITS))).toMatchObject({ kind: 'too-large' });
  });

  test('a small answer that unpacks to a large one is too large', async () => {
    const packed = gzipSync(JSON.stringify('x'.repeat(1_000_000)));
    expect(packed.length).toBeLessThan(LIMITS.maxBytes);
    answer = (_request, response) => response.setHeader('content-encoding', 'gzip').end(packed);
    expect(await failureOf(fetchJson(origin, LIMITS))).toMatchObject({ kind: 'too-large' });
  });
});

describe('unusable answers', () => {
  test.each(['', '<html>', '{"a":', 'NaN'])('%j is not JSON', async (text) => {
    answer = (_request, response) => response.end(text);
    expect(await failureOf(fetchJson(origin, LIMITS))).toMatchObject({ kind: 'not-json', status: 200, excerpt: text });
  });

  test('a status beyond 2xx is a failure that shows the beginning of the answer', async () => {
    answer = (_request, response) => response.writeHead(503).end(`down\n\u0000${'x'.repeat(100_000)}`);
    const failure = await failureOf(fetchJson(origin, LIMITS));
    expect(failure).toMatchObject({ kind: 'status', status: 503, retryAfterSeconds: undefined });
    expect(failure.excerpt).toMatch(/^down x{195}$/);
  });

  test('the JSON of a refusal is kept whole, and is never logged', async () => {
    const body = { error: { code: -32_005, message: `limit ${'x'.repeat(5_000)}` } };
    answer = (_request, response) => response.writeHead(400).end(JSON.stringify(body));
    const failure = await failureOf(fetchJson(origin, LIMITS));
    expect(failure.answer).toEqual(body);
    expect(JSON.stringify(failure).length).toBeLessThan(500);
  });

  test.each([
    ['is none', '<html>'],
    ['is cut off', '{"error":'],
    ['is longer than we read', JSON.stringify('x'.repeat(70_000))],
  ])('the JSON of a refusal that %s is left out', async (_title, text) => {
    answer = (_request, response) => response.writeHead(502).end(text);
    expect((await failureOf(fetchJson(origin, LIMITS))).answer).toBeUndefined();
  });

  test('a refusal without an end is a refusal all the same, and is not read to the end', async () => {
    answer = (_request, response) => {
      response.writeHead(403);
      const more = () => {
        while (response.write('x'.repeat(1_000)));
      };
      response.on('drain', more);
      more();
    };
    const failure = await failureOf(fetchJson(origin, LIMITS));
    expect(failure).toMatchObject({ kind: 'status', status: 403, answer: undefined });
  });

  test.each([
    ['7', 7],
    ['0', 0],
    ['999999999', 86_400],
    ['Thu, 01 Jan 2026 00:00:30 GMT', 30],
    ['Wed, 31 Dec 2025 00:00:00 GMT', 0],
    ['soon', undefined],
    ['-1', undefined],
    ['never GMT', undefined],
  ])('retry-after "%s" is %s seconds', async (text, seconds) => {
    answer = (_request, response) =>
      response.writeHead(429, { 'retry-after': text, date: 'Thu, 01 Jan 2026 00:00:00 GMT' }).end();
    expect((await failureOf(fetchJson(origin, LIMITS))).retryAfterSeconds).toBe(seconds);
  });

  test('a redirect is not followed', async () => {
    const asked: string[] = [];
    answer = (request, response) => {
      asked.push(request.url ?? '');
      response.writeHead(302, { location: '/elsewhere' }).end();
    };
    expect(await failureOf(fetchJson(`${origin}/here`, LIMITS))).toMatchObject({ kind: 'network' });
    expect(asked).toEqual(['/here']);
  });

  test('a connection that is reset or refused is a failure of the network', async () => {
    answer = (request) => request.socket.resetAndDestroy();
    expect(await failureOf(fetchJson(origin, LIMITS))).toMatchObject({ kind: 'network' });
    server.close();
    server.closeAllConnections();
    const refused = await failureOf(fetchJson(origin, LIMITS));
    expect(refused).toMatchObject({ kind: 'network', message: `${origin} cannot be reached (ECONNREFUSED).` });
  });
});

describe('secrets in an address stay hidden', () => {
  test.each([
    ['in the path', () => `${origin}/v2/${KEY}`],
    ['in the query', () => `${origin}/?key=${KEY}`],
    ['as a password, which fetch refuses', () => origin.replace('http://', `http://user:${KEY}@`)],
    ['of an address that cannot be read', () => `http://[${KEY}`],
  ])('a key %s is in no part of an error, also when the server repeats it', async (_place, address) => {
    for (const status of [200, 401]) {
      answer = (request, response) => response.writeHead(status).end(`No such thing: ${request.url}`);
      expect(everythingOf(await failureOf(fetchJson(address(), LIMITS)))).not.toContain(KEY);
    }
    answer = (request) => request.socket.resetAndDestroy();
    expect(everythingOf(await failureOf(fetchJson(address(), LIMITS)))).not.toContain(KEY);
  });

  test('a key in a header is masked where the server repeats it', async () => {
    answer = (request, response) => response.writeHead(403).end(`Bad key ${String(request.headers['x-api-key'])}!`);
    const failure = await failureOf(fetchJson(origin, { ...LIMITS, headers: { 'x-api-key': KEY } }));
    expect(failure.excerpt).toBe('Bad key ***!');
  });

  test('a key is masked in the JSON of a refusal, too', async () => {
    answer = (request, response) => response.writeHead(401).end(JSON.stringify({ error: `No ${request.url}` }));
    const failure = await failureOf(fetchJson(`${origin}/v2/${KEY}`, LIMITS));
    expect(failure.answer).toEqual({ error: 'No /v2/***' });
  });

  test('a failure names its origin', async () => {
    answer = (_request, response) => response.writeHead(500).end();
    expect((await failureOf(fetchJson(`${origin}/v2/${KEY}`, LIMITS))).message).toBe(`${origin} answered 500.`);
  });
});
