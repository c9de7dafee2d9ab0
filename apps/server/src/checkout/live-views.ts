import type { CheckoutView } from '@counterfoil/checkout/checkout-view';
import type pg from 'pg';
import type { Logger } from 'pino';
import type { Clock } from '../lib/clock.ts';
import { sleep } from '../lib/loop.ts';
import { readChanges, readPosition } from '../invoices/change-feed-sql.ts';
import { SELECTION_CLOSES_SECONDS } from '../quotes/quote.ts';
import type { CheckoutFacts } from './checkout-facts-sql.ts';
import { tagOf } from './checkout-view.ts';
import { beatText, eventText } from './event-stream.ts';
import type { PageAddress } from './page-address.ts';
import { addressKey } from './page-address.ts';
import type { ReadSurroundings, Surroundings } from './network-conditions.ts';
import type { AskingViewer, NewViewer, ViewerRefusal, ViewerLimits, Viewers, Watched } from './viewers.ts';
import { AFTER_PAID_MS, BEAT_MS, createViewers, enter, leave, refusalFor } from './viewers.ts';

/**
 * One loop serves all viewers, so that its cost grows with changes instead of viewers: it reads the change feed and the
 * changed invoices with viewers, and sends them whole views.
 */

type WatchOptions = {
  pool: pg.Pool;
  /** Decides when selection closes and when an invoice ends. */
  clock: Clock;
  /** For heartbeats, stream lifetimes and stalled viewers. */
  steadyClock: Clock;
  log: Pick<Logger, 'warn'>;
  readFacts: (transIds: readonly string[]) => Promise<(CheckoutFacts | undefined)[]>;
  readSurroundings: ReadSurroundings;
  view: (facts: CheckoutFacts, surroundings: Surroundings, address: PageAddress) => CheckoutView;
  limits: ViewerLimits;
  pollMs?: number;
};

export type Watching = {
  /** Why another viewer is refused, if so. */
  refusalFor(asking: AskingViewer): ViewerRefusal | undefined;
  /** Adds a viewer who has `view`; returns a function that removes them. */
  watch(viewer: NewViewer): () => void;
  viewers(): number;
  /** Age of the last feed read; 0 without viewers. */
  lagSeconds(): number;
  close(): Promise<void>;
};

const POLL_MS = 200;
const MAX_STUCK_MS = 30_000;
const MAX_CHANGES = 20_000;
const READ_TOGETHER = 250;
/** Most batches before the feed is read again. */
const MAX_BATCHES = 40;
const MAX_BACKOFF_MS = 5_000;

/** When an open invoice's view next changes with time: selection closes, or its time ends. */
function nextDueMs(facts: CheckoutFacts, nowMs: number): number {
  const endMs = facts.expiresAt.getTime();
  const closesMs = endMs - SELECTION_CLOSES_SECONDS * 1000;
  if (facts.status !== 'waiting' || nowMs > endMs) return Infinity;
  return (nowMs <= closesMs ? closesMs : endMs) + 1;
}

/** Reads the change feed. Without a position, as after a failure, every watched invoice is read again. */
async function readFeed(state: Viewers, options: WatchOptions): Promise<void> {
  const { position } = state;
  state.position = undefined;
  if (position === undefined) {
    state.position = await readPosition(options.pool);
    for (const watched of state.watched.values()) state.dirty.add(watched);
    return;
  }
  const { next, invoiceIds } = await readChanges(options.pool, position, MAX_CHANGES);
  // A full read may be incomplete: without a position, every watched invoice is read again.
  if (invoiceIds.length === MAX_CHANGES) return;
  for (const invoiceId of invoiceIds) {
    const watched = state.watched.get(invoiceId);
    if (watched) state.dirty.add(watched);
  }
  state.position = next;
}

function sameOffers(left: Surroundings, right: Surroundings): boolean {
  if (left.priced.size !== right.priced.size || ![...left.priced].every((token) => right.priced.has(token)))
    return false;
  const networks = new Set([...left.chains.keys(), ...right.chains.keys()]);
  return [...networks].every((network) => left.chains.get(network)?.state === right.chains.get(network)?.state);
}

/** Reads shared state: heights change views with confirmations, network states and prices change all. */
async function readShared(state: Viewers, options: WatchOptions): Promise<Surroundings> {
  const before = state.surroundings;
  const now = await options.readSurroundings();
  state.surroundings = now;
  // `readSurroundings` caches: the same object means that nothing changed.
  if (!before || (before.chains === now.chains && before.priced === now.priced)) return now;
  const offersChanged = !sameOffers(before, now);
  for (const watched of state.watched.values()) {
    const { countsOn } = watched;
    const grown =
      countsOn !== undefined && before.chains.get(countsOn)?.headHeight !== now.chains.get(countsOn)?.headHeight;
    if (offersChanged || grown) state.dirty.add(watched);
  }
  return now;
}

async function tellDirty(state: Viewers, options: WatchOptions, surroundings: Surroundings): Promise<void> {
  const batch = [...state.dirty].slice(0, READ_TOGETHER);
  if (batch.length === 0) return;
  // Unmarked before the read, so that a concurrent change is read again.
  for (const watched of batch) state.dirty.delete(watched);
  const facts = await options.readFacts(batch.map((watched) => watched.transId));
  for (const [index, watched] of batch.entries()) {
    const found = facts[index];
    if (found) tell(options, watched, found, surroundings);
  }
}

function tell(options: WatchOptions, watched: Watched, facts: CheckoutFacts, surroundings: Surroundings): void {
  const version = BigInt(facts.version);
  watched.dueAtMs = nextDueMs(facts, options.clock.nowMs());
  watched.countsOn = undefined;
  const steadyMs = options.steadyClock.nowMs();
  /** Views by page address: most viewers see the same one. */
  const made = new Map<string, { view: CheckoutView; tag: string; text: string }>();
  const makeFor = (address: PageAddress) => {
    const view = options.view(facts, surroundings, address);
    const tag = tagOf(view);
    return { view, tag, text: eventText(tag, JSON.stringify(view)) };
  };
  for (const viewer of watched.viewers) {
    const key = addressKey(viewer.address);
    const one = made.get(key) ?? makeFor(viewer.address);
    made.set(key, one);
    const { view, tag, text } = one;
    if (view.payment?.confirmations)
      watched.countsOn = facts.transfers.find((transfer) => transfer.txId === view.payment?.txId)?.network;
    // A viewer who joined during this read has newer facts already.
    if (viewer.tag === tag || version < viewer.version) continue;
    viewer.tag = tag;
    viewer.version = version;
    viewer.stream.send(text);
    if (view.step === 'paid') viewer.endsAtMs = Math.min(viewer.endsAtMs, steadyMs + AFTER_PAID_MS);
  }
}

/** Sends heartbeats, ends old streams, drops stalled viewers, and marks invoices whose view changes with time. */
function tend(state: Viewers, options: WatchOptions): void {
  const nowMs = options.clock.nowMs();
  const steadyMs = options.steadyClock.nowMs();
  for (const watched of state.watched.values()) if (watched.dueAtMs <= nowMs) state.dirty.add(watched);
  const beat = beatText(nowMs);
  for (const viewer of state.viewers) {
    if (viewer.stream.stuckMs(steadyMs) > MAX_STUCK_MS) {
      leave(state, viewer);
      viewer.stream.destroy();
    } else if (steadyMs >= viewer.endsAtMs) {
      leave(state, viewer);
      viewer.stream.end();
    } else if (steadyMs >= viewer.nextBeatMs) {
      viewer.nextBeatMs = steadyMs + BEAT_MS;
      viewer.stream.beat(beat);
    }
  }
}

async function turn(state: Viewers, options: WatchOptions): Promise<void> {
  tend(state, options);
  await readFeed(state, options);
  const surroundings = await readShared(state, options);
  for (let batches = 0; state.dirty.size > 0 && batches < MAX_BATCHES; batches += 1)
    await tellDirty(state, options, surroundings);
  state.polledAtMs = options.steadyClock.nowMs();
}

async function poll(state: Viewers, options: WatchOptions, signal: AbortSignal): Promise<void> {
  const pollMs = options.pollMs ?? POLL_MS;
  let failures = 0;
  while (state.viewers.size > 0 && !signal.aborted) {
    try {
      await turn(state, options);
      failures = 0;
    } catch (cause) {
      failures += 1;
      state.position = undefined;
      options.log.warn({ err: cause, failures }, 'viewers could not be updated');
    }
    await sleep(Math.min(pollMs * 2 ** Math.min(failures, 10), failures > 0 ? MAX_BACKOFF_MS : pollMs), signal);
  }
  state.position = undefined;
}

export function createWatching(options: WatchOptions): Watching {
  const state = createViewers();
  const stop = new AbortController();
  const { limits } = options;
  let running: Promise<void> | undefined;

  const start = () => {
    if (running || stop.signal.aborted) return;
    state.polledAtMs = options.steadyClock.nowMs();
    running = poll(state, options, stop.signal).finally(() => {
      running = undefined;
      if (state.viewers.size > 0) start();
    });
  };
  return {
    refusalFor: (asking) => (stop.signal.aborted ? 'full' : refusalFor(state, limits, asking)),
    watch: ({ view, ...added }) => {
      const viewer = enter(state, added, view, options.steadyClock.nowMs());
      start();
      return () => leave(state, viewer);
    },
    viewers: () => state.viewers.size,
    lagSeconds: () => (running ? (options.steadyClock.nowMs() - state.polledAtMs) / 1000 : 0),
    close: async () => {
      stop.abort();
      for (const viewer of state.viewers) viewer.stream.end();
      await running;
    },
  };
}
