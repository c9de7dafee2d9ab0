import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { AMBIGUOUS_REQUESTS } from '../../rig/requests/raw-request.ts';
import type { Answer } from '../../rig/requests/transport.ts';
import { parseAnswers, sendRaw } from '../../rig/requests/transport.ts';
import { countHeldSockets } from '../../rig/processes/held-sockets.ts';
import { errorSchema } from '../../src/api/invoice-schemas.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { openStore } from '../../rig/stores/open-store.ts';
import type { Target } from './attack-client.ts';
import { create, openTarget } from './attack-client.ts';

let target: Target;
/** A separate server for tests that use up its connections. */
let crowded: Target;
let store: TestStore;
let host: string;
let port: number;

beforeAll(async () => {
  [target, crowded] = await Promise.all([openTarget(), openTarget({ COUNTERFOIL_CHECKOUT_VIEWERS: '30' })]);
  store = await openStore(target.database);
  const address = new URL(target.server.url);
  host = address.hostname;
  port = Number(address.port);
});
afterAll(() => Promise.all([target.close(), crowded.close()]));

function expectRefusal(answer: Answer, status: number, code: string): void {
  expect(answer.status).toBe(status);
  expect(errorSchema.parse(JSON.parse(answer.body)).error_code).toBe(code);
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
}

async function answerTo(text: string): Promise<Answer> {
  const outcome = await sendRaw(host, port, Buffer.from(text, 'latin1'), { patient: true });
  if (!('answer' in outcome)) throw new Error(JSON.stringify(outcome));
  return outcome.answer;
}

function largeCreate(requestId: string): string {
  const fields = { merchant_id: store.merchantId, amount: '10.00', request_id: requestId, padding: 'x'.repeat(16_000) };
  const body = JSON.stringify(fields);
  return (
    `POST /payment/crypto HTTP/1.1\r\nHost: a\r\nX-Api-Key: ${store.apiKey}\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  );
}

describe('request smuggling', () => {
  test('two requests on one connection are two answers: the counting below would see a second one', async () => {
    const one = 'GET /invoice/ HTTP/1.1\r\nHost: a\r\n';
    expect((await answerTo(`${one}\r\n${one}Connection: close\r\n\r\n`)).answers).toBe(2);
  });

  test('creates that come at once over one connection, with large bodies, are all made and answered in their order', async () => {
    const names = ['first', 'second', 'third', 'fourth'];
    const socket = net.connect({ port, host }).setEncoding('utf8');
    let text = '';
    socket.on('data', (chunk: string) => {
      text += chunk;
    });
    socket.write(names.map((name) => largeCreate(name)).join(''));
    const answered = () => [...text.matchAll(/"request_id":"(\w+)"/g)].map(([, name]) => name);
    await vi.waitFor(() => expect(answered()).toEqual(names), WITHIN);
    expect(text.match(/HTTP\/1\.1 200/g)).toHaveLength(names.length);
    socket.destroy();
  });

  test.each(Object.entries(AMBIGUOUS_REQUESTS))(
    '%s: one answer at most and no fault of ours, whether the connection stays or not',
    async (_name, text) => {
      for (const bytes of [text, text.replace('Connection: close\r\n', '')]) {
        const outcome = await sendRaw(host, port, Buffer.from(bytes, 'latin1'));
        expect(outcome).not.toHaveProperty('hang');
        if (!('answer' in outcome)) continue;
        expect(outcome.answer.answers).toBe(1);
        expect(outcome.answer.status).toBeLessThan(500);
        expect(errorSchema.safeParse(JSON.parse(outcome.answer.body)).success).toBe(true);
      }
    },
  );

  test('what is left of a body that was too large is not taken for the next request', async () => {
    const smuggled = 'GET /invoice/ HTTP/1.1\r\nHost: a\r\n\r\n';
    const body = 'x'.repeat(20_000) + smuggled.repeat(10);
    const head = `POST /payment/crypto HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n`;
    const answer = await answerTo(`${head}x-api-key: ${store.apiKey}\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    expect(answer.answers).toBe(1);
    expectRefusal(answer, 413, 'PAYLOAD_TOO_LARGE');
  });
});

describe('requests that are barely HTTP', () => {
  test('headers of 20 kB are refused in the common shape', async () => {
    const long = `X-Long: ${'a'.repeat(20_000)}\r\n`;
    expectRefusal(await answerTo(`GET / HTTP/1.1\r\nHost: a\r\n${long}\r\n`), 431, 'HEADERS_TOO_LARGE');
    const many = 'X-Many: a\r\n'.repeat(3_000);
    expectRefusal(await answerTo(`GET / HTTP/1.1\r\nHost: a\r\n${many}\r\n`), 431, 'HEADERS_TOO_LARGE');
    expectRefusal(await answerTo(`GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`), 431, 'HEADERS_TOO_LARGE');
  });

  test.each([
    ['noise', '\u0016\u0003\u0001\u0002\u0000\u0001'],
    ['an unknown version', 'GET / HTTP/9.9\r\nHost: a\r\n\r\n'],
    ['an unknown method', 'SPLICE / HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['no path', 'GET\r\nHost: a\r\n\r\n'],
    ['no host', 'GET /invoice/ HTTP/1.1\r\nConnection: close\r\n\r\n'],
    ['a control character in the path', 'GET /\u0001 HTTP/1.1\r\nHost: a\r\n\r\n'],
  ])('%s is refused in the common shape', async (_name, text) => {
    expectRefusal(await answerTo(text), 400, 'BAD_REQUEST');
  });

  test('an expectation that nobody knows is ignored, not answered outside the common shape', async () => {
    const answer = await answerTo(
      'GET /invoice/ HTTP/1.1\r\nHost: a\r\nExpect: a-miracle\r\nConnection: close\r\n\r\n',
    );
    expectRefusal(answer, 401, 'MISSING_API_KEY');
  });
});

type Slow = { endedAfterMs: number; received: Buffer; socket: net.Socket };

const SLOW_CLIENTS = 20;
const DRIP_MS = 400;

/**
 * Sends `start`, then a little more repeatedly, until the server ends its side. The client never ends its own, like an
 * attacker: the server's open sockets show whether it releases the connection.
 */
async function dribble(start: string, drop: string, to: number): Promise<Slow> {
  const startedAt = performance.now();
  const chunks: Buffer[] = [];
  const socket = net.connect({ port: to, host, allowHalfOpen: true });
  socket.on('error', () => {});
  socket.on('data', (chunk) => chunks.push(chunk));
  socket.write(start);
  const timer = setInterval(() => socket.writable && drop !== '' && socket.write(drop), DRIP_MS);
  socket.once('close', () => clearInterval(timer));
  await Promise.race([once(socket, 'end'), once(socket, 'close')]);
  return { endedAfterMs: performance.now() - startedAt, received: Buffer.concat(chunks), socket };
}

const all = (start: string, drop: string, to = port) =>
  Promise.all(Array.from({ length: SLOW_CLIENTS }, () => dribble(start, drop, to)));

const HEAD = 'POST /payment/crypto HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n';

function expectNotEndedBefore(clients: Slow[], ms: number): void {
  for (const { endedAfterMs } of clients) expect(endedAfterMs).toBeGreaterThan(ms);
}

function expectRefused(clients: Slow[], status: number, code: string): void {
  for (const { received } of clients) {
    const outcome = parseAnswers(received);
    expect(outcome).toHaveProperty('answer');
    if ('answer' in outcome) expectRefusal(outcome.answer, status, code);
  }
}

/** Connections of the ordinary client, which stay open. */
const KEPT_ALIVE = 2;
const WITHIN = { timeout: 60_000, interval: 100 };

async function expectLetGo(clients: readonly Slow[], from: number, keptAlive: number): Promise<void> {
  await vi.waitFor(() => expect(countHeldSockets(from)).toBeLessThanOrEqual(keptAlive), WITHIN);
  for (const { socket } of clients) socket.destroy();
}

describe.concurrent('clients that hold connections', () => {
  test('headers end after 5 s, bodies after 10 s, silence too; then nothing of them is held, and others are served', async () => {
    const headers = all('POST /payment/crypto HTTP/1.1\r\nHost: a\r\n', 'X-A: b\r\n');
    const bodies = all(`${HEAD}x-api-key: ${store.apiKey}\r\nContent-Length: 5000\r\n\r\n{`, ' ');
    const chunks = all(`${HEAD}x-api-key: ${store.apiKey}\r\nTransfer-Encoding: chunked\r\n\r\n`, '1\r\n \r\n');
    const silent = all('', '');
    expect((await create(target.transport, store)).status).toBe(200);
    expectNotEndedBefore(await headers, 4_500);
    expectNotEndedBefore(await bodies, 9_500);
    expectNotEndedBefore(await chunks, 9_500);
    expectNotEndedBefore(await silent, 4_500);
    for (const refused of [headers, bodies, chunks]) expectRefused(await refused, 408, 'REQUEST_TIMEOUT');
    const ended = (await Promise.all([headers, bodies, chunks, silent])).flat();
    await expectLetGo(ended, port, KEPT_ALIVE);
    expect((await create(target.transport, store)).status).toBe(200);
  });

  test('the operations port releases silent clients too', async () => {
    const operationsPort = Number(new URL(target.server.operationsUrl).port);
    const silent = await all('', '', operationsPort);
    expectNotEndedBefore(silent, 4_500);
    await expectLetGo(silent, operationsPort, 0);
  });

  test('a connection that asks for more than 32 answers at once is ended; one that asks for 32 has them all', async () => {
    const crowdedPort = Number(new URL(crowded.server.url).port);
    const asking = async (requests: number, localAddress: string) => {
      const socket = net.connect({ port: crowdedPort, host, localAddress, allowHalfOpen: true }).on('error', () => {});
      const chunks: Buffer[] = [];
      socket.on('data', (chunk) => chunks.push(chunk));
      socket.write('GET /livez HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(requests));
      return { socket, answers: () => Buffer.concat(chunks).toString().split('HTTP/1.1 200').length - 1 };
    };
    const modest = await asking(32, host);
    await vi.waitFor(() => expect(modest.answers()).toBe(32), WITHIN);
    modest.socket.destroy();
    await vi.waitFor(() => expect(countHeldSockets(crowdedPort)).toBe(0), WITHIN);
    const greedy = await asking(800, '127.0.0.3');
    await new Promise((resolve) => greedy.socket.once('close', resolve));
    await vi.waitFor(() => expect(countHeldSockets(crowdedPort)).toBe(0), WITHIN);
  });
});

test('bytes that are not HTTP get an error, and their connection is closed although the client keeps its side open', async () => {
  const clients = await all('\u0016\u0003\u0001\u0002\u0000\u0001', '');
  expectRefused(clients, 400, 'BAD_REQUEST');
  await expectLetGo(clients, port, KEPT_ALIVE);
});

describe('one address that takes all connections', () => {
  /** Connections that one address may have: a tenth of 10,000 connections and 30 streams. */
  const SHARE = 1_003;
  test('has its share, and another address is served meanwhile', async () => {
    const { hostname, port: crowdedPort } = new URL(crowded.server.url);
    const sockets = Array.from({ length: SHARE + 200 }, () => {
      const socket = net.connect({ port: Number(crowdedPort), host: hostname, allowHalfOpen: true });
      // A connection with an answered request stays open for longer than a silent one.
      socket.on('error', () => {}).resume();
      socket.write('GET /livez HTTP/1.1\r\nHost: a\r\n\r\n');
      return socket;
    });
    await vi.waitFor(() => expect(countHeldSockets(Number(crowdedPort))).toBe(SHARE), WITHIN);
    const other = http.get(`${crowded.server.url}/livez`, { localAddress: '127.0.0.2', agent: false });
    const [answer] = (await once(other, 'response')) as [http.IncomingMessage];
    expect(answer.statusCode).toBe(200);
    answer.resume();
    // The count of held sockets is reached while the last ones are still to be refused.
    await vi.waitFor(async () => {
      const metrics = await (await fetch(`${crowded.server.operationsUrl}/metrics`)).text();
      expect(metrics).toMatch(/^counterfoil_http_connections_refused_total (?:[2-9]\d\d|1\d\d\d)$/m);
    }, WITHIN);
    for (const socket of sockets) socket.destroy();
  });
});
