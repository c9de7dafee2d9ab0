import http from 'node:http';
import net from 'node:net';

/** Sends generated requests to the server unchanged, including requests that no well-behaved client would send. */

export type Wire = {
  method: string;
  path: string;
  headers: readonly (readonly [string, string])[];
  body: Buffer | undefined;
  /** Raw bytes for a separate socket, in place of all other fields. */
  raw?: Buffer;
};

export type Answer = { status: number; headers: ReadonlyMap<string, string>; body: string; answers: number };
/**
 * Outcome of a request: `closed` without an answer is right only when the bytes were not HTTP; `hang` is always wrong.
 */
export type Outcome = { answer: Answer } | { closed: string } | { hang: true };

/** Bounds a hang only: a server that answers later than this does not answer. */
const HANG_MS = 60_000;

export type Transport = { send(wire: Wire): Promise<Outcome>; close(): void };

export function openTransport(url: string, connections: number): Transport {
  const agent = new http.Agent({ keepAlive: true, maxSockets: connections });
  const { hostname, port } = new URL(url);
  return {
    send: (wire) =>
      wire.raw ? sendRaw(hostname, Number(port), wire.raw) : sendHttp(agent, hostname, Number(port), wire),
    close: () => agent.destroy(),
  };
}

function sendHttp(agent: http.Agent, host: string, port: number, wire: Wire): Promise<Outcome> {
  return new Promise((resolve) => {
    const request = http.request({ agent, host, port, method: wire.method, path: wire.path, setHost: false });
    const timer = setTimeout(() => {
      resolve({ hang: true });
      request.destroy();
    }, HANG_MS);
    const done = (outcome: Outcome) => {
      clearTimeout(timer);
      resolve(outcome);
    };
    request.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', (cause) => done({ closed: cause.message }));
      response.on('end', () => {
        const headers = new Map(Object.entries(response.headersDistinct).map(([name, all]) => [name, all?.[0] ?? '']));
        const body = Buffer.concat(chunks).toString('utf8');
        done({ answer: { status: response.statusCode ?? 0, headers, body, answers: 1 } });
      });
    });
    request.on('error', (cause) => done({ closed: cause.message }));
    const byName = new Map<string, string[]>([['host', [`${host}:${port}`]]]);
    for (const [name, value] of wire.headers) byName.set(name, [...(byName.get(name) ?? []), value]);
    if (wire.body) byName.set('content-length', [String(wire.body.length)]);
    for (const [name, values] of byName) request.setHeader(name, values);
    request.end(wire.body);
  });
}

const PATIENCE_MS = 1_000;

/**
 * Sends bytes and reads until the server closes. After a second the client ends its side, because some bytes announce a
 * longer request than they contain; the server need not answer after that. A `patient` client waits until the server
 * closes.
 */
export function sendRaw(host: string, port: number, bytes: Buffer, { patient = false } = {}): Promise<Outcome> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const socket = net.connect(port, host, () => socket.write(bytes));
    const impatience = patient ? undefined : setTimeout(() => socket.end(), PATIENCE_MS);
    const timer = setTimeout(() => {
      resolve({ hang: true });
      socket.destroy();
    }, HANG_MS);
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', () => {});
    socket.on('close', () => {
      clearTimeout(timer);
      clearTimeout(impatience);
      resolve(parseAnswers(Buffer.concat(chunks)));
    });
  });
}

const STATUS_LINE = /HTTP\/1\.1 (\d{3}) [^\r\n]*\r\n/g;

/** The last answer in `bytes`, and the number of answers (without 100 Continue). */
export function parseAnswers(bytes: Buffer): Outcome {
  const text = bytes.toString('utf8');
  const found = [...text.matchAll(STATUS_LINE)].filter((match) => match[1] !== '100');
  const last = found.at(-1);
  if (!last) return { closed: 'without an answer' };
  const [head = '', ...rest] = text.slice(last.index + last[0].length).split('\r\n\r\n');
  const lines = head.split('\r\n').map((line) => line.split(': '));
  const headers = new Map(lines.map(([name = '', ...value]) => [name.toLowerCase(), value.join(': ')]));
  return { answer: { status: Number(last[1]), headers, body: rest.join('\r\n\r\n'), answers: found.length } };
}
