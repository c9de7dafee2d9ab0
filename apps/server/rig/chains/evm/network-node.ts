import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Hex } from 'viem';
import type { Clock } from '../../../src/lib/clock.ts';
import type { Call } from './backend.ts';
import type { Fault } from '../provider-faults.ts';
import { closeServer, listen } from '../../fakes/listen.ts';
import { failRequest } from '../provider-faults.ts';
import type { Answered } from './network-batch.ts';
import { answerOne, refuseCalls, writeBatch, writeSingle } from './network-batch.ts';
import type { NetworkChain } from './network-chain.ts';
import { startNetworkChain } from './network-chain.ts';
import type { FaultCounts, HiddenLog, NodeBackend, NodeFaults } from './network-faults.ts';
import { hiddenKey, NO_FAULTS, noCounts } from './network-faults.ts';
import { askNode } from './network-methods.ts';
import type { NodeView } from './network-view.ts';
import { viewOf } from './network-view.ts';
import { seededNumbers } from '../../fakes/seeded-numbers.ts';

/**
 * Simulated providers of an EVM network that behave as its profile says: block times, distances of tags, limits and
 * refusals. A test chooses the network, the clock, whose pace scales all times together, and faults in addition to the
 * profile.
 */

type RequestFaults = {
  /** Fault of whole requests, and the share of requests that it hits, from 0 to 1. */
  fault: Fault | null;
  faultShare: number;
};

export type NetworkProvider = {
  url: string;
  behave(change: Partial<NodeFaults & RequestFaults>): void;
  /**
   * Hides a log from the index: permanently, for seconds of the chain's clock, or in a number of answers that would
   * include it.
   */
  hideLog(transactionHash: Hex, place: number, until?: { seconds?: number; answers?: number }): void;
  /** Requests, calls and faults since the start, including failed requests. */
  counts(): FaultCounts & { requests: number; calls: Record<string, number> };
  /** Refuses connections until `up`, and cuts the open connections. */
  down(): Promise<void>;
  up(): Promise<void>;
  stop(): Promise<void>;
};

export type NetworkNode = {
  chain: NetworkChain;
  /** The first provider; other providers see the same chain with their own faults. */
  provider: NetworkProvider;
  openProvider(faults?: Partial<NodeFaults & RequestFaults>): Promise<NetworkProvider>;
  stop(): Promise<void>;
};

export type NetworkNodeOptions = {
  /** Symbol of the simulated network. */
  network: string;
  /** The chain's clock. Its pace is the only difference of times from the real world. */
  clock: Clock;
  seed?: number;
  faults?: Partial<NodeFaults & RequestFaults>;
};

type NodeState = {
  chain: NetworkChain;
  faults: NodeFaults & RequestFaults;
  random: () => number;
  counts: FaultCounts & { requests: number; calls: Record<string, number> };
  hidden: Map<string, HiddenLog>;
};

const SECOND_MS = 1_000;

function chooseBackend({ faults, random }: NodeState): NodeBackend {
  const total = faults.backends.reduce((sum, { share }) => sum + share, 0);
  let point = random() * total;
  const chosen = faults.backends.find(({ share }) => {
    point -= share;
    return point < 0;
  });
  if (!chosen) throw new Error('The provider has no backend.');
  return chosen;
}

function openView(state: NodeState, { lagBlocks }: NodeBackend): NodeView {
  const { chain, faults, counts, hidden, random } = state;
  return viewOf({ chain, faults, counts, hidden, random }, lagBlocks);
}

function answerCall(state: NodeState, backend: NodeBackend, call: Call): Promise<Answered> {
  if (backend.lagBlocks > 0) state.counts.staleAnswers += 1;
  return answerOne(call, () => askNode(openView(state, backend), call.method, call.params ?? []));
}

async function answerAll(state: NodeState, body: Call | Call[]): Promise<string> {
  const { faults, chain, counts } = state;
  const whole = chooseBackend(state);
  if (!Array.isArray(body)) return writeSingle(await answerCall(state, whole, body));
  const refused = refuseCalls(chain.profile, counts, body);
  if (refused !== undefined) return refused;
  const assigned = body.map((call) => ({ call, backend: faults.splitBatches ? chooseBackend(state) : whole }));
  if (new Set(assigned.map(({ backend }) => backend.lagBlocks)).size > 1) counts.splitBatches += 1;
  const answers = await Promise.all(assigned.map(({ call, backend }) => answerCall(state, backend, call)));
  return writeBatch(chain.profile, counts, body, answers, faults.reverseBatches);
}

async function handle(state: NodeState, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = JSON.parse(await text(request)) as Call | Call[];
  const { counts, faults, random } = state;
  counts.requests += 1;
  for (const { method } of [body].flat()) counts.calls[method] = (counts.calls[method] ?? 0) + 1;
  // A random number is drawn even when no fault is set, so that switching a fault on does not change which backends are
  // drawn.
  const unlucky = random() < faults.faultShare;
  if (faults.fault && unlucky) return failRequest(faults.fault, body, response);
  response.writeHead(200, { 'content-type': 'application/json' }).end(await answerAll(state, body));
}

async function openProvider(
  chain: NetworkChain,
  seed: number,
  faults: Partial<NodeFaults & RequestFaults>,
): Promise<NetworkProvider> {
  const state: NodeState = {
    chain,
    faults: { ...NO_FAULTS, fault: null, faultShare: 1, ...faults },
    random: seededNumbers(seed),
    counts: { ...noCounts(), requests: 0, calls: {} },
    hidden: new Map(),
  };
  const server = createServer((request, response) => {
    handle(state, request, response).catch(() => response.destroy());
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}`,
    behave: (change) => Object.assign(state.faults, change),
    hideLog: (transactionHash, place, { seconds, answers } = {}) => {
      const untilMs = seconds === undefined ? null : chain.clock.nowMs() + seconds * SECOND_MS;
      const hidden = { transactionHash, place, untilMs, answers: answers ?? null };
      state.hidden.set(hiddenKey(transactionHash, place), hidden);
    },
    counts: () => structuredClone(state.counts),
    down: () => closeServer(server),
    up: async () => void (await listen(server, port)),
    stop: () => closeServer(server),
  };
}

export async function startNetworkNode(options: NetworkNodeOptions): Promise<NetworkNode> {
  const { network, clock, seed = 1, faults = {} } = options;
  const chain = await startNetworkChain(network, clock);
  const providers: NetworkProvider[] = [];
  const open = async (more: Partial<NodeFaults & RequestFaults> = {}) => {
    const provider = await openProvider(chain, seed + providers.length, more);
    providers.push(provider);
    return provider;
  };
  return {
    chain,
    provider: await open(faults),
    openProvider: open,
    stop: async () => {
      await Promise.all(providers.map((provider) => provider.stop()));
      await chain.stop();
    },
  };
}
