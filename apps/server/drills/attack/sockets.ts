import net from 'node:net';
import { sleep } from '../../src/lib/loop.ts';
import type { Site } from './site.ts';
import { countHeldSockets } from '../../rig/processes/held-sockets.ts';

/**
 * Clients that hold sockets: they never end their side, send little, or read nothing. Most of these clients use another
 * IP address than the proxy; clients that must be answered with whole pages use the proxy's, because the server refuses
 * requests that did not come by https, and believes only the proxy about that.
 */

const VISITOR = '127.0.0.2';
const PROXY = '127.0.0.1';
/** The server refuses this client for a minute; the others hold on in the next round too. */
const GREEDY = '127.0.0.4';
const DRIP_MS = 400;
/** Interval of writes that fills the kernel's buffers within a second or two. */
const FILL_MS = 50;
/**
 * Requests per write of a client that reads no answer: as many unanswered requests as the server allows on a
 * connection. Writes are repeated until the kernel's buffers are full.
 */
const UNREAD_REQUESTS = 32;
const GREEDY_REQUESTS = 800;
const PAGE = 'GET /bill/nothing HTTP/1.1\r\nHost: a\r\nX-Forwarded-Proto: https\r\n\r\n';
/**
 * Share of clients that fill megabytes of kernel memory or keep the parser busy: the server limits what a single such
 * client may do, but not the number of such clients.
 */
const FEW = 0.1;
const LET_GO_MS = 15_000;
const NOBODY = new AbortController().signal;

type Hold = { start: string; drop: string; reads: boolean; share: number; from?: string };

const HOLDS: readonly Hold[] = [
  { start: '', drop: '', reads: true, share: 1 },
  { start: '\u0016\u0003\u0001\u0002\u0000\u0001', drop: '', reads: true, share: 1 },
  { start: 'POST /payment/crypto HTTP/1.1\r\nHost: a\r\n', drop: 'X-A: b\r\n', reads: true, share: 1 },
  {
    start:
      'POST /payment/crypto HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n{',
    drop: ' ',
    reads: true,
    share: 1,
  },
  { start: PAGE.repeat(GREEDY_REQUESTS), drop: '', reads: false, share: FEW, from: GREEDY },
  {
    start: PAGE.repeat(UNREAD_REQUESTS),
    drop: PAGE.repeat(UNREAD_REQUESTS),
    reads: false,
    share: FEW,
    from: PROXY,
  },
];

function hold(port: number, { start, drop, reads, from = VISITOR }: Hold): net.Socket {
  const socket = net.connect({ port, host: '127.0.0.1', localAddress: from, allowHalfOpen: true });
  socket.on('error', () => {});
  if (reads) socket.resume();
  else socket.pause();
  if (start !== '') socket.write(start);
  const timer =
    drop === '' ? undefined : setInterval(() => socket.writable && socket.write(drop), reads ? DRIP_MS : FILL_MS);
  socket.once('close', () => clearInterval(timer));
  return socket;
}

/**
 * Sockets opened, the most sockets held, and sockets held at the end: a server that refused all sockets at once would
 * not have been attacked.
 */
export type Held = { opened: number; most: number; held: number };

/**
 * Opens sockets of each kind and counts the sockets that the server still holds after 15 s, without the proxy's
 * connections.
 */
export async function holdSockets({ server }: Site, eachKind: number): Promise<Held> {
  const port = Number(new URL(server.url).port);
  const ordinary = countHeldSockets(port);
  const sockets = HOLDS.flatMap((kind) =>
    Array.from({ length: Math.ceil(eachKind * kind.share) }, () => hold(port, kind)),
  );
  let most = 0;
  const LOOKS = 15;
  for (let look = 0; look < LOOKS; look += 1) {
    await sleep(LET_GO_MS / LOOKS, NOBODY);
    most = Math.max(most, countHeldSockets(port) - ordinary);
  }
  const held = Math.max(0, countHeldSockets(port) - ordinary);
  for (const socket of sockets) socket.destroy();
  return { opened: sockets.length, most, held };
}
