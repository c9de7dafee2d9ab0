import { connect as connectTcp } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { buildConnector } from 'undici';
import { Pool } from 'undici';
import { literalAddressOf } from './public-address.ts';

/**
 * Keep-alive connections to checked IP addresses. A pool has one origin and one address, and its connector gets only
 * that address, so that nothing can resolve the name again.
 */

type PinnedPoolsOptions = {
  maxConnectionsPerOrigin: number;
  /** Most origins with idle connections. */
  maxOrigins: number;
  /** For TCP, and again for TLS. */
  connectTimeoutMs: number;
  certificateAuthority: string | undefined;
};

type PinnedPools = {
  /** The address of the origin's open connections. */
  addressOf(origin: string): string | undefined;
  /** The pool of an origin. One with another address is replaced; its requests in flight are completed. */
  poolFor(url: URL, address: string): Pool;
  close(): Promise<void>;
};

type ConnectStage = 'connect' | 'tls';

/** Not connected, so nothing was sent. */
export class ConnectError extends Error {
  readonly stage: ConnectStage;
  readonly systemCode: string | undefined;

  constructor(stage: ConnectStage, systemCode: string | undefined) {
    super('The connection did not come about.');
    this.name = 'ConnectError';
    this.stage = stage;
    this.systemCode = systemCode;
  }
}

// Below the 5 s after which common servers close idle connections: a write into a closing one would count as a receiver
// failure.
const KEEP_ALIVE_MS = 4_000;
const MAX_KEEP_ALIVE_MS = 10_000;
const MAX_HEADER_BYTES = 16_384;
const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

export function createPinnedPools(options: PinnedPoolsOptions): PinnedPools {
  const pools = new Map<string, { address: string; pool: Pool }>();

  function retire(origin: string): void {
    const entry = pools.get(origin);
    pools.delete(origin);
    void entry?.pool.close();
  }

  /** Closes idle pools beyond the limit. Busy ones are bounded by posts in flight. */
  function makeRoom(): void {
    for (const [origin, { pool }] of pools) {
      if (pools.size < options.maxOrigins) return;
      if (isIdle(pool)) retire(origin);
    }
  }

  return {
    addressOf: (origin) => pools.get(origin)?.address,

    poolFor(url, address) {
      const kept = pools.get(url.origin);
      if (kept?.address === address) {
        pools.delete(url.origin);
        pools.set(url.origin, kept);
        return kept.pool;
      }
      retire(url.origin);
      makeRoom();
      const pool = openPool(url, address, options);
      pools.set(url.origin, { address, pool });
      return pool;
    },

    async close() {
      const open = [...pools.values()];
      pools.clear();
      await Promise.all(open.map((entry) => entry.pool.destroy()));
    },
  };
}

function isIdle(pool: Pool): boolean {
  const { running, pending, queued } = pool.stats;
  return running + pending + queued === 0;
}

function openPool(url: URL, address: string, options: PinnedPoolsOptions): Pool {
  return new Pool(url.origin, {
    connect: connectorTo(url, address, options),
    connections: options.maxConnectionsPerOrigin,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: MAX_KEEP_ALIVE_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    // No time limits of undici: the caller limits the whole request.
    headersTimeout: 0,
    bodyTimeout: 0,
    allowH2: false,
  });
}

function connectorTo(url: URL, address: string, options: PinnedPoolsOptions): buildConnector.connector {
  const isSecure = url.protocol === 'https:';
  const open = isSecure ? openTls : openTcp;
  return (_asked, callback) => {
    let stage: ConnectStage = 'connect';
    const socket = open(url, address, options);
    const timer = setTimeout(() => {
      socket.destroy(Object.assign(new Error('The time to connect is over.'), { code: 'ETIMEDOUT' }));
    }, options.connectTimeoutMs);
    const fail = (cause: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      callback(new ConnectError(stage, cause.code), null);
    };
    socket.once('error', fail);
    socket.once('connect', () => {
      stage = 'tls';
      timer.refresh();
    });
    socket.once(isSecure ? 'secureConnect' : 'connect', () => {
      clearTimeout(timer);
      socket.off('error', fail);
      callback(null, socket);
    });
  };
}

function openTcp(url: URL, address: string) {
  return connectTcp({ host: address, port: portOf(url), noDelay: true });
}

function openTls(url: URL, address: string, options: PinnedPoolsOptions) {
  const socket = connectTls({
    host: address,
    port: portOf(url),
    // The certificate must match the URL's host name, or its literal address.
    ...(literalAddressOf(url) === undefined ? { servername: url.hostname.replace(/\.$/, '') } : {}),
    ...(options.certificateAuthority === undefined ? {} : { ca: options.certificateAuthority }),
    // Explicit, because an environment variable can disable the default.
    rejectUnauthorized: true,
    ALPNProtocols: ['http/1.1'],
  });
  return socket.setNoDelay(true);
}

function portOf(url: URL): number {
  return url.port === '' ? (DEFAULT_PORTS[url.protocol] ?? 0) : Number(url.port);
}
