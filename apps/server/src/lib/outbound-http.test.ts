import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { fc } from '../../rig/fakes/seeded-properties.ts';
import type { HttpReceiver, HttpReceiverOptions } from '../../rig/fakes/http-receiver.ts';
import { startHttpReceiver } from '../../rig/fakes/http-receiver.ts';
import { createManualClock } from './clock.ts';
import type { Outbound, OutboundOptions, OutboundResult } from './outbound-http.ts';
import { createOutbound } from './outbound-http.ts';

const REQUEST = {
  headers: { 'webhook-id': 'evt_1' },
  body: '{"paid":true}',
  timeoutMs: 60_000,
  maxResponseBytes: 10_000,
};
const SHORT_MS = 150;
const LOOPBACK = '127.0.0.1';

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const resolver = () => Promise.resolve([LOOPBACK]);

function open(options: OutboundOptions = {}): Outbound {
  const outbound = createOutbound({ allowPrivate: true, connectTimeoutMs: 60_000, resolver, ...options });
  cleanups.push(() => outbound.close());
  return outbound;
}

async function receive(options: HttpReceiverOptions = {}): Promise<HttpReceiver> {
  const receiver = await startHttpReceiver(options);
  cleanups.push(() => receiver.close());
  return receiver;
}

/** A TCP server without HTTP. */
async function listen(onConnection: (socket: Socket) => void): Promise<number> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
    onConnection(socket);
  }).listen(0, LOOPBACK);
  await once(server, 'listening');
  cleanups.push(async () => {
    const end = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    await end;
  });
  return (server.address() as AddressInfo).port;
}

/** Resolves when the socket is closed, by an end or by a reset. */
async function closed(socket: Socket | undefined): Promise<void> {
  if (socket?.destroyed === false) await new Promise((resolve) => socket.once('close', resolve));
}

const errorOf = (result: OutboundResult) => ('error' in result ? result.error : `status ${result.status}`);

describe('a post', () => {
  let receiver: HttpReceiver;
  let url: string;
  beforeEach(async () => {
    receiver = await receive();
    url = `http://shop.example:${receiver.port}/hook?a=1`;
  });

  test('a post carries the body, the headers and the host of the URL, and nothing of its credentials', async () => {
    receiver.answer = (request, response) => response.end(JSON.stringify(request.headers));
    const result = await open().post(url.replace('//', '//user:secret@'), REQUEST);
    const host = `shop.example:${receiver.port}`;
    expect(receiver.requests).toEqual([{ host, url: '/hook?a=1', body: REQUEST.body }]);
    const headers = 'excerpt' in result ? (JSON.parse(result.excerpt) as unknown) : undefined;
    expect(headers).toMatchObject({ 'webhook-id': 'evt_1', 'content-length': String(REQUEST.body.length) });
    expect(headers).not.toHaveProperty('authorization');
  });

  test.each([200, 204, 400, 410, 429, 500, 503])('a post answered with %i has that status', async (status) => {
    receiver.answer = (_request, response) => response.writeHead(status).end();
    expect(await open().post(url, REQUEST)).toMatchObject({ status, retryAfter: undefined, excerpt: '' });
  });

  test('a post gives retry-after as it came, unless it is absurd', async () => {
    const outbound = open();
    receiver.answer = (_request, response) => response.writeHead(429, { 'retry-after': '120' }).end();
    expect(await outbound.post(url, REQUEST)).toMatchObject({ status: 429, retryAfter: '120' });
    receiver.answer = (_request, response) => response.writeHead(429, { 'retry-after': '1'.repeat(65) }).end();
    expect(await outbound.post(url, REQUEST)).toMatchObject({ status: 429, retryAfter: undefined });
  });

  test('an early hint is not the answer', async () => {
    receiver.answer = (_request, response) => {
      response.writeEarlyHints({ link: '</style.css>; rel=preload' });
      response.writeHead(202).end();
    };
    expect(await open().post(url, REQUEST)).toMatchObject({ status: 202 });
  });

  test('the duration of a post is measured by the clock, and is never negative', async () => {
    const clock = createManualClock(1_000);
    const outbound = open({ clock });
    receiver.answer = (_request, response) => {
      clock.advance(250);
      response.end();
    };
    expect(await outbound.post(url, REQUEST)).toMatchObject({ durationMs: 250 });
    receiver.answer = (_request, response) => {
      clock.advance(-250);
      response.end();
    };
    expect(await outbound.post(url, REQUEST)).toMatchObject({ durationMs: 0 });
  });

  test('a post with a header that breaks the line is a fault of the caller', async () => {
    const request = { ...REQUEST, headers: { name: 'a\r\nb: c' } };
    await expect(open().post(url, request)).rejects.toThrow('invalid name header');
    expect(receiver.requests).toHaveLength(0);
  });

  test('a post goes to any path that the URL parser takes', async () => {
    const outbound = open();
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), async (path) => {
        const result = await outbound.post(`http://shop.example:${receiver.port}/${path}`, REQUEST);
        expect(errorOf(result)).toMatch(/^(status 200|invalid-url)$/);
      }),
    );
  });

  test('a post after closing is refused, and closing waits for posts in flight', async () => {
    const outbound = open();
    const reached = new Promise<ServerResponse>((resolve) => {
      receiver.answer = (_request, response) => resolve(response);
    });
    const running = outbound.post(url, REQUEST);
    const response = await reached;
    const end = outbound.close();
    await expect(outbound.post(url, REQUEST)).rejects.toThrow('closed');
    response.end();
    expect(await running).toMatchObject({ status: 200 });
    await end;
  });
});

async function excerptOf(body: Buffer | string, maxResponseBytes = 10_000): Promise<string> {
  const receiver = await receive();
  receiver.answer = (_request, response) => response.end(body);
  const result = await open().post(`http://shop.example:${receiver.port}/`, { ...REQUEST, maxResponseBytes });
  if ('error' in result) throw new Error(result.message);
  return result.excerpt;
}

describe('the excerpt', () => {
  test('the excerpt is the text of a short answer', async () => {
    expect(await excerptOf('Merci, 5 € 👍')).toBe('Merci, 5 € 👍');
  });

  test('the excerpt has spaces in place of what cannot be shown or stored', async () => {
    expect(await excerptOf('a\u0000b\r\n\u001b[31mc\u202ed\u0007')).toBe('a b [31mc d');
  });

  test('the excerpt of bytes that are no text is storable', async () => {
    const excerpt = await excerptOf(Buffer.from([0xff, 0xfe, 0x00, 0xed, 0xa0, 0x80, 0x41]));
    expect([excerpt.isWellFormed(), excerpt.includes('\u0000'), excerpt.endsWith('A')]).toEqual([true, false, true]);
  });

  test('the excerpt ends before a character that the limit cuts', async () => {
    expect(await excerptOf(`${'x'.repeat(1_023)}€`)).toBe('x'.repeat(1_023));
    expect(await excerptOf('abc€', 5)).toBe('abc');
  });
});

describe('an answer that does not end', () => {
  test('an answer that does not end is read to the limit; its status counts and its connection is given up', async () => {
    const receiver = await receive();
    receiver.answer = (_request, response) => {
      const more = () => {
        while (response.write('x'.repeat(1_000)));
      };
      response.on('drain', more);
      more();
    };
    const result = await open().post(`http://shop.example:${receiver.port}/`, REQUEST);
    expect(result).toMatchObject({ status: 200, excerpt: 'x'.repeat(1_024) });
    const [socket] = receiver.sockets;
    await closed(socket);
  });

  test('an answer of exactly the limit keeps its connection', async () => {
    const receiver = await receive();
    receiver.answer = (_request, response) => response.end('x'.repeat(REQUEST.maxResponseBytes));
    const outbound = open({ maxConnectionsPerOrigin: 1 });
    for (let time = 0; time < 2; time += 1) {
      expect(await outbound.post(`http://shop.example:${receiver.port}/`, REQUEST)).toMatchObject({ status: 200 });
    }
    expect(receiver.sockets).toHaveLength(1);
  });
});

function drip(write: () => unknown, stream: ServerResponse | Socket): void {
  const timer = setInterval(write, 10);
  stream.on('close', () => clearInterval(timer));
}

describe('the time of an attempt ends it', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
  afterEach(() => void vi.useRealTimers());

  const SHORT = { ...REQUEST, timeoutMs: SHORT_MS };

  /** Lets the time of a post end when the receiver has been reached. */
  async function expire(post: Promise<OutboundResult>, reached: Promise<unknown>): Promise<string> {
    await reached;
    vi.advanceTimersByTime(SHORT_MS);
    return errorOf(await post);
  }

  test.each<[string, HttpReceiver['answer']]>([
    ['before the headers', () => {}],
    ['between the headers and the body', (_request, response) => response.flushHeaders()],
    ['in a body that comes byte by byte', (_request, response) => drip(() => response.write('.'), response)],
    [
      'in early hints without end',
      (_request, response) => drip(() => response.writeEarlyHints({ link: '</a>; rel=preload' }), response),
    ],
  ])('%s', async (_where, answer) => {
    const receiver = await receive();
    const reached = Promise.withResolvers<void>();
    receiver.answer = (request, response) => {
      answer(request, response);
      reached.resolve();
    };
    const post = open().post(`http://shop.example:${receiver.port}/`, SHORT);
    expect(await expire(post, reached.promise)).toBe('timeout');
    const [socket] = receiver.sockets;
    await closed(socket);
  });

  test('the time limit ends an attempt in headers that come byte by byte', async () => {
    const reached = Promise.withResolvers<void>();
    const port = await listen((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nx: ');
      drip(() => socket.write('.'), socket);
      socket.once('data', () => reached.resolve());
    });
    expect(await expire(open().post(`http://shop.example:${port}/`, SHORT), reached.promise)).toBe('timeout');
  });

  test('the time limit ends an attempt in a handshake that nobody answers', async () => {
    const reached = Promise.withResolvers<void>();
    const port = await listen((socket) => void socket.once('data', () => reached.resolve()));
    const outbound = open({ connectTimeoutMs: SHORT_MS * 2 });
    const post = outbound.post(`https://shop.example:${port}/`, SHORT);
    expect(await expire(post, reached.promise)).toBe('timeout');
    // The handshake, too, has its limit: nothing else ends it.
    vi.advanceTimersByTime(SHORT_MS);
  });

  test('the time limit ends an attempt while the name is being resolved', async () => {
    const asked = Promise.withResolvers<void>();
    const silent = () => {
      asked.resolve();
      return new Promise<never>(() => {});
    };
    expect(await expire(open({ resolver: silent }).post('http://shop.example/', SHORT), asked.promise)).toBe('timeout');
  });

  test('the time limit ends an attempt that waits for a connection, and then it is never sent', async () => {
    const receiver = await receive();
    const held = Promise.withResolvers<ServerResponse>();
    receiver.answer = (_request, response) => held.resolve(response);
    const outbound = open({ maxConnectionsPerOrigin: 1 });
    const url = `http://shop.example:${receiver.port}/`;
    const first = outbound.post(url, REQUEST);
    const response = await held.promise;
    expect(await expire(outbound.post(url, { ...SHORT, body: 'late' }), Promise.resolve())).toBe('timeout');
    receiver.answer = (_request, answered) => answered.end();
    response.end();
    expect(await first).toMatchObject({ status: 200 });
    expect(await outbound.post(url, { ...REQUEST, body: 'next' })).toMatchObject({ status: 200 });
    expect(receiver.requests.map((request) => request.body)).toEqual([REQUEST.body, 'next']);
  });
});

describe('a failure has its kind', () => {
  test.each(['', 'shop.example', '/hook', 'http://', 'https://:443/', 'http://a b/', 'http://shop.example:99999/'])(
    '%j is no URL',
    async (url) => {
      expect(errorOf(await open().post(url, REQUEST))).toBe('invalid-url');
    },
  );

  test('an unknown host name is a failure of the name', async () => {
    const cause = Object.assign(new Error('no such host'), { code: 'ENOTFOUND' });
    const result = await open({ resolver: () => Promise.reject(cause) }).post('http://shop.example/', REQUEST);
    expect(result).toMatchObject({ error: 'dns', message: 'The host name cannot be resolved (ENOTFOUND).' });
  });

  test('a host name without addresses is a failure of the name', async () => {
    expect(errorOf(await open({ resolver: () => Promise.resolve([]) }).post('http://shop.example/', REQUEST))).toBe(
      'dns',
    );
  });

  test('a port where nobody listens is a failure to connect', async () => {
    const receiver = await startHttpReceiver();
    await receiver.close();
    const result = await open().post(`http://shop.example:${receiver.port}/`, REQUEST);
    expect(result).toMatchObject({ error: 'connect', message: 'The host does not accept connections (ECONNREFUSED).' });
  });

  test.each([0, 22, 25, 6667])('port %d, where no web server is, is an invalid URL', async (port) => {
    expect(errorOf(await open().post(`http://shop.example:${port}/`, REQUEST))).toBe('invalid-url');
  });

  test.each<[string, (socket: Socket) => void]>([
    ['a reset after the request', (socket) => socket.once('data', () => socket.resetAndDestroy())],
    ['an end without an answer', (socket) => socket.once('data', () => socket.end())],
    [
      'a reset inside of the body',
      (socket) =>
        socket.once('data', () =>
          socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf', () => socket.resetAndDestroy()),
        ),
    ],
    [
      'an end inside of the body',
      (socket) => socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf')),
    ],
  ])('%s', async (_what, onConnection) => {
    const port = await listen(onConnection);
    expect(errorOf(await open().post(`http://shop.example:${port}/`, REQUEST))).toBe('reset');
  });

  test.each([
    ['another protocol', 'SSH-2.0-OpenSSH_9.2\r\n'],
    ['headers without end', `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(20_000)}`],
    ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab'],
  ])('%s in place of HTTP', async (_what, bytes) => {
    const port = await listen((socket) => socket.once('data', () => socket.write(bytes)));
    expect(errorOf(await open().post(`http://shop.example:${port}/`, REQUEST))).toBe('bad-response');
  });

  test('a change of protocol that nobody asked for is a failed attempt', async () => {
    const port = await listen((socket) =>
      socket.once('data', () =>
        socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
      ),
    );
    expect(errorOf(await open().post(`http://shop.example:${port}/`, REQUEST))).toMatch(/^(reset|bad-response)$/);
  });
});

describe('connections', () => {
  test('a connection is used again for the same host and address, and never for another host at that address', async () => {
    const receiver = await receive();
    const outbound = open({ maxConnectionsPerOrigin: 1 });
    for (const host of ['a.example', 'a.example', 'b.example', 'b.example', 'a.example']) {
      expect(await outbound.post(`http://${host}:${receiver.port}/`, REQUEST)).toMatchObject({ status: 200 });
    }
    expect(receiver.sockets).toHaveLength(2);
  });

  test('a connection is not used again when the host has left its address', async () => {
    const before = await receive({ address: '127.0.0.2' });
    const after = await receive({ address: '127.0.0.3', port: before.port });
    let address = '127.0.0.2';
    const outbound = open({ resolver: () => Promise.resolve([address]) });
    const url = `http://shop.example:${before.port}/`;
    await outbound.post(url, REQUEST);
    address = '127.0.0.3';
    await outbound.post(url, REQUEST);
    expect([before.requests.length, after.requests.length]).toEqual([1, 1]);
    const [left] = before.sockets;
    await closed(left);
  });

  test('a connection to any address of the host is used again, whatever their order', async () => {
    const receiver = await receive({ address: '127.0.0.2' });
    const other = await receive({ address: '127.0.0.3', port: receiver.port });
    const addresses = ['127.0.0.2', '127.0.0.3'];
    const outbound = open({ resolver: () => Promise.resolve([...addresses]) });
    for (let time = 0; time < 4; time += 1) {
      await outbound.post(`http://shop.example:${receiver.port}/`, REQUEST);
      addresses.reverse();
    }
    expect([receiver.requests.length, other.sockets.length]).toEqual([4, 0]);
  });

  test('an address that does not accept one gives way to the next, and the post is sent once', async () => {
    const receiver = await receive({ address: '127.0.0.3' });
    const outbound = open({ resolver: () => Promise.resolve(['127.0.0.2', '127.0.0.3']) });
    const url = `http://shop.example:${receiver.port}/`;
    const results = await Promise.all([1, 2, 3].map(() => outbound.post(url, REQUEST)));
    expect(results.map(errorOf)).toEqual(['status 200', 'status 200', 'status 200']);
    expect(receiver.requests).toHaveLength(3);
  });

  test('an address that took the post and reset gives way to none, because the post may have been done', async () => {
    const first = await receive({ address: '127.0.0.2' });
    const second = await receive({ address: '127.0.0.3', port: first.port });
    first.answer = (request) => request.socket.resetAndDestroy();
    const outbound = open({ resolver: () => Promise.resolve(['127.0.0.2', '127.0.0.3']) });
    expect(errorOf(await outbound.post(`http://shop.example:${first.port}/`, REQUEST))).toBe('reset');
    expect(second.sockets).toHaveLength(0);
  });

  test('an origin has no more connections than the limit', async () => {
    const receiver = await receive();
    const held: ServerResponse[] = [];
    receiver.answer = (_request, response) => {
      held.push(response);
      if (held.length < 3) return;
      receiver.answer = (_next, answered) => answered.end();
      for (const one of held) one.end();
    };
    const outbound = open({ maxConnectionsPerOrigin: 3 });
    const posts = Array.from({ length: 50 }, () => outbound.post(`http://shop.example:${receiver.port}/`, REQUEST));
    expect((await Promise.all(posts)).every((result) => 'status' in result)).toBe(true);
    expect(receiver.sockets).toHaveLength(3);
  });

  test('connections of the origin that was idle for longest are closed when there are too many origins', async () => {
    const receiver = await receive();
    const outbound = open({ maxConnectionsPerOrigin: 1, maxOrigins: 2 });
    for (const host of ['a', 'b', 'a', 'c']) {
      await outbound.post(`http://${host}.example:${receiver.port}/`, REQUEST);
    }
    const [, second] = receiver.sockets;
    await closed(second);
    expect(receiver.sockets.map((socket) => socket.destroyed)).toEqual([false, true, false]);
  });
});

describe('TLS', () => {
  let directory: string;
  let tls: { key: string; cert: string };
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'outbound-'));
    const [key, cert] = [join(directory, 'key.pem'), join(directory, 'cert.pem')];
    const subject = ['-subj', '/CN=shop.example', '-addext', 'subjectAltName=DNS:shop.example,IP:127.0.0.1'];
    const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
    execFileSync('openssl', ['req', '-x509', ...curve, '-days', '2', '-keyout', key, '-out', cert, ...subject], {
      stdio: 'ignore',
    });
    tls = { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
  });
  afterAll(() => rmSync(directory, { recursive: true }));

  test.each([
    ['shop.example', 'shop.example'],
    ['shop.example.', 'shop.example'],
    ['127.0.0.1', false],
  ])('%s is asked for by its name and its certificate is accepted', async (host, servername) => {
    const receiver = await receive({ tls });
    const asked: unknown[] = [];
    receiver.answer = (request, response) => {
      asked.push((request.socket as TLSSocket).servername);
      response.end();
    };
    const outbound = open({ certificateAuthority: tls.cert, maxConnectionsPerOrigin: 1 });
    for (let time = 0; time < 2; time += 1) {
      expect(await outbound.post(`https://${host}:${receiver.port}/`, REQUEST)).toMatchObject({ status: 200 });
    }
    expect(asked).toEqual([servername, servername]);
    expect(receiver.sockets).toHaveLength(1);
  });

  test.each(['other.example', '127.0.0.2'])('a certificate that is not for %s is refused', async (host) => {
    const receiver = await receive({ tls, address: '127.0.0.2' });
    const outbound = open({ certificateAuthority: tls.cert, resolver: () => Promise.resolve(['127.0.0.2']) });
    const result = await outbound.post(`https://${host}:${receiver.port}/`, REQUEST);
    expect(result).toMatchObject({
      error: 'tls',
      message: 'The TLS handshake failed (ERR_TLS_CERT_ALTNAME_INVALID).',
    });
    expect(receiver.requests).toHaveLength(0);
  });

  test('a certificate of an authority that nobody knows is refused, also if the environment says otherwise', async () => {
    const receiver = await receive({ tls });
    const before = process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    try {
      expect(errorOf(await open().post(`https://shop.example:${receiver.port}/`, REQUEST))).toBe('tls');
    } finally {
      if (before === undefined) delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
      else process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = before;
    }
    expect(receiver.requests).toHaveLength(0);
  });

  test('a server without TLS, one that hangs up and one that says nothing fail in the handshake', async () => {
    const plain = await receive();
    const outbound = open();
    expect(errorOf(await outbound.post(`https://shop.example:${plain.port}/`, REQUEST))).toBe('tls');
    const rude = await listen((socket) => socket.once('data', () => socket.destroy()));
    expect(errorOf(await outbound.post(`https://shop.example:${rude}/`, REQUEST))).toBe('tls');
    const silent = await listen(() => {});
    const hasty = open({ connectTimeoutMs: SHORT_MS });
    expect(await hasty.post(`https://shop.example:${silent}/`, REQUEST)).toMatchObject({
      error: 'tls',
      message: 'The TLS handshake failed (ETIMEDOUT).',
    });
  });
});
