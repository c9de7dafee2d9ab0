import { once } from 'node:events';
import { createServer, IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import net from 'node:net';
import { describe, expect, test, vi } from 'vitest';
import { fastify } from 'fastify';
import { createManualClock } from '../lib/clock.ts';
import { createConnectionShares, guardConnections, SERVER_TIMES } from './guard-connections.ts';

const WITHIN = { timeout: 60_000, interval: 20 };
const TOTAL = 400;
const TENTH = 40;
const QUARTER = 100;

function taken(addresses: readonly string[], shares = createConnectionShares(TOTAL)): number {
  return addresses.filter((address) => shares.take(address)).length;
}

const times = (count: number, address: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => address(index));

test('an address holds a tenth of all connections and no more, and another still has its own', () => {
  const shares = createConnectionShares(TOTAL);
  expect(
    taken(
      times(TOTAL, () => '192.0.2.1'),
      shares,
    ),
  ).toBe(TENTH);
  expect(
    taken(
      times(TOTAL, () => '192.0.2.2'),
      shares,
    ),
  ).toBe(TENTH);
});

test('an IPv4 address written as IPv6 is the same address', () => {
  expect(taken(times(TOTAL, (index) => (index % 2 === 0 ? '192.0.2.1' : '::ffff:192.0.2.1')))).toBe(TENTH);
});

test('a /64 counts as one address, and a /48 of many of them may hold a quarter', () => {
  expect(taken(times(TOTAL, (index) => `2001:db8:1:2::${index.toString(16)}`))).toBe(TENTH);
  expect(taken(times(TOTAL, (index) => `2001:db8:1:${index.toString(16)}::1`))).toBe(QUARTER);
});

test('a connection that ends makes room again, and one that was refused took none', () => {
  const shares = createConnectionShares(TOTAL);
  for (let round = 0; round < 3; round += 1) {
    expect(
      taken(
        times(TOTAL, () => '2001:db8::1'),
        shares,
      ),
    ).toBe(TENTH);
    for (let left = 0; left < TENTH; left += 1) shares.leave('2001:db8::1');
  }
  expect(taken(times(QUARTER - TENTH, (index) => `2001:db8:0:${index + 1}::1`))).toBe(QUARTER - TENTH);
});

test('with very few connections every address may still have one', () => {
  expect(taken(['192.0.2.1', '192.0.2.1', '192.0.2.2'], createConnectionShares(3))).toBe(2);
});

test('a server waits 5 seconds for headers and 10 seconds for a whole request', () => {
  expect(fastify(SERVER_TIMES).server).toMatchObject({ headersTimeout: 5_000, requestTimeout: 10_000 });
});

test('requests that come at once over one connection are answered one by one, and others have their turn between them', async () => {
  const underWay: string[] = [];
  const most: number[] = [];
  let turns = 0;
  const turnsAtStart: number[] = [];
  const server = createServer((request, response) => {
    underWay.push(request.url ?? '');
    most.push(underWay.length);
    turnsAtStart.push(turns);
    setImmediate(() => {
      turns += 1;
    });
    response.once('close', () => underWay.pop());
    response.end(request.url);
  });
  guardConnections(server, { total: TOTAL, trustedProxies: [], clock: createManualClock(0) });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const socket = net.connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' });
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  const paths = times(5, (index) => `/${index}`);
  socket.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`).join(''));
  await vi.waitFor(() => expect(text.match(/^\/\d/gm)).toEqual(paths), WITHIN);
  expect(most).toEqual([1, 1, 1, 1, 1]);
  expect(turnsAtStart).toEqual([0, 1, 2, 3, 4]);
  socket.destroy();
  await once(server.close(), 'close');
});

describe('a client that sends thousands of requests at once', () => {
  const REQUEST = 'GET /x HTTP/1.1\r\nHost: a\r\n\r\n';
  const FLOOD = REQUEST.repeat(2_000);

  async function openServer(trustedProxies: readonly string[]) {
    let made = 0;
    class CountedMessage extends IncomingMessage {
      constructor(socket: net.Socket) {
        super(socket);
        made += 1;
      }
    }
    const clock = createManualClock(0);
    const server = createServer({ IncomingMessage: CountedMessage }, (_request, response) => {
      response.end('fine');
    });
    const connections = guardConnections(server, { total: TOTAL, trustedProxies, clock });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    /** Sends text from an address; returns what was answered until the connection ended or an answer was complete. */
    const send = (text: string, localAddress: string) =>
      new Promise<string>((resolve) => {
        let answer = '';
        const socket = net.connect({ port, host: '127.0.0.1', localAddress });
        socket.setEncoding('utf8').on('data', (chunk: string) => {
          answer += chunk;
          if (text === REQUEST && answer.includes('fine')) socket.destroy();
        });
        socket.on('error', () => {}).on('close', () => resolve(answer));
        socket.write(text);
      });
    const close = async () => {
      server.closeAllConnections();
      await once(server.close(), 'close');
    };
    return { clock, connections, send, close, made: () => made };
  }

  test('costs no more requests than a connection may have, and is refused for a minute; others are not', async () => {
    const { clock, connections, send, close, made } = await openServer([]);
    await send(FLOOD, '127.0.0.2');
    expect(made()).toBeLessThanOrEqual(33);
    expect(await send(REQUEST, '127.0.0.2')).toBe('');
    expect(connections.refused()).toBe(1);
    expect(await send(REQUEST, '127.0.0.3')).toContain('fine');
    clock.advance(59_999);
    expect(await send(REQUEST, '127.0.0.2')).toBe('');
    clock.advance(1);
    expect(await send(REQUEST, '127.0.0.2')).toContain('fine');
    await close();
  });

  test('loses only that connection when it is a trusted proxy', async () => {
    const { connections, send, close, made } = await openServer(['127.0.0.2/32']);
    await send(FLOOD, '127.0.0.2');
    expect(made()).toBeLessThanOrEqual(33);
    expect(await send(REQUEST, '127.0.0.2')).toContain('fine');
    expect(connections.refused()).toBe(0);
    await close();
  });
});

/** More bytes than the kernel's socket buffers on both sides hold. */
const LARGE_BYTES = 64 * 1_048_576;

test('an answer that is not read for ten seconds ends its connection', async () => {
  const clock = createManualClock(0);
  const server = createServer((_request, response) => response.end(Buffer.alloc(LARGE_BYTES)));
  const connections = guardConnections(server, { total: TOTAL, trustedProxies: [], clock });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const socket = net.connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', allowHalfOpen: true });
  socket.on('error', () => {});
  socket.pause().write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  await vi.waitFor(() => expect(connections.open()).toBe(1), WITHIN);
  await vi.waitFor(
    () => {
      clock.advance(1_000);
      expect(connections.open()).toBe(0);
    },
    { ...WITHIN, interval: 1_100 },
  );
  expect(clock.nowMs()).toBeGreaterThan(10_000);
  socket.destroy();
  await once(server.close(), 'close');
});
