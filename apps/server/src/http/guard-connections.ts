import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { createAddressRanges } from '../lib/address-ranges.ts';
import { setBounded } from '../lib/bounded-map.ts';
import type { ClientNetwork } from '../lib/client-address.ts';
import { clientBucket, clientNetworks } from '../lib/client-address.ts';
import type { Clock } from '../lib/clock.ts';

/** Limits of connections per client, of concurrent requests per connection, and of unread answers. */

/** Node's time limits. Idle connections stay open; incomplete requests are ended. */
export const SERVER_TIMES = {
  requestTimeout: 10_000,
  keepAliveTimeout: 65_000,
  http: { headersTimeout: 5_000, connectionsCheckingInterval: 1_000 },
};

/** No reader needs this long for a page. */
const MAX_UNREAD_MS = 10_000;
const SWEEP_MS = 1_000;
/** Browsers and proxies send one request at a time, and each may take memory. */
const MAX_UNANSWERED = 32;
/** How long a client with too many requests is refused, and how many are remembered. */
const REFUSED_MS = 60_000;
const MAX_REFUSED_CLIENTS = 10_000;

/** Largest share of connections, as 1/n: an IPv4 address or IPv6 /64 a tenth, a /48 a quarter. */
const PARTS: Partial<Record<ClientNetwork['bits'], number>> = { 32: 10, 64: 10, 48: 4 };

type ConnectionShares = {
  /** Counts a connection; false, without counting, when a network of the address has its share. */
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

/** A socket of Node's HTTP server with its parser. */
type ParsedSocket = Socket & { parser?: { remove(): void } | null };

/** Ends a connection immediately. Unless its parser is removed, it would still emit thousands of buffered requests. */
function endFlood(socket: ParsedSocket): void {
  socket.parser?.remove();
  socket.resetAndDestroy();
}

/**
 * Answers a connection's requests one per turn of the event loop, so that it delays no other. With too many, the
 * connection is ended and buffered requests are dropped.
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

/** Refused clients, by their narrowest network. */
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
  /** Of all clients. */
  total: number;
  /** CIDR ranges of proxies, which carry many clients and have no limited share. */
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
  /** Since when bytes wait in each socket, if any do. */
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
