import { connect as connectTcp } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { buildConnector } from 'undici';
import { Pool } from 'undici';
import { literalAddressOf } from './public-address.ts';

/**
 * Pinned pools: keep-alive connections to IP addresses that the caller has checked. A pool belongs to one origin and
 * one address, and its connector gets only that address: no code on the way to the socket can resolve a name again.
 */

type PinnedPoolsOptions = {
  maxConnectionsPerOrigin: number;
  /** How many origins keep idle connections. */
  maxOrigins: number;
  /** Time limit of connecting, for TCP and once more for TLS. */
  connectTimeoutMs: number;
  /** A certificate authority trusted in place of the usual ones. */
  certificateAuthority: string | undefined;
};

type PinnedPools = {
  /** The IP address that the origin's open connections lead to. */
  addressOf(origin: string): string | undefined;
  /**
   * The pool of an origin. A pool that leads to another IP address is replaced; its requests in flight are finished.
   */
  poolFor(url: URL, address: string): Pool;
  close(): Promise<void>;
};

type ConnectStage = 'connect' | 'tls';

/** The connection could not be made, so nothing was sent. */
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

// Idle connections are closed before the 5 s after which common servers close them: writing into a closing connection
// looks like a failure of the receiver.
const KEEP_ALIVE_MS = 4_000;
const MAX_KEEP_ALIVE_MS = 10_000;
const MAX_HEADER_BYTES = 16_384;
const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

export function createPinnedPools(options: PinnedPoolsOptions): PinnedPools {
  // Pools by origin, in the order of their last use.
  const pools = new Map<string, { address: string; pool: Pool }>();

  function retire(origin: string): void {
    const entry = pools.get(origin);
    pools.delete(origin);
    void entry?.pool.close();
  }

  /** Closes idle pools beyond the limit. Busy pools stay, and there are no more of them than posts in flight. */
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
    // The time limits of undici are off: the caller limits the whole request.
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
    // The certificate must be for the name in the URL; for a literal address it must be for that address.
    ...(literalAddressOf(url) === undefined ? { servername: url.hostname.replace(/\.$/, '') } : {}),
    ...(options.certificateAuthority === undefined ? {} : { ca: options.certificateAuthority }),
    // `rejectUnauthorized` is set explicitly, because an environment variable can turn the default off.
    rejectUnauthorized: true,
    ALPNProtocols: ['http/1.1'],
  });
  return socket.setNoDelay(true);
}

function portOf(url: URL): number {
  return url.port === '' ? (DEFAULT_PORTS[url.protocol] ?? 0) : Number(url.port);
}
