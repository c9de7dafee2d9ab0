import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Anvil } from '../evm/anvil.ts';
import { startAnvil } from '../evm/anvil.ts';
import { closeServer, listen } from '../../fakes/listen.ts';
import { RpcError } from '../json-rpc.ts';
import { seededNumbers } from '../../fakes/seeded-numbers.ts';
import type { EvmNode, TronView } from './block.ts';
import { TRON_CHAIN_ID } from './block.ts';
import type { TronLimits, TronPort } from './json-rpc.ts';
import { askTronRpc } from './json-rpc.ts';
import { askTronWallet } from './wallet.ts';

/**
 * A simulated Tron node: java-tron's protocol in front of a real EVM node. `/jsonrpc` is the full node's port,
 * `/solidity/jsonrpc` and `/pbft/jsonrpc` are those of its solidified and PBFT views.
 */

export type TronFault =
  /** Rate limiter of the node: status 200 without JSON-RPC. */
  | 'limiter'
  /** Quota of the gateway: an HTTP status with a text. */
  | 429
  | 403
  | 503
  | 'html'
  | 'reset';

export type TronBehaviour = TronLimits & {
  /** Distance of the solidified block behind the head, in blocks. */
  solidLag: number;
  /** Lag of lagging backends in blocks, and their share of requests. */
  lagBlocks: number;
  lagShare: number;
  /** Whether each call of a batch may be answered by another backend. */
  splitBatches: boolean;
  fault: TronFault | null;
  /** Changes answers of the HTTP interface by path, and of JSON-RPC by method, as a lying gateway would. */
  wallet: ((path: string, answer: unknown) => unknown) | null;
  rpc: ((method: string, result: unknown) => unknown) | null;
};

type TronCounts = {
  requests: number;
  calls: Record<string, number>;
  /** Refusals because of the node's limits. */
  limits: Record<'calls' | 'bytes' | 'range' | 'results', number>;
};

export type TronNode = {
  /** Base URL of the node; paths are appended. */
  url: string;
  anvil: Anvil;
  behave(change: Partial<TronBehaviour>): void;
  counts(): TronCounts;
  /** API key of the last request. */
  lastKey(): string | undefined;
  staleAnswers(): number;
  down(): Promise<void>;
  up(): Promise<void>;
  stop(): Promise<void>;
};

const INTERNAL = -32_603;
const LIMIT_EXCEEDED = -32_005;
const TOO_LARGE = -32_003;
const SOLID_LAG = 19;
export const LIMITER_ANSWER = { Error: 'class java.lang.IllegalAccessException : lack of computing resources' };

export const TRON_DEFAULTS: TronBehaviour = {
  solidLag: SOLID_LAG,
  maxBatchCalls: 100,
  maxAnswerBytes: 26_214_400,
  maxBlockRange: 5_000,
  maxSubTopics: 1_000,
  maxResults: 10_000,
  timestampInLogs: true,
  unindexed: null,
  lagBlocks: 0,
  lagShare: 0,
  splitBatches: false,
  fault: null,
  wallet: null,
  rpc: null,
};

type NodeState = {
  evm: EvmNode;
  behaviour: TronBehaviour;
  random: () => number;
  counts: TronCounts;
  staleAnswers: number;
  lastKey: string | undefined;
};

type Call = { id: unknown; method: string; params?: unknown[] };

/** Draws the backend that answers: a backend that is behind at the head is as far behind with its solidified block. */
async function chooseView(state: NodeState): Promise<TronView> {
  const { evm, behaviour, random } = state;
  const stale = random() < behaviour.lagShare;
  const newest = Number(await evm.rpc<string>('eth_blockNumber'));
  if (stale) state.staleAnswers += 1;
  const head = Math.max(0, newest - (stale ? behaviour.lagBlocks : 0));
  return { chain: evm, head, solid: Math.max(0, head - behaviour.solidLag) };
}

async function answerCall(state: NodeState, view: TronView, port: TronPort, call: Call): Promise<unknown> {
  const { id, method, params = [] } = call;
  try {
    const found = await askTronRpc({ view, port, limits: state.behaviour }, method, params);
    const result = state.behaviour.rpc ? state.behaviour.rpc(method, found) : found;
    return { jsonrpc: '2.0', id, result };
  } catch (cause) {
    const code = cause instanceof RpcError ? cause.code : INTERNAL;
    const message = cause instanceof Error ? cause.message : String(cause);
    if (message.startsWith('exceed max block range')) state.counts.limits.range += 1;
    if (message.startsWith('query returned more than')) state.counts.limits.results += 1;
    return { jsonrpc: '2.0', id, error: { code, message, data: '{}' } };
  }
}

type Refused = { jsonrpc: '2.0'; id: unknown; error: { code: number; message: string } };
const refusal = (id: unknown, code: number, message: string): Refused => ({
  jsonrpc: '2.0',
  id,
  error: { code, message },
});

/** Text of an answer. A refused batch is answered by one object without an id. */
async function answerRpc(state: NodeState, port: TronPort, body: Call | Call[]): Promise<string> {
  const { maxBatchCalls, maxAnswerBytes, splitBatches } = state.behaviour;
  if (Array.isArray(body) && body.length > maxBatchCalls) {
    state.counts.limits.calls += 1;
    const words = `Batch size ${body.length} exceeds the limit of ${maxBatchCalls}`;
    return JSON.stringify(refusal(null, LIMIT_EXCEEDED, words));
  }
  const whole = await chooseView(state);
  const answers: unknown[] = [];
  for (const call of [body].flat()) {
    const view = splitBatches ? await chooseView(state) : whole;
    answers.push(await answerCall(state, view, port, call));
  }
  const answer = JSON.stringify(Array.isArray(body) ? answers : answers[0]);
  if (answer.length <= maxAnswerBytes) return answer;
  state.counts.limits.bytes += 1;
  const words = `Response byte size exceeds the limit of ${maxAnswerBytes}`;
  return JSON.stringify(refusal(Array.isArray(body) ? null : body.id, TOO_LARGE, words));
}

function sendText(response: ServerResponse, body: string, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json;charset=utf-8' }).end(body);
}

const send = (response: ServerResponse, body: unknown, status = 200): void =>
  sendText(response, JSON.stringify(body), status);

function fail(fault: TronFault, response: ServerResponse): void {
  if (fault === 'limiter') send(response, LIMITER_ANSWER);
  else if (fault === 'reset') response.socket?.resetAndDestroy();
  else if (fault === 'html')
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>One moment</title>');
  else send(response, { Success: false, Error: 'The key exceeds the frequency limit, and is suspended.' }, fault);
}

function portOf(path: string): TronPort | undefined {
  if (path === '/jsonrpc') return 'full';
  if (path === '/solidity/jsonrpc') return 'solidity';
  return path === '/pbft/jsonrpc' ? 'pbft' : undefined;
}

async function handle(state: NodeState, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = JSON.parse((await text(request)) || '{}') as unknown;
  const path = request.url ?? '';
  const port = portOf(path);
  const { counts, behaviour } = state;
  const key = request.headers['tron-pro-api-key'];
  state.lastKey = typeof key === 'string' ? key : undefined;
  counts.requests += 1;
  for (const name of port ? ([body].flat() as Call[]).map(({ method }) => method) : [path]) {
    counts.calls[name] = (counts.calls[name] ?? 0) + 1;
  }
  if (behaviour.fault !== null) return fail(behaviour.fault, response);
  if (port) return sendText(response, await answerRpc(state, port, body as Call | Call[]));
  const answer = await askTronWallet(await chooseView(state), path, body as Record<string, number>);
  if (answer === undefined) return send(response, { Error: 'not found' }, 404);
  send(response, behaviour.wallet ? behaviour.wallet(path, answer) : answer);
}

export type TronOptions = Partial<TronBehaviour> & { seed?: number; timestamp?: number };

/** Opens the HTTP side of a node whose blocks come from `evm`. */
export async function openTronDoor(
  evm: EvmNode,
  { seed = 1, ...behaviour }: Omit<TronOptions, 'timestamp'> = {},
): Promise<Omit<TronNode, 'anvil'>> {
  const state: NodeState = {
    evm,
    behaviour: { ...TRON_DEFAULTS, ...behaviour },
    random: seededNumbers(seed),
    counts: { requests: 0, calls: {}, limits: { calls: 0, bytes: 0, range: 0, results: 0 } },
    staleAnswers: 0,
    lastKey: undefined,
  };
  const server = createServer((request, response) => {
    handle(state, request, response).catch(() => response.destroy());
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}`,
    behave: (change) => Object.assign(state.behaviour, change),
    counts: () => structuredClone(state.counts),
    lastKey: () => state.lastKey,
    staleAnswers: () => state.staleAnswers,
    down: () => closeServer(server),
    up: async () => void (await listen(server, port)),
    stop: () => closeServer(server),
  };
}

/** Starts a Tron node with its own EVM node; both are stopped together. */
export async function startTronNode({ timestamp, ...options }: TronOptions = {}): Promise<TronNode> {
  const anvil = await startAnvil({ chainId: TRON_CHAIN_ID, ...(timestamp !== undefined && { timestamp }) });
  const door = await openTronDoor(anvil, options);
  return {
    ...door,
    anvil,
    stop: async () => {
      await door.stop();
      await anvil.stop();
    },
  };
}
