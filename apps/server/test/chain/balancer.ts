import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Backend, Call, LogLimits } from './backend.ts';
import { askBackend } from './backend.ts';
import { RpcError } from './json-rpc.ts';
import { seededNumbers } from './seeded.ts';

/** A provider's address: backends that disagree behind one door, and all that a provider does instead of answering. */

export type Fault =
  /** The connection is cut without an answer. */
  | 'reset'
  /** Nothing is ever answered. */
  | 'hang'
  /** 429 with Retry-After. */
  | 'busy'
  /** A page of a content delivery network, under status 200. */
  | 'html'
  /** JSON, but not JSON-RPC, as some gateways' limiters answer. */
  | 'foreign-json'
  /** Status 200, and an error object for each call. */
  | 'error-each'
  /** Status 200, and one error object without an id, also for a batch. */
  | 'error-whole';

export type Behaviour = {
  backends: readonly Backend[];
  /** Each call of a batch goes to a backend of its own. */
  splitBatches: boolean;
  /** The answers of a batch stand in the opposite order, which JSON-RPC allows. */
  reverseBatches: boolean;
  fault: Fault | null;
  /** How many of the requests the fault befalls, from 0 to 1. */
  faultShare: number;
  logLimits: LogLimits | null;
  /** The next so many `eth_getLogs` answers that hold logs come without one of them. */
  lyingAnswers: number;
};

export type BalancerCounts = { requests: number; calls: Record<string, number> };

export type Balancer = {
  url: string;
  behave(change: Partial<Behaviour>): void;
  /** Since the start, whatever became of them. */
  counts(): BalancerCounts;
  /** How many calls were answered by a backend that is behind. */
  staleAnswers(): number;
  /** Connections are refused until `up`, and the open ones are cut. */
  down(): Promise<void>;
  up(): Promise<void>;
  stop(): Promise<void>;
};

const HOST = '127.0.0.1';
export const RETRY_AFTER_SECONDS = 7;
const LIMIT_EXCEEDED = -32_005;
const INTERNAL = -32_603;

type Desk = { behaviour: Behaviour; random: () => number; counts: BalancerCounts; staleAnswers: number };

function chooseBackend({ behaviour, random }: Desk): Backend {
  const { backends } = behaviour;
  const total = backends.reduce((sum, backend) => sum + (backend.share ?? 1), 0);
  let point = random() * total;
  const chosen = backends.find((backend) => {
    point -= backend.share ?? 1;
    return point < 0;
  });
  if (!chosen) throw new Error('The balancer has no backend.');
  return chosen;
}

function withoutOneLog(desk: Desk, call: Call, result: unknown): unknown {
  const { behaviour, random } = desk;
  if (behaviour.lyingAnswers === 0 || call.method !== 'eth_getLogs') return result;
  const logs = result as unknown[];
  if (logs.length === 0) return result;
  behaviour.lyingAnswers -= 1;
  return logs.toSpliced(Math.floor(random() * logs.length), 1);
}

async function answerCall(desk: Desk, backend: Backend, call: Call): Promise<unknown> {
  const { id } = call;
  if ((backend.lagBlocks ?? 0) > 0) desk.staleAnswers += 1;
  try {
    const result = await askBackend(backend, call, desk.behaviour.logLimits);
    return { jsonrpc: '2.0', id, result: withoutOneLog(desk, call, result) };
  } catch (cause) {
    if (cause instanceof RpcError) return { jsonrpc: '2.0', id, error: { code: cause.code, message: cause.message } };
    return { jsonrpc: '2.0', id, error: { code: INTERNAL, message: String(cause) } };
  }
}

async function answerAll(desk: Desk, body: Call | Call[]): Promise<unknown> {
  const { splitBatches, reverseBatches } = desk.behaviour;
  // Chosen before the first call is made, so that the draw does not depend on which answer comes first.
  const whole = chooseBackend(desk);
  if (!Array.isArray(body)) return answerCall(desk, whole, body);
  const assigned = body.map((call) => ({ call, backend: splitBatches ? chooseBackend(desk) : whole }));
  const answers = await Promise.all(assigned.map(({ call, backend }) => answerCall(desk, backend, call)));
  return reverseBatches ? answers.toReversed() : answers;
}

function sendJson(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** What a provider does instead of answering. */
export function failRequest(fault: Fault, body: Call | Call[], response: ServerResponse): void {
  switch (fault) {
    case 'hang':
      return;
    case 'reset':
      response.socket?.resetAndDestroy();
      return;
    case 'busy':
      response.writeHead(429, { 'retry-after': String(RETRY_AFTER_SECONDS) }).end('Too Many Requests');
      return;
    case 'html':
      response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>One moment</title>');
      return;
    case 'foreign-json':
      sendJson(response, { Success: false, Error: 'The key exceeds the frequency limit.' });
      return;
    case 'error-whole':
      sendJson(response, { jsonrpc: '2.0', id: null, error: { code: LIMIT_EXCEEDED, message: 'limit exceeded' } });
      return;
    case 'error-each': {
      const error = { code: INTERNAL, message: 'internal error' };
      const answers = [body].flat().map(({ id }) => ({ jsonrpc: '2.0', id, error }));
      sendJson(response, Array.isArray(body) ? answers : answers[0]);
    }
  }
}

async function handle(desk: Desk, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = JSON.parse(await text(request)) as Call | Call[];
  const { counts, behaviour, random } = desk;
  counts.requests += 1;
  for (const { method } of [body].flat()) counts.calls[method] = (counts.calls[method] ?? 0) + 1;
  // Drawn even without a fault: switching one on does not change what the backends are drawn for.
  const unlucky = random() < behaviour.faultShare;
  if (behaviour.fault && unlucky) failRequest(behaviour.fault, body, response);
  else sendJson(response, await answerAll(desk, body));
}

export async function listen(server: Server, port: number): Promise<number> {
  server.listen(port, HOST);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

export async function close(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}

export type BalancerOptions = Partial<Behaviour> & { backends: readonly Backend[]; seed: number };

export async function startBalancer({ seed, ...behaviour }: BalancerOptions): Promise<Balancer> {
  const desk: Desk = {
    behaviour: {
      splitBatches: false,
      reverseBatches: false,
      fault: null,
      faultShare: 1,
      logLimits: null,
      lyingAnswers: 0,
      ...behaviour,
    },
    random: seededNumbers(seed),
    counts: { requests: 0, calls: {} },
    staleAnswers: 0,
  };
  const server = createServer((request, response) => {
    handle(desk, request, response).catch(() => response.destroy());
  });
  const port = await listen(server, 0);
  return {
    url: `http://${HOST}:${port}`,
    behave: (change) => Object.assign(desk.behaviour, change),
    counts: () => ({ requests: desk.counts.requests, calls: { ...desk.counts.calls } }),
    staleAnswers: () => desk.staleAnswers,
    down: () => close(server),
    up: async () => void (await listen(server, port)),
    stop: () => close(server),
  };
}
