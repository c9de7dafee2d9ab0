import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { closeServer, listen, LOOPBACK } from '../../fakes/listen.ts';
import { text } from 'node:stream/consumers';
import { findNetwork } from '../networks.ts';
import type { NetworkProfile } from '../../../src/networks/profile.ts';
import { profileOf } from '../../../src/networks/profile.ts';
import type { Call } from '../evm/backend.ts';
import { RETRY_AFTER_SECONDS } from '../provider-faults.ts';
import { RpcError } from '../json-rpc.ts';
import { seededNumbers } from '../../fakes/seeded-numbers.ts';
import type { Ledger, LedgerBlock } from './ledger.ts';
import { createLedger, dropBlocks, firstSlotOf, lastBlock, produceBlock, skipSlot, submit } from './ledger.ts';
import { answerCall } from './methods.ts';
import { installMints } from './mints.ts';
import { decodeWire } from './transaction.ts';
import type { NodeView } from './view.ts';

/**
 * A Solana node for one test or drill: a real virtual machine with simulated blocks and JSON-RPC. It produces blocks on
 * request, and fails like providers' balancers.
 */

type SolanaFault =
  /** Answers 429 with Retry-After. */
  | 'busy'
  /** Answers a page of a content delivery network with status 200. */
  | 'html'
  /** Answers JSON that is not JSON-RPC. */
  | 'foreign-json'
  /** Never answers. */
  | 'hang';

type SolanaBehaviour = Omit<NodeView, 'ledger'> & {
  /** Share of requests that go to the lagging backend, from 0 to 1. */
  staleShare: number;
  /** Whether each call of a batch goes to its own backend. */
  splitBatches: boolean;
  /** Slot at which the node stopped while it still answers; null while it moves. */
  standsAt: number | null;
  fault: SolanaFault | null;
  /** Share of requests that the fault hits, from 0 to 1. */
  faultShare: number;
};

/** One URL of the node with its own behaviour and counts: two URLs are two providers of one chain. */
export type SolanaDoor = {
  url: string;
  behave(change: Partial<SolanaBehaviour>): void;
  /** Requests and calls since the start or the last `resetCounts`, including failed ones. */
  counts(): { requests: number; calls: Record<string, number> };
  resetCounts(): void;
  stop(): Promise<void>;
};

export type SolanaNode = SolanaDoor & {
  ledger: Ledger;
  /** Produces blocks, or skips slots; the first block's time may be given, in seconds. Returns the newest block. */
  produce(count?: number, how?: { atTime?: number; skip?: boolean }): LedgerBlock;
  /** Produces enough blocks to make every earlier one final. */
  finalize(): LedgerBlock;
  /** Removes the newest blocks, as when another fork wins; `reinclude` puts their transactions into the next block. */
  drop(count: number, kept?: 'vanish' | 'reinclude'): void;
  /** Sets how many seconds the chain's own clock is behind the time at which blocks are produced. */
  delayClock(seconds: number): void;
  openDoor(change?: Partial<SolanaBehaviour>): Promise<SolanaDoor>;
};

function solanaProfile(): NetworkProfile {
  const network = findNetwork('SOL');
  if (!network) throw new Error('There is no SOL.');
  return profileOf(network);
}

export const SOLANA_PROFILE = solanaProfile();
const MAINNET_GENESIS = SOLANA_PROFILE.genesisHash;
/** Slot times to test with: today's slot time, the announced slot times, and a slot time faster than any announced. */
export const SLOT_SECONDS: readonly number[] = [
  ...new Set([SOLANA_PROFILE.blockSeconds, ...SOLANA_PROFILE.announcedBlockSeconds, 0.1]),
];
const INTERNAL = -32_603;
const INVALID_REQUEST = -32_600;

type NodeState = {
  ledger: Ledger;
  behaviour: SolanaBehaviour;
  random: () => number;
  requests: number;
  calls: Record<string, number>;
};

/** Writes integers of any size with all their digits, as nodes do. */
function toJson(value: unknown): string {
  return JSON.stringify(value, (_key, one: unknown) => (typeof one === 'bigint' ? rawNumber(one) : one));
}

function rawNumber(value: bigint): unknown {
  return (JSON as unknown as { rawJSON: (text: string) => unknown }).rawJSON(value.toString());
}

function viewOf({ ledger, behaviour, random }: NodeState): NodeView {
  const stale = random() < behaviour.staleShare;
  const lagSlots = stale ? behaviour.lagSlots : 0;
  const newest = lastBlock(ledger)?.slot ?? 0;
  return { ...behaviour, ledger, lagSlots: Math.max(lagSlots, newest - (behaviour.standsAt ?? newest)) };
}

function answer(view: NodeView, call: Call): unknown {
  const { id } = call;
  try {
    return { jsonrpc: '2.0', id, result: answerCall(view, call) };
  } catch (cause) {
    const code = cause instanceof RpcError ? cause.code : INTERNAL;
    return { jsonrpc: '2.0', id, error: { code, message: cause instanceof Error ? cause.message : String(cause) } };
  }
}

/** Answers a request. A batch that is too long is refused by one object without an id. */
function answerAll(state: NodeState, body: Call | Call[]): unknown {
  const { batchMaxCalls } = SOLANA_PROFILE;
  if (Array.isArray(body) && body.length > (batchMaxCalls ?? Infinity)) {
    const message = `Batch of ${body.length} calls is longer than ${batchMaxCalls}`;
    return { jsonrpc: '2.0', id: null, error: { code: INVALID_REQUEST, message } };
  }
  const whole = viewOf(state);
  const answers = [body].flat().map((call) => answer(state.behaviour.splitBatches ? viewOf(state) : whole, call));
  return Array.isArray(body) ? answers : answers[0];
}

function fail(fault: SolanaFault, response: ServerResponse): void {
  if (fault === 'hang') return;
  if (fault === 'busy')
    response.writeHead(429, { 'retry-after': String(RETRY_AFTER_SECONDS) }).end('Too Many Requests');
  else if (fault === 'html')
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>One moment</title>');
  else response.writeHead(200, { 'content-type': 'application/json' }).end('{"Success":false}');
}

async function handle(state: NodeState, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = JSON.parse(await text(request)) as Call | Call[];
  state.requests += 1;
  for (const { method } of [body].flat()) state.calls[method] = (state.calls[method] ?? 0) + 1;
  const { fault, faultShare } = state.behaviour;
  if (fault && state.random() < faultShare) return fail(fault, response);
  response.writeHead(200, { 'content-type': 'application/json' }).end(toJson(answerAll(state, body)));
}

function produce(ledger: Ledger, count: number, { atTime, skip = false }: { atTime?: number; skip?: boolean }) {
  for (let slot = 0; slot < count; slot += 1) {
    if (skip) skipSlot(ledger);
    else produceBlock(ledger, slot === 0 ? atTime : undefined);
  }
  const last = lastBlock(ledger);
  if (!last) throw new Error('There is no block yet.');
  return last;
}

function drop(ledger: Ledger, count: number, kept: 'vanish' | 'reinclude'): void {
  const dropped = dropBlocks(ledger, count);
  if (kept === 'reinclude') for (const { wire } of dropped) submit(ledger, decodeWire(wire));
}

function calm(ledger: Ledger): SolanaBehaviour {
  return {
    lagSlots: 0,
    staleShare: 1,
    splitBatches: false,
    standsAt: null,
    indexLagSlots: 0,
    alpenglow: false,
    finalityLag: null,
    ignoresMinContextSlot: false,
    untimed: new Set(),
    genesisHash: MAINNET_GENESIS,
    firstAvailable: firstSlotOf(ledger),
    withheld: new Set(),
    garbled: new Set(),
    versions: new Map(),
    forgetsSilently: false,
    storageUnreachable: false,
    fault: null,
    faultShare: 1,
  };
}

async function openDoor(ledger: Ledger, seed: number, change: Partial<SolanaBehaviour>): Promise<SolanaDoor> {
  const behaviour = { ...calm(ledger), ...change };
  const state: NodeState = { ledger, behaviour, random: seededNumbers(seed), requests: 0, calls: {} };
  const server = createServer((request, response) => {
    handle(state, request, response).catch(() => response.destroy());
  });
  // Idle connections are never closed: payments run in this process and may block it for longer than the usual timeout,
  // and a client would then use a connection that is being closed.
  server.keepAliveTimeout = 0;
  const port = await listen(server);
  return {
    url: `http://${LOOPBACK}:${port}`,
    behave: (more) => void Object.assign(state.behaviour, more),
    counts: () => ({ requests: state.requests, calls: { ...state.calls } }),
    resetCounts: () => void Object.assign(state, { requests: 0, calls: {} }),
    stop: () => closeServer(server),
  };
}

/**
 * Options of a node. A slot may not be longer than the network's, because code that is too slow for the network could
 * pass its tests on a slower rig.
 */
export type SolanaNodeOptions = { timestamp?: number; blockSeconds?: number; seed?: number };

export async function startSolanaNode(options: SolanaNodeOptions = {}): Promise<SolanaNode> {
  const { timestamp = 1_750_000_000, blockSeconds = SOLANA_PROFILE.blockSeconds, seed = 1 } = options;
  if (blockSeconds > SOLANA_PROFILE.blockSeconds) throw new Error('No slot is as long as that.');
  const finalityLag = Math.ceil(SOLANA_PROFILE.finalizedLagSeconds / SOLANA_PROFILE.blockSeconds);
  const ledger = createLedger({ timestamp, finalityLag, blockSeconds });
  installMints(ledger.svm);
  const doors: SolanaDoor[] = [];
  const open = async (change: Partial<SolanaBehaviour>) => {
    const door = await openDoor(ledger, seed + doors.length, change);
    doors.push(door);
    return door;
  };
  return {
    ...(await open({})),
    ledger,
    produce: (count = 1, how = {}) => produce(ledger, count, how),
    finalize: () => produce(ledger, finalityLag, {}),
    drop: (count, kept = 'vanish') => drop(ledger, count, kept),
    delayClock: (seconds) => void Object.assign(ledger, { clockBehindSeconds: seconds }),
    openDoor: (change = {}) => open(change),
    stop: async () => {
      await Promise.all(doors.map((door) => door.stop()));
    },
  };
}
