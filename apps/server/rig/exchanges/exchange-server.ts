import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { closeServer, listen, LOOPBACK } from '../fakes/listen.ts';
import type { BookOptions, BookRow, ExchangeBook } from './exchange-book.ts';
import { createExchangeBook } from './exchange-book.ts';
import type {
  FakeCounts,
  FakeExchange,
  FakeExchangeOptions,
  FakeFault,
  FakeFaultKind,
  FakePart,
  FakePlatform,
} from './fake-exchange.ts';

/** The part of a fake platform that is the same for every dialect: listens, counts requests and misbehaves on order. */

export type FakeRequest = {
  method: string;
  path: string;
  /** The query as it was sent, without its question mark: signatures are over this text. */
  query: string;
  parameters: URLSearchParams;
  /** Headers of the request; names are in lower case. */
  headers: Readonly<Record<string, string>>;
  /** The platform's time. */
  nowMs: number;
};

export type FakeAnswer = {
  status: number;
  body: unknown;
  headers?: Readonly<Record<string, string>>;
  /** Whether the request broke a documented rule. */
  isRefusal?: boolean;
  /** Whether a ban refused the request; the dialect counts bans itself. */
  isBan?: boolean;
};

/** How a dialect passes on the rows of an answer. */
export type RowView = {
  /** Takes all rows that a question matches, before the rows are cut into pages, and applies faults to them. */
  disturb: (rows: readonly BookRow[]) => BookRow[];
  /** Takes the rows of the page that is sent, and counts them. */
  serve: (rows: readonly BookRow[]) => void;
};

export type FakeDialect = {
  platform: FakePlatform;
  book: Omit<BookOptions, 'nowMs'>;
  /** Which part of the platform answers on this path; undefined where none does. */
  partOf: (path: string) => FakePart | undefined;
  /** Answers by the platform's documentation. */
  answer: (request: FakeRequest, book: ExchangeBook, view: RowView) => FakeAnswer;
  /** The platform's answer to requests that come too often, and to a banned IP address. */
  tooMany: (retryAfterSeconds: number | undefined, by: 'account' | 'address') => FakeAnswer;
  banned: (retryAfterSeconds: number) => FakeAnswer;
};

const HTML = '<html><body>We will be back soon.</body></html>';

type Faults = {
  /** Returns the ordered fault if it hits a request to this part of the platform, and counts the hit. */
  meet: (part: FakePart | undefined) => FakeFault | undefined;
  order: (fault: FakeFault | null) => void;
  counts: Partial<Record<FakeFaultKind, number>>;
};

function createFaults(): Faults {
  let ordered: FakeFault | null = null;
  let left = 0;
  const counts: Partial<Record<FakeFaultKind, number>> = {};
  return {
    counts,
    order: (fault) => {
      ordered = fault;
      left = fault?.times ?? Number.POSITIVE_INFINITY;
    },
    meet: (part) => {
      if (ordered === null || left <= 0) return undefined;
      if (ordered.part !== undefined && ordered.part !== part) return undefined;
      left -= 1;
      counts[ordered.kind] = (counts[ordered.kind] ?? 0) + 1;
      return ordered;
    },
  };
}

function writeJson(response: ServerResponse, { status, body, headers = {} }: FakeAnswer): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

/**
 * How long a request may be on its way, in real time. Where the platform's clock runs faster, the platform's receive
 * window would be over before a request arrives.
 */
const PATIENCE_MS = 60_000;
const TIME = /^(\d{13}|\d{4}-\d\d-\d\dT[\d:.]+Z)$/;

/** The time at which a request says that it was sent; undefined where the request says no time. */
function sentAt({ parameters, headers }: Pick<FakeRequest, 'parameters' | 'headers'>): number | undefined {
  const said = [parameters.get('timestamp') ?? '', ...Object.values(headers)].find((value) => TIME.test(value));
  return said === undefined ? undefined : new Date(/^\d+$/.test(said) ? Number(said) : said).getTime();
}

function readRequest(request: IncomingMessage, nowMs: number, rate: number): FakeRequest {
  const [path = '/', query = ''] = (request.url ?? '/').split('?', 2);
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.headers)) headers[name] = String(value);
  const parts = { method: request.method ?? 'GET', path, query, parameters: new URLSearchParams(query), headers };
  const sentMs = rate > 1 ? sentAt(parts) : undefined;
  const isOnItsWay = sentMs !== undefined && sentMs <= nowMs && nowMs - sentMs <= PATIENCE_MS * rate;
  return { ...parts, nowMs: isOnItsWay ? sentMs : nowMs };
}

/** Applies faults of transport; true when a fault has ended the request. */
function breakTransport(fault: FakeFault | undefined, response: ServerResponse): boolean {
  if (fault?.kind === 'error') response.writeHead(fault.status, { 'content-type': 'text/html' }).end(HTML);
  else if (fault?.kind === 'html') response.writeHead(200, { 'content-type': 'text/html' }).end(HTML);
  else if (fault?.kind === 'malformed') writeJson(response, { status: 200, body: { result: { rows: 7 } } });
  else return fault?.kind === 'slow';
  return true;
}

function cutAnswer(response: ServerResponse, answer: FakeAnswer): void {
  const text = JSON.stringify(answer.body);
  response.writeHead(answer.status, { 'content-type': 'application/json', 'content-length': text.length + 1 });
  response.write(text.slice(0, Math.ceil(text.length / 2)), () => response.socket?.destroy());
}

const newestOf = (rows: readonly BookRow[]) =>
  rows.reduce<BookRow | undefined>((last, row) => (last && last.atMs > row.atMs ? last : row), undefined);

/** Leaves out the newest row, like an index that lags behind. */
function hideNewest(rows: readonly BookRow[], nowMs: number, youngerThanMs = Number.POSITIVE_INFINITY): BookRow[] {
  const newest = newestOf(rows);
  return rows.filter((row) => row !== newest || nowMs - row.atMs >= youngerThanMs);
}

function disturbRows(rows: readonly BookRow[], fault: FakeFault | undefined, nowMs: number): BookRow[] {
  if (fault?.kind === 'duplicates') return rows.flatMap((row) => [row, row]);
  if (fault?.kind === 'hidden') return hideNewest(rows, nowMs, fault.youngerThanMs);
  if (fault?.kind !== 'shuffled') return [...rows];
  // The order is neither ascending nor descending: rows at odd places come first.
  return [...rows.filter((_, place) => place % 2 === 1), ...rows.filter((_, place) => place % 2 === 0)];
}

function countRows(counts: FakeCounts, rows: readonly BookRow[]): void {
  counts.rows += rows.length;
  counts.duplicates += rows.length - new Set(rows).size;
  for (const row of rows) {
    if (!row.wasShown && row.visibleAtMs > row.atMs) counts.lateRows += 1;
    row.wasShown = true;
  }
}

/**
 * Adds a row without money beside the newest row of the exchange account that asked, which shifts the following pages.
 */
function arrive(request: FakeRequest, book: ExchangeBook): void {
  const account = Object.values(request.headers)
    .map((value) => book.accountOfKey(value))
    .find((found) => found !== undefined);
  const newest = account && book.rowsOf(account.uid).at(-1);
  if (newest) book.pay(newest.uid, { token: 'USDT', amount: '0', atMs: newest.atMs });
}

export async function startExchangeServer(
  dialect: FakeDialect,
  { clock, port = 0 }: FakeExchangeOptions,
): Promise<FakeExchange> {
  let skewMs = 0;
  const nowMs = () => clock.nowMs() + skewMs;
  const book = createExchangeBook({ ...dialect.book, nowMs });
  const faults = createFaults();
  const paths: Record<string, number> = {};
  const counts: FakeCounts = {
    requests: 0,
    refused: 0,
    rows: 0,
    duplicates: 0,
    hidden: 0,
    lateRows: 0,
    bans: 0,
    faults: faults.counts,
    paths,
  };

  function answerOf(request: FakeRequest, fault: FakeFault | undefined): FakeAnswer {
    if (fault?.kind === 'rate') return dialect.tooMany(fault.retryAfterSeconds, fault.by ?? 'account');
    if (fault?.kind === 'ban') return { ...dialect.banned(fault.retryAfterSeconds), isBan: true };
    return dialect.answer(request, book, {
      disturb: (rows) => {
        const shown = disturbRows(rows, fault, nowMs());
        counts.hidden += Math.max(0, rows.length - shown.length);
        return shown;
      },
      serve: (rows) => countRows(counts, rows),
    });
  }

  const server = createServer((incoming, response) => {
    const request = readRequest(incoming, nowMs(), clock.rate ?? 1);
    counts.requests += 1;
    paths[request.path] = (paths[request.path] ?? 0) + 1;
    const fault = faults.meet(dialect.partOf(request.path));
    if (breakTransport(fault, response)) return;
    const answer = answerOf(request, fault);
    if (answer.isRefusal === true) counts.refused += 1;
    if (answer.isBan === true) counts.bans += 1;
    if (fault?.kind === 'cut') cutAnswer(response, answer);
    else writeJson(response, answer);
    if (fault?.kind === 'arriving') arrive(request, book);
  });
  const listening = await listen(server, port);

  return {
    url: `http://${LOOPBACK}:${listening}`,
    platform: dialect.platform,
    openAccount: book.openAccount,
    pay: book.pay,
    settle: book.settle,
    vanish: book.vanish,
    restore: book.restore,
    refund: book.refund,
    misbehave: faults.order,
    skew: (ms) => {
      skewMs = ms;
    },
    nowMs,
    counts: () => structuredClone(counts),
    stop: () => closeServer(server),
  };
}
