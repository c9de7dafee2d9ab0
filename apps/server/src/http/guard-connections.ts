import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { createAddressRanges } from '../lib/address-ranges.ts';
import { setBounded } from '../lib/bounded-map.ts';
import type { ClientNetwork } from '../lib/client-address.ts';
import { clientBucket, clientNetworks } from '../lib/client-address.ts';
import type { Clock } from '../lib/clock.ts';

/**
 * Limits of connections: how many connections a client may have, how many requests a connection may have at once, and
 * how long a connection is kept whose client does not read.
 */

/**
 * Time limits of Node's own HTTP server. An idle connection stays open; a request that does not arrive completely is
 * ended.
 */
export const SERVER_TIMES = {
  requestTimeout: 10_000,
  keepAliveTimeout: 65_000,
  http: { headersTimeout: 5_000, connectionsCheckingInterval: 1_000 },
};

/**
 * How long bytes of an answer may wait to be read before the connection is ended: no reader needs that long for a page.
 */
const MAX_UNREAD_MS = 10_000;
const SWEEP_MS = 1_000;
/**
 * How many unanswered requests a connection may have. Browsers and proxies send one request at a time, and each request
 * may take memory.
 */
const MAX_UNANSWERED = 32;
/** How long a client that sent too many requests at once is refused, and how many such clients are remembered. */
const REFUSED_MS = 60_000;
const MAX_REFUSED_CLIENTS = 10_000;

/**
 * The share of all connections that one client network may have, as 1/n: an IPv4 address or an IPv6 /64 a tenth; an
 * IPv6 /48, which has many IP addresses, a quarter.
 */
const PARTS: Partial<Record<ClientNetwork['bits'], number>> = { 32: 10, 64: 10, 48: 4 };

type ConnectionShares = {
  /**
   * Counts a connection of an IP address; returns false, without counting the connection, when a client network of the
   * IP address already has its share.
   */
  take(address: string): boolean;
  leave(address: string): void;
};

export function createConnectionShares(total: number): ConnectionShares {
  const held = new Map<string, number>();
  const sharesOf = (address: string) =>
    clientNetworks(address).flatMap(({ bits, name }) => {
      const parts = PARTS[bits];
      return parts === undefined ? [] : [{ name, most: Math.max(1, Math.floor(total / parts)) }];
    });
  return {
    take: (address) => {
      const shares = sharesOf(address);
      if (shares.some(({ name, most }) => (held.get(name) ?? 0) >= most)) return false;
      for (const { name } of shares) held.set(name, (held.get(name) ?? 0) + 1);
      return true;
    },
    leave: (address) => {
      for (const { name } of sharesOf(address)) {
        const left = (held.get(name) ?? 1) - 1;
        if (left > 0) held.set(name, left);
        else held.delete(name);
      }
    },
  };
}

type RequestListener = (request: IncomingMessage, response: ServerResponse) => void;

type Asked = { request: IncomingMessage; response: ServerResponse };

/** A socket of Node's HTTP server, with the parser that reads requests from its bytes. */
type ParsedSocket = Socket & { parser?: { remove(): void } | null };

/**
 * Ends a connection at once. A chunk can hold thousands of requests: the parser of an ended connection would still make
 * all of them, unless it is removed.
 */
function endFlood(socket: ParsedSocket): void {
  socket.parser?.remove();
  socket.resetAndDestroy();
}

/**
 * Answers the requests of a connection one after another, each in its own turn of the event loop, so that a connection
 * with many requests delays no other connection. A connection with too many requests is ended, and requests that Node's
 * parser still holds are dropped.
 */
function boundRequests(server: Server, onFlood: (socket: Socket) => void): void {
  const unanswered = new WeakMap<Socket, Asked[]>();
  const listeners = server.listeners('request') as RequestListener[];
  server.removeAllListeners('request');

  function answerFirst(asked: Asked[]): void {
    const [first] = asked;
    if (!first || first.request.socket.destroyed) return;
    const { request, response } = first;
    response.once('close', () => {
      asked.shift();
      if (asked.length > 0) setImmediate(answerFirst, asked);
    });
    for (const listener of listeners) listener.call(server, request, response);
  }

  server.on('request', (request, response) => {
    const { socket } = request;
    const asked = unanswered.get(socket) ?? [];
    unanswered.set(socket, asked);
    asked.push({ request, response });
    if (asked.length > MAX_UNANSWERED) {
      endFlood(socket);
      onFlood(socket);
    } else if (asked.length === 1) answerFirst(asked);
  });
}

/** Clients that are refused for a while, each by its narrowest network. */
function createRefusedClients(clock: Clock) {
  const until = new Map<string, number>();
  return {
    add: (address: string) => setBounded(until, clientBucket(address), clock.nowMs() + REFUSED_MS, MAX_REFUSED_CLIENTS),
    has: (address: string) => {
      const untilMs = until.get(clientBucket(address));
      if (untilMs === undefined) return false;
      if (clock.nowMs() < untilMs) return true;
      until.delete(clientBucket(address));
      return false;
    },
  };
}

export type Connections = { open(): number; refused(): number };

type GuardOptions = {
  /** The most open connections, of all clients together. */
  total: number;
  /**
   * CIDR ranges of proxies. A proxy's connections carry the requests of many clients, so a proxy has no limited share.
   */
  trustedProxies: readonly string[];
  clock: Clock;
};

export function guardConnections(server: Server, { total, trustedProxies, clock }: GuardOptions): Connections {
  const shares = createConnectionShares(total);
  const isProxy = createAddressRanges(trustedProxies);
  const refusedClients = createRefusedClients(clock);
  boundRequests(server, ({ remoteAddress }) => {
    if (remoteAddress !== undefined && !isProxy(remoteAddress)) refusedClients.add(remoteAddress);
  });
  /** Since when bytes have been waiting in each socket; undefined while no bytes wait. */
  const unreadSince = new Map<Socket, number | undefined>();
  let refused = 0;
  server.maxConnections = total;
  server.on('drop', () => {
    refused += 1;
  });
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? '';
    const counted = !isProxy(address);
    if (counted && (refusedClients.has(address) || !shares.take(address))) {
      refused += 1;
      socket.resetAndDestroy();
      return;
    }
    unreadSince.set(socket, undefined);
    socket.once('close', () => {
      unreadSince.delete(socket);
      if (counted) shares.leave(address);
    });
  });
  const sweep = setInterval(() => {
    const nowMs = clock.nowMs();
    for (const [socket, sinceMs] of unreadSince) {
      if (socket.writableLength === 0) unreadSince.set(socket, undefined);
      else if (sinceMs === undefined) unreadSince.set(socket, nowMs);
      else if (nowMs - sinceMs >= MAX_UNREAD_MS) socket.resetAndDestroy();
    }
  }, SWEEP_MS);
  sweep.unref();
  server.once('close', () => clearInterval(sweep));
  return { open: () => unreadSince.size, refused: () => refused };
}
