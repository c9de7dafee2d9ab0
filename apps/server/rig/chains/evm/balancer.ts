import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Backend, Call, LogLimits } from './backend.ts';
import { askBackend } from './backend.ts';
import { closeServer, listen } from '../../fakes/listen.ts';
import { RpcError } from '../json-rpc.ts';
import type { Fault } from '../provider-faults.ts';
import { failRequest, INTERNAL, sendJson } from '../provider-faults.ts';
import { seededNumbers } from '../../fakes/seeded-numbers.ts';

/** A provider's URL in front of several backends that may disagree; faults may hit whole requests. */

type Behaviour = {
  backends: readonly Backend[];
  /** Whether each call of a batch goes to its own backend. */
  splitBatches: boolean;
  /** Whether answers of a batch come in reverse order, which JSON-RPC allows. */
  reverseBatches: boolean;
  fault: Fault | null;
  /** Share of requests that the fault hits, from 0 to 1. */
  faultShare: number;
  logLimits: LogLimits | null;
  /** How many of the next `eth_getLogs` answers with logs leave out one log. */
  lyingAnswers: number;
  /** The place of the log that such an answer leaves out; null for one drawn from the seed. */
  missingLog: number | null;
};

type BalancerCounts = { requests: number; calls: Record<string, number> };

export type Balancer = {
  url: string;
  behave(change: Partial<Behaviour>): void;
  /** Requests and calls since the start, including failed ones. */
  counts(): BalancerCounts;
  /** Number of calls that a lagging backend answered. */
  staleAnswers(): number;
  /** Refuses connections until `up`, and cuts the open connections. */
  down(): Promise<void>;
  up(): Promise<void>;
  stop(): Promise<void>;
};

type BalancerState = { behaviour: Behaviour; random: () => number; counts: BalancerCounts; staleAnswers: number };

function chooseBackend({ behaviour, random }: BalancerState): Backend {
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

function withoutOneLog(state: BalancerState, call: Call, result: unknown): unknown {
  const { behaviour, random } = state;
  if (behaviour.lyingAnswers === 0 || call.method !== 'eth_getLogs') return result;
  const logs = result as unknown[];
  if (logs.length === 0) return result;
  behaviour.lyingAnswers -= 1;
  return logs.toSpliced(behaviour.missingLog ?? Math.floor(random() * logs.length), 1);
}

async function answerCall(state: BalancerState, backend: Backend, call: Call): Promise<unknown> {
  const { id } = call;
  if ((backend.lagBlocks ?? 0) > 0) state.staleAnswers += 1;
  try {
    const result = await askBackend(backend, call, state.behaviour.logLimits);
    return { jsonrpc: '2.0', id, result: withoutOneLog(state, call, result) };
  } catch (cause) {
    if (cause instanceof RpcError) return { jsonrpc: '2.0', id, error: { code: cause.code, message: cause.message } };
    return { jsonrpc: '2.0', id, error: { code: INTERNAL, message: String(cause) } };
  }
}

async function answerAll(state: BalancerState, body: Call | Call[]): Promise<unknown> {
  const { splitBatches, reverseBatches } = state.behaviour;
  // The backend is chosen before the first call is made, so that the draw does not depend on the order of answers.
  const whole = chooseBackend(state);
  if (!Array.isArray(body)) return answerCall(state, whole, body);
  const assigned = body.map((call) => ({ call, backend: splitBatches ? chooseBackend(state) : whole }));
  const answers = await Promise.all(assigned.map(({ call, backend }) => answerCall(state, backend, call)));
  return reverseBatches ? answers.toReversed() : answers;
}

async function handle(state: BalancerState, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = JSON.parse(await text(request)) as Call | Call[];
  const { counts, behaviour, random } = state;
  counts.requests += 1;
  for (const { method } of [body].flat()) counts.calls[method] = (counts.calls[method] ?? 0) + 1;
  // A random number is drawn even when no fault is set, so that switching a fault on does not change which backends are
  // drawn.
  const unlucky = random() < behaviour.faultShare;
  if (behaviour.fault && unlucky) failRequest(behaviour.fault, body, response);
  else sendJson(response, await answerAll(state, body));
}

export type BalancerOptions = Partial<Behaviour> & { backends: readonly Backend[]; seed: number };

export async function startBalancer({ seed, ...behaviour }: BalancerOptions): Promise<Balancer> {
  const state: BalancerState = {
    behaviour: {
      splitBatches: false,
      reverseBatches: false,
      fault: null,
      faultShare: 1,
      logLimits: null,
      lyingAnswers: 0,
      missingLog: null,
      ...behaviour,
    },
    random: seededNumbers(seed),
    counts: { requests: 0, calls: {} },
    staleAnswers: 0,
  };
  const server = createServer((request, response) => {
    handle(state, request, response).catch(() => response.destroy());
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}`,
    behave: (change) => Object.assign(state.behaviour, change),
    counts: () => ({ requests: state.counts.requests, calls: { ...state.counts.calls } }),
    staleAnswers: () => state.staleAnswers,
    down: () => closeServer(server),
    up: async () => void (await listen(server, port)),
    stop: () => closeServer(server),
  };
}
