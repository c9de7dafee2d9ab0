import { once } from 'node:events';
import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import { connect } from 'node:tls';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { closeServer, listen, LOOPBACK } from '../../apps/server/rig/fakes/listen.ts';
import type { Caddy } from '../../apps/server/rig/processes/caddy.ts';
import { startCaddy } from '../../apps/server/rig/processes/caddy.ts';
import { waitUntil } from '../../apps/server/rig/processes/wait-until.ts';
import { guardConnections } from '../../apps/server/src/http/guard-connections.ts';
import { systemClock } from '../../apps/server/src/lib/clock.ts';
import { call } from './secure-call.ts';

/** Thousands of requests in one chunk through the proxy, to servers that guard their connections as ours do. */

const [ATTACKER, NEIGHBOUR] = ['127.0.0.2', '127.0.0.3'];
const CONNECTIONS = 10;
const PIPELINED = 2_000;

/** Requests of the attacker that wait for their answers. */
const held: ServerResponse[] = [];
const server = createServer((request, response) => {
  if (request.url === '/x') held.push(response);
  else response.end('fine');
});
const connections = guardConnections(server, {
  total: 1_000,
  trustedProxies: [`${LOOPBACK}/32`],
  clock: systemClock,
});
let caddy: Caddy;
beforeAll(async () => {
  const upstream = `${LOOPBACK}:${await listen(server)}`;
  caddy = await startCaddy({ api: upstream, dashboard: upstream });
});
afterAll(async () => {
  await caddy?.stop();
  await closeServer(server);
});

const REACHED = { what: 'The requests do not reach the server.', timeoutMs: 60_000, pollMs: 5 };

test.each(['apiUrl', 'dashboardUrl'] as const)(
  'a chunk to %s is one request at a time behind the proxy, and refuses nobody else',
  async (door) => {
    held.length = 0;
    const { hostname, port } = new URL(caddy[door]);
    const chunk = `GET /x HTTP/1.1\r\nHost: ${hostname}:${port}\r\n\r\n`.repeat(PIPELINED);
    const from = { host: LOOPBACK, port: Number(port), localAddress: ATTACKER };
    const secure = { servername: hostname, ca: caddy.rootCertificate, ALPNProtocols: ['http/1.1'] };
    const sockets = Array.from({ length: CONNECTIONS }, () => connect({ ...from, ...secure }));
    for (const socket of sockets) socket.on('error', () => {}).resume();
    await Promise.all(sockets.map((socket) => once(socket, 'secureConnect')));
    for (const socket of sockets) socket.write(chunk);
    await waitUntil(() => held.length === CONNECTIONS, REACHED);
    const ca = caddy.rootCertificate;
    expect(await call(`${caddy[door]}/fine`, { ca, from: NEIGHBOUR })).toMatchObject({ status: 200, text: 'fine' });
    expect(held).toHaveLength(CONNECTIONS);
    for (const socket of sockets) socket.destroy();
    for (const response of held) response.end();
    expect(await call(`${caddy[door]}/fine`, { ca, from: ATTACKER })).toMatchObject({ status: 200, text: 'fine' });
    expect(connections.refused()).toBe(0);
  },
);
