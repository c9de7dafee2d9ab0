import type { ClientHttp2Session } from 'node:http2';
import { connect } from 'node:http2';
import type { IncomingHttpHeaders } from 'node:http';
import { request as requestPlain } from 'node:http';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import type { Readable } from 'node:stream';
import { LOOPBACK } from '../../apps/server/rig/fakes/listen.ts';

/** Calls to host names that resolve nowhere: they go to loopback, with certificate checks. */

export type Answer = { status: number; headers: IncomingHttpHeaders; text: string };

export type Call = {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  /** Certificate of the trusted authority; required for https. */
  ca?: string;
  /** Address of this machine that the call comes from. */
  from?: string;
};

const TIMEOUT_MS = 60_000;

/** Calls an address over HTTP/1.1. */
export function call(url: string, { method = 'GET', headers = {}, body, ca, from }: Call = {}): Promise<Answer> {
  const { protocol, hostname, port, host, pathname, search } = new URL(url);
  const asked = {
    host: LOOPBACK,
    port,
    path: `${pathname}${search}`,
    method,
    headers: { host, ...headers },
    agent: false,
    signal: AbortSignal.timeout(TIMEOUT_MS),
    ...(from !== undefined && { localAddress: from }),
  };
  return new Promise((resolve, reject) => {
    const outgoing = protocol === 'https:' ? request({ ...asked, servername: hostname, ca }) : requestPlain(asked);
    outgoing.once('error', reject).once('response', (response) => {
      text(response).then(
        (said) => resolve({ status: response.statusCode ?? 0, headers: response.headers, text: said }),
        reject,
      );
    });
    outgoing.end(body);
  });
}

type Arrival = { event: string; id: string };

export type EventReader = {
  protocol: string;
  /** Events so far. */
  arrivals: Arrival[];
  /** Whether the other end has ended the stream. */
  isOver(): boolean;
  close(): void;
};

function readEvents(stream: Readable, reader: Pick<EventReader, 'arrivals'>): () => boolean {
  let rest = '';
  let over = false;
  stream.setEncoding('utf8');
  stream.on('data', (chunk: string) => {
    const blocks = `${rest}${chunk}`.split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1] ?? '';
      if (field('event') !== '') reader.arrivals.push({ event: field('event'), id: field('id') });
    }
  });
  for (const end of ['end', 'close', 'error']) stream.on(end, () => (over = true));
  return () => over;
}

/** Opens a stream of events over HTTP/1.1, with or without TLS. */
export function openEvents(url: string, { headers = {}, ca }: Call = {}): Promise<EventReader> {
  const { protocol, hostname, port, host, pathname } = new URL(url);
  const asked = { host: LOOPBACK, port, path: pathname, headers: { host, ...headers }, agent: false };
  return new Promise((resolve, reject) => {
    const outgoing = protocol === 'https:' ? request({ ...asked, servername: hostname, ca }) : requestPlain(asked);
    outgoing.on('error', reject).once('response', (response) => {
      const arrivals: Arrival[] = [];
      const isOver = readEvents(response, { arrivals });
      resolve({ protocol: `http/${response.httpVersion}`, arrivals, isOver, close: () => outgoing.destroy() });
    });
    outgoing.end();
  });
}

/** Opens a stream of events over HTTP/2. */
export function openEventsOverHttp2(url: string, ca: string): Promise<EventReader> {
  const { hostname, port, host, pathname } = new URL(url);
  const session: ClientHttp2Session = connect(`https://${LOOPBACK}:${port}`, { ca, servername: hostname });
  return new Promise((resolve, reject) => {
    session.once('error', reject).once('connect', () => {
      const stream = session.request({ ':path': pathname, ':authority': host });
      const arrivals: Arrival[] = [];
      const isOver = readEvents(stream, { arrivals });
      resolve({ protocol: session.alpnProtocol ?? '', arrivals, isOver, close: () => session.destroy() });
    });
  });
}
