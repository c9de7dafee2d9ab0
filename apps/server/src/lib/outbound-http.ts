import type { Pool } from 'undici';
import { errors } from 'undici';
import type { Clock } from './clock.ts';
import { systemClock } from './clock.ts';
import { endWith } from './end-with.ts';
import { ConnectError, createPinnedPools } from './pinned-pools.ts';
import { isPlainAddress, isPublicAddress, literalAddressOf } from './public-address.ts';
import type { Resolver } from './resolver.ts';
import { systemResolver } from './resolver.ts';
import { isWebUrl, printableText } from './text.ts';
import { isWebPort } from './web-port.ts';

/**
 * Requests to URLs that strangers chose, from inside a network that they must not reach. The host is resolved once per
 * attempt, every address is checked, and the socket opens to a checked address. undici accepts such a connector, costs
 * a third of node:http per post, follows no redirects and ignores proxy variables. A `lookup` hook would not be enough:
 * literal addresses bypass it.
 */

export type OutboundOptions = {
  /** Allows private addresses, for development. All other rules apply. */
  allowPrivate?: boolean;
  /** Allowed IP addresses; by default public ones. */
  isAllowed?: (address: string) => boolean;
  resolver?: Resolver;
  maxConnectionsPerOrigin?: number;
  maxOrigins?: number;
  connectTimeoutMs?: number;
  /** Replaces the usual certificate authorities. */
  certificateAuthority?: string;
  clock?: Clock;
};

type OutboundLookup = {
  headers: Readonly<Record<string, string>>;
  timeoutMs: number;
  /** After these bytes the connection is closed; the status still counts. */
  maxResponseBytes: number;
};

type OutboundRequest = OutboundLookup & { body: string };

type SentRequest = OutboundLookup & { body: string | null };

type OutboundErrorKind =
  | 'invalid-url'
  | 'refused-address'
  | 'dns'
  | 'connect'
  | 'tls'
  | 'timeout'
  /** The receiver closed the connection before the answer was complete. */
  | 'reset'
  | 'bad-response';

type OutboundAnswer = {
  /** Redirects are not followed and keep their own status. */
  status: number;
  retryAfter: string | undefined;
  excerpt: string;
  durationMs: number;
};

/** The message is for the merchant, so it names no addresses of our network. */
type OutboundFailure = { error: OutboundErrorKind; message: string; durationMs: number };

export type OutboundResult = OutboundAnswer | OutboundFailure;

export type Outbound = {
  post(url: string, request: OutboundRequest): Promise<OutboundResult>;
  get(url: string, request: OutboundLookup): Promise<OutboundResult>;
  /** Waits for requests in flight, which are limited, and closes all connections. */
  close(): Promise<void>;
};

type Answer = Omit<OutboundAnswer, 'durationMs'>;

class OutboundError extends Error {
  readonly kind: OutboundErrorKind;

  constructor(kind: OutboundErrorKind, message: string) {
    super(message);
    this.name = 'OutboundError';
    this.kind = kind;
  }
}

const MAX_CONNECTIONS_PER_ORIGIN = 16;
const MAX_ORIGINS = 512;
const CONNECT_TIMEOUT_MS = 5_000;
const MAX_CANDIDATES = 64;
const MAX_ADDRESSES_TRIED = 3;
const MAX_EXCERPT_BYTES = 1_024;
const MAX_RETRY_AFTER_CHARACTERS = 64;
const NOT_HTTP = [errors.HTTPParserError, errors.HeadersOverflowError, errors.ResponseContentLengthMismatchError];
const TLS_CODE = /^ERR_(SSL|TLS)_/;

export function createOutbound(options: OutboundOptions): Outbound {
  const clock = options.clock ?? systemClock;
  const resolver = options.resolver ?? systemResolver;
  const isAllowed = options.allowPrivate ? isPlainAddress : (options.isAllowed ?? isPublicAddress);
  const inFlight = new Set<Promise<OutboundResult>>();
  let isClosed = false;
  const pools = createPinnedPools({
    maxConnectionsPerOrigin: options.maxConnectionsPerOrigin ?? MAX_CONNECTIONS_PER_ORIGIN,
    maxOrigins: options.maxOrigins ?? MAX_ORIGINS,
    connectTimeoutMs: options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
    certificateAuthority: options.certificateAuthority,
  });

  async function attempt(text: string, request: SentRequest, signal: AbortSignal): Promise<Answer> {
    const url = parseTarget(text);
    const candidates = await candidatesOf(url, resolver, signal);
    if (!candidates.every((address) => isPlainAddress(address) && isAllowed(address))) throw refusedAddress();
    const addresses = openFirst(candidates, pools.addressOf(url.origin)).slice(0, MAX_ADDRESSES_TRIED);
    let failure: OutboundError | undefined;
    for (const address of addresses) {
      if (signal.aborted) throw timeoutError();
      try {
        return await exchange(pools.poolFor(url, address), url, request, signal);
      } catch (cause) {
        failure = failureOf(cause);
        // After any failure but connecting, something may have been sent, so no other address is tried.
        if (failure.kind !== 'connect') break;
      }
    }
    throw failure ?? new OutboundError('dns', 'The host name has no address.');
  }

  async function timed(url: string, request: SentRequest): Promise<OutboundResult> {
    const startedAtMs = clock.nowMs();
    // Never negative, even if the clock is corrected during the attempt.
    const durationMs = () => Math.max(clock.nowMs() - startedAtMs, 0);
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), request.timeoutMs);
    try {
      const answer = await attempt(url, request, limit.signal);
      return { ...answer, durationMs: durationMs() };
    } catch (cause) {
      if (!(cause instanceof OutboundError)) throw cause;
      return { error: cause.kind, message: cause.message, durationMs: durationMs() };
    } finally {
      clearTimeout(timer);
    }
  }

  async function send(url: string, request: SentRequest): Promise<OutboundResult> {
    if (isClosed) throw new Error('The outbound client is closed.');
    const result = timed(url, request).finally(() => inFlight.delete(result));
    inFlight.add(result);
    return await result;
  }

  return {
    post: send,
    get: (url, request) => send(url, { ...request, body: null }),

    async close() {
      isClosed = true;
      await Promise.allSettled(inFlight);
      await pools.close();
    },
  };
}

const refusedAddress = () => new OutboundError('refused-address', 'The host is not on the public internet.');

function parseTarget(text: string): URL {
  if (!isWebUrl(text)) throw new OutboundError('invalid-url', 'The URL is not an http or https address.');
  const url = new URL(text);
  if (!isWebPort(url)) throw new OutboundError('invalid-url', 'The port of the URL is not one of a web server.');
  return url;
}

async function candidatesOf(url: URL, resolver: Resolver, signal: AbortSignal): Promise<string[]> {
  const literal = literalAddressOf(url);
  if (literal !== undefined) return [literal];
  const candidates = await endWith(signal, resolver(url.hostname).catch(failResolution), timeoutError);
  if (candidates.length > MAX_CANDIDATES) {
    throw new OutboundError('dns', `The host name has more than ${MAX_CANDIDATES} addresses.`);
  }
  return candidates;
}

function failResolution(cause: NodeJS.ErrnoException): never {
  throw new OutboundError('dns', withCode('The host name cannot be resolved', cause.code));
}

/** The address with an open connection comes first, which saves more time than the name server's order. */
function openFirst(candidates: readonly string[], open: string | undefined): string[] {
  if (open === undefined || !candidates.includes(open)) return [...candidates];
  return [open, ...candidates.filter((address) => address !== open)];
}

function exchange(pool: Pool, url: URL, request: SentRequest, signal: AbortSignal): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let giveUp: (() => void) | undefined;
    let status = 0;
    let retryAfter: string | undefined;
    let size = 0;
    const beginning: Buffer[] = [];
    const finish = () => resolve({ status, retryAfter, excerpt: excerptOf(beginning, request.maxResponseBytes) });
    const expire = () => {
      reject(timeoutError());
      giveUp?.();
    };
    signal.addEventListener('abort', expire, { once: true });
    const { headers, body } = request;
    pool.dispatch(
      { path: `${url.pathname}${url.search}`, method: body === null ? 'GET' : 'POST', headers, body },
      {
        onRequestStart(controller) {
          giveUp = () => controller.abort(timeoutError());
          // The time ended while the request waited for a connection.
          if (signal.aborted) giveUp();
        },
        onResponseStart(_controller, code, answered) {
          status = code;
          retryAfter = retryAfterOf(answered['retry-after']);
        },
        onResponseData(controller, chunk) {
          if (size < MAX_EXCERPT_BYTES) beginning.push(chunk);
          size += chunk.length;
          if (size <= request.maxResponseBytes) return;
          finish();
          controller.abort(new OutboundError('reset', 'The answer is too long.'));
        },
        onResponseEnd: finish,
        onResponseError: (_controller, cause) => reject(cause),
      },
    );
  });
}

function retryAfterOf(header: string | string[] | undefined): string | undefined {
  const text = Array.isArray(header) ? header[0] : header;
  return text !== undefined && text.length <= MAX_RETRY_AFTER_CHARACTERS ? text : undefined;
}

function excerptOf(beginning: readonly Buffer[], maxBytes: number): string {
  const bytes = Buffer.concat(beginning).subarray(0, Math.min(maxBytes, MAX_EXCERPT_BYTES));
  return printableText(bytes).trim();
}

function failureOf(cause: unknown): OutboundError {
  if (cause instanceof OutboundError) return cause;
  // Thrown only for headers of our own caller, never by a stranger's input: a bug of ours.
  if (cause instanceof errors.InvalidArgumentError) throw cause;
  if (cause instanceof ConnectError) {
    const what = cause.stage === 'tls' ? 'The TLS handshake failed' : 'The host does not accept connections';
    return new OutboundError(cause.stage, withCode(what, cause.systemCode));
  }
  if (NOT_HTTP.some((kind) => cause instanceof kind)) {
    return new OutboundError('bad-response', 'The answer is not proper HTTP.');
  }
  const { code } = cause as NodeJS.ErrnoException;
  if (TLS_CODE.test(code ?? '')) return new OutboundError('tls', withCode('The TLS connection failed', code));
  return new OutboundError('reset', withCode('The connection ended before the answer', code));
}

function timeoutError(): OutboundError {
  return new OutboundError('timeout', 'The host did not answer in time.');
}

function withCode(message: string, code: string | undefined): string {
  return code === undefined ? `${message}.` : `${message} (${code}).`;
}
