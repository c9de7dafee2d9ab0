import { parseRetryAfter } from './parse-retry-after.ts';
import { printableText } from './text.ts';
import { showLife } from './watchdog.ts';

/** Fetches JSON from external servers: limited, without redirects, and without leaking secrets of the URL. */

type FetchJsonOptions = {
  /** From the connection to the last byte. */
  timeoutMs: number;
  /** After decompression. */
  maxBytes: number;
  /** By default GET without a body and POST with one. */
  method?: 'GET' | 'POST';
  body?: unknown;
  headers?: Readonly<Record<string, string>>;
  signal?: AbortSignal;
};

type FetchErrorKind = 'timeout' | 'network' | 'status' | 'too-large' | 'not-json';

type FetchErrorFacts = { status?: number; retryAfterSeconds?: number; excerpt?: string; answer?: unknown };

/** Names only the origin, because node URLs have keys in their path; no cause for the same reason. */
export class FetchError extends Error {
  readonly kind: FetchErrorKind;
  readonly status: number | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly excerpt: string | undefined;
  /** Private, so that no log prints it: it may be long. */
  readonly #answer: unknown;

  constructor(kind: FetchErrorKind, message: string, facts: FetchErrorFacts = {}) {
    super(message);
    this.name = 'FetchError';
    this.kind = kind;
    this.status = facts.status;
    this.retryAfterSeconds = facts.retryAfterSeconds;
    this.excerpt = facts.excerpt;
    this.#answer = facts.answer;
  }

  /** The JSON of a refused request, masked like the excerpt; undefined if it was not JSON or too long. */
  get answer(): unknown {
    return this.#answer;
  }
}

/** Enough for a batch in which each call is refused separately. */
const MAX_REFUSAL_BYTES = 65_536;
const MAX_EXCERPT_BYTES = 1_024;
const MAX_EXCERPT_CHARACTERS = 200;
const MIN_SECRET_CHARACTERS = 4;
const MAX_RETRY_AFTER_MS = 86_400_000;
const MASK = '***';
const SYSTEM_CODE = /^[A-Z][A-Z0-9_]{2,40}$/;

export function fetchJson(url: string, options: FetchJsonOptions): Promise<unknown> {
  return fetchAnswer(url, options, (bytes, status, target) => parseJson(bytes, status, target, options));
}

/** The same for other formats. */
export function fetchText(url: string, options: FetchJsonOptions): Promise<string> {
  return fetchAnswer(url, options, (bytes) => bytes.toString('utf8'));
}

async function fetchAnswer<Answer>(
  url: string,
  options: FetchJsonOptions,
  parse: (bytes: Buffer, status: number, target: URL) => Answer,
): Promise<Answer> {
  const target = parseTarget(url);
  const timeout = AbortSignal.timeout(options.timeoutMs);
  const signal = options.signal ? AbortSignal.any([timeout, options.signal]) : timeout;
  try {
    const response = await fetch(target, requestOf(options, signal));
    if (!response.ok) throw await refusalOf(response, target, options);
    const bytes = await readBytes(response, options.maxBytes, target);
    return parse(bytes, response.status, target);
  } catch (cause) {
    throw explain(cause, target, timeout, options.signal);
  } finally {
    showLife();
  }
}

function parseTarget(url: string): URL {
  // The URL parser's error would repeat the text, which may contain a key.
  if (!URL.canParse(url)) throw new FetchError('network', 'The address is not a URL.');
  return new URL(url);
}

function requestOf(options: FetchJsonOptions, signal: AbortSignal): RequestInit {
  const headers = { accept: 'application/json', ...options.headers };
  if (options.body === undefined) return { method: options.method ?? 'GET', headers, redirect: 'error', signal };
  return {
    method: options.method ?? 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(options.body),
    redirect: 'error',
    signal,
  };
}

async function readBytes(response: Response, maxBytes: number, target: URL): Promise<Buffer> {
  const reader = response.body?.getReader();
  if (!reader) return Buffer.alloc(0);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return Buffer.concat(chunks, size);
    size += value.byteLength;
    if (size > maxBytes) {
      await stopReading(reader);
      throw new FetchError('too-large', `${target.origin} answered more than ${maxBytes} bytes.`, {
        status: response.status,
      });
    }
    chunks.push(value);
  }
}

/** Reads the beginning of a refusal. Failures are ignored, because only the status matters. */
async function readBeginning(response: Response): Promise<Buffer> {
  const reader = response.body?.getReader();
  if (!reader) return Buffer.alloc(0);
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    while (size < MAX_REFUSAL_BYTES) {
      const { done, value } = await reader.read();
      if (done) break;
      size += value.byteLength;
      chunks.push(value);
    }
  } catch {}
  await stopReading(reader);
  return Buffer.concat(chunks, size);
}

async function stopReading(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  await reader.cancel().catch(() => {});
}

function parseJson(bytes: Buffer, status: number, target: URL, options: FetchJsonOptions): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    const excerpt = excerptOf(bytes, target, options);
    throw new FetchError('not-json', `${target.origin} answered something that is not JSON.`, { status, excerpt });
  }
}

async function refusalOf(response: Response, target: URL, options: FetchJsonOptions): Promise<FetchError> {
  const retryAfterSeconds = retryAfterOf(response.headers);
  const bytes = await readBeginning(response);
  return new FetchError('status', `${target.origin} answered ${response.status}.`, {
    status: response.status,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    excerpt: excerptOf(bytes, target, options),
    answer: refusedAnswerOf(bytes, target, options),
  });
}

function refusedAnswerOf(bytes: Buffer, target: URL, options: FetchJsonOptions): unknown {
  if (bytes.length >= MAX_REFUSAL_BYTES) return undefined;
  try {
    return JSON.parse(maskedText(bytes, target, options));
  } catch {
    return undefined;
  }
}

/** Seconds from Retry-After. A date is relative to the answer's own date, so that our clock does not matter. */
function retryAfterOf(headers: Headers): number | undefined {
  const answeredAtMs = Date.parse(headers.get('date') ?? '');
  const askedMs = parseRetryAfter(headers.get('retry-after') ?? '', answeredAtMs, MAX_RETRY_AFTER_MS);
  return askedMs === undefined ? undefined : Math.ceil(askedMs / 1000);
}

function excerptOf(bytes: Buffer, target: URL, options: FetchJsonOptions): string {
  return maskedText(bytes.subarray(0, MAX_EXCERPT_BYTES), target, options).slice(0, MAX_EXCERPT_CHARACTERS);
}

function maskedText(bytes: Buffer, target: URL, options: FetchJsonOptions): string {
  let text = printableText(bytes);
  for (const secret of secretsOf(target, options)) text = text.replaceAll(secret, MASK);
  return text;
}

/** Parts of the request to mask in answers, longest first, because one may contain another. */
function secretsOf(target: URL, options: FetchJsonOptions): string[] {
  return [
    target.search.slice(1),
    target.username,
    target.password,
    ...target.pathname.split('/'),
    ...target.searchParams.values(),
    ...Object.values(options.headers ?? {}),
  ]
    .filter((part) => part.length >= MIN_SECRET_CHARACTERS)
    .sort((left, right) => right.length - left.length);
}

function explain(cause: unknown, target: URL, timeout: AbortSignal, given: AbortSignal | undefined): unknown {
  if (cause instanceof FetchError) return cause;
  if (timeout.aborted || isTimeout(given)) {
    return new FetchError('timeout', `${target.origin} did not answer in time.`);
  }
  // The caller aborted: pass on its reason.
  if (given?.aborted) return given.reason;
  const code = systemCodeOf(cause);
  return new FetchError('network', `${target.origin} cannot be reached${code === undefined ? '' : ` (${code})`}.`);
}

function isTimeout(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true && signal.reason instanceof Error && signal.reason.name === 'TimeoutError';
}

/** The error code, such as ECONNREFUSED; the message may contain the address. */
function systemCodeOf(cause: unknown): string | undefined {
  const inner = cause instanceof Error ? (cause.cause ?? cause) : cause;
  const code = typeof inner === 'object' && inner !== null && 'code' in inner ? inner.code : undefined;
  return typeof code === 'string' && SYSTEM_CODE.test(code) ? code : undefined;
}
