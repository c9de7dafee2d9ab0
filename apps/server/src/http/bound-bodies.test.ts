import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import net from 'node:net';
import { fastify } from 'fastify';
import { expect, test, vi } from 'vitest';
import { Refusal } from '../lib/refusal.ts';
import { boundBodies } from './bound-bodies.ts';
import { readBodies } from './read-bodies.ts';

const WITHIN = { timeout: 60_000 };
const TOTAL = 40;
const SHARE = 4;
const [CLIENT, OTHER] = ['192.0.2.1', '192.0.2.2'];

test('a client behind a proxy sends at most a tenth of all bodies at once, and others are not refused', async () => {
  const app = fastify({ trustProxy: '127.0.0.1' });
  let asked = 0;
  app.addHook('onRequest', async () => {
    asked += 1;
  });
  boundBodies(app, TOTAL);
  readBodies(app);
  app.setErrorHandler((cause, _request, reply) => reply.status(cause instanceof Refusal ? 429 : 400).send('refused'));
  app.post('/', async () => 'fine');
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const sockets: Socket[] = [];
  const send = (address: string, body: string) => {
    const socket = net.connect({ port, host: '127.0.0.1' });
    sockets.push(socket);
    socket.on('error', () => {});
    const head = `POST / HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: ${address}\r\n`;
    socket.write(`${head}Content-Type: application/json\r\nContent-Length: 2\r\n\r\n${body}`);
    return socket;
  };
  const answerOf = async (address: string) => String((await once(send(address, '{}'), 'data'))[0]);
  for (let number = 0; number < SHARE; number += 1) send(CLIENT, '{');
  await vi.waitFor(() => expect(asked).toBe(SHARE), WITHIN);
  const refused = await answerOf(CLIENT);
  expect(refused).toMatch(/^HTTP\/1.1 429/);
  expect(refused).toMatch(/\r\nConnection: close\r\n/i);
  expect(await answerOf(OTHER)).toMatch(/^HTTP\/1.1 200/);
  // A body that ends makes room again.
  sockets[0]?.write('}');
  expect(String((await once(sockets[0] as Socket, 'data'))[0])).toMatch(/^HTTP\/1.1 200/);
  expect(await answerOf(CLIENT)).toMatch(/^HTTP\/1.1 200/);
  for (const socket of sockets) socket.destroy();
  await app.close();
});
