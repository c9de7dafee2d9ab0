import type { ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { closeServer, listen, LOOPBACK } from '../../apps/server/rig/fakes/listen.ts';
import type { Caddy } from '../../apps/server/rig/processes/caddy.ts';
import { startCaddy } from '../../apps/server/rig/processes/caddy.ts';
import { waitUntil } from '../../apps/server/rig/processes/wait-until.ts';
import { openEvents, openEventsOverHttp2 } from './secure-call.ts';

/** A server that writes an event only after the one before it came through the proxy, and sends no heartbeats. */

const streams: ServerResponse[] = [];
const server = createServer((request, response) => {
  if (request.url === '/readyz') return void response.end();
  response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
  streams.push(response);
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

const ARRIVED = { what: 'The proxy holds an event back.', timeoutMs: 60_000, pollMs: 5 };

test.each(['h2', 'http/1.1'])(
  'over %s the proxy holds no event of a stream back until the next one',
  async (protocol) => {
    const before = streams.length;
    const [url, ca] = [`${caddy.checkoutUrl}/bill/TID-A/events`, caddy.rootCertificate];
    const reader = await (protocol === 'h2' ? openEventsOverHttp2(url, ca) : openEvents(url, { ca }));
    try {
      expect(reader.protocol).toBe(protocol);
      await waitUntil(() => streams.length > before, ARRIVED);
      for (const id of ['1', '2', '3']) {
        streams.at(-1)?.write(`event: view\nid: ${id}\n\n`);
        await waitUntil(() => reader.arrivals.at(-1)?.id === id, ARRIVED);
      }
      expect(reader.isOver()).toBe(false);
    } finally {
      reader.close();
    }
  },
);
