import type { CheckoutView } from './checkout-view.ts';
import type { PagePaths } from './server-contract.ts';

/** Follows an invoice's view by an event stream, and polls while it is closed or silent. */

const POLL_MS = 4_000;
const POLL_MAX_MS = 30_000;
const DOUBLINGS_MAX = 5;
/** Silence after which the stream counts as dead, regardless of the browser: heartbeats come every 15 s. */
const SILENCE_MS = 40_000;
const ANSWER_TIMEOUT_MS = 10_000;
const GONE = 404;

/** Delay of the next poll after `failures` in a row: doubled up to a bound, with jitter. */
export function pollDelay(failures: number, random: number): number {
  const delay = Math.min(POLL_MAX_MS, POLL_MS * 2 ** Math.min(failures, DOUBLINGS_MAX));
  return Math.round(delay * (0.8 + 0.4 * random));
}

/** Whether an answer may replace the shown view: one requested before that view arrived may be older. */
export function mayReplace(askedAt: number, shownAt: number): boolean {
  return askedAt >= shownAt;
}

/** When the first view's HTML began to arrive, by this page's clock. */
function answeredAt(): number {
  const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  return navigation?.responseStart ?? performance.now();
}

async function readState(path: string): Promise<CheckoutView | null> {
  const response = await fetch(path, {
    headers: { accept: 'application/json' },
    cache: 'no-cache',
    signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
  });
  if (response.status === GONE) return null;
  if (!response.ok) throw new Error(String(response.status));
  return (await response.json()) as CheckoutView;
}

/** Calls `wake` when the page becomes visible, is restored from the browser's cache, or is online again. */
function onWake(wake: () => void, signal: AbortSignal): void {
  const visible = () => document.visibilityState === 'visible' && wake();
  document.addEventListener('visibilitychange', visible, { signal });
  for (const event of ['online', 'pageshow']) window.addEventListener(event, visible, { signal });
}

type Stream = { state: () => number; reopen: () => void; close: () => void };

function openStream(path: () => string, viewed: (view: CheckoutView) => void, beaten: () => void): Stream {
  let events: EventSource;
  const reopen = () => {
    events?.close();
    events = new EventSource(path());
    events.addEventListener('view', ({ data }) => viewed(JSON.parse(String(data)) as CheckoutView));
    events.addEventListener('beat', beaten);
  };
  reopen();
  return { state: () => events.readyState, reopen, close: () => events.close() };
}

export type Follower = {
  /** Shows and follows the view of a method that was chosen on this page. */
  choose: (view: CheckoutView, paths: PagePaths) => void;
  refresh: () => void;
  nowMs: () => number;
};

export function followView(
  first: CheckoutView,
  firstPaths: PagePaths,
  shown: (view: CheckoutView) => void,
  connected: (yes: boolean) => void,
): Follower {
  const ended = new AbortController();
  let paths = firstPaths;
  let aheadMs = first.nowMs - answeredAt();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let heardAt = performance.now();
  let shownAt = 0;
  let failures = 0;

  const heard = () => {
    heardAt = performance.now();
    failures = 0;
    connected(true);
  };
  const take = (next: CheckoutView, askedAt = performance.now()) => {
    heard();
    aheadMs = next.nowMs - performance.now();
    if (!mayReplace(askedAt, shownAt)) return;
    shownAt = performance.now();
    shown(next);
    // A paid invoice no longer changes; an expired one can still be paid.
    if (next.step === 'paid') ended.abort();
  };
  const ask = async () => {
    const askedAt = performance.now();
    try {
      const next = await readState(paths.state);
      if (next) take(next, askedAt);
      else ended.abort();
    } catch {
      failures += 1;
      connected(false);
    }
  };
  let stream: Stream;
  /** Polls while the stream is closed or silent, or on request; then reopens a dead stream. */
  const watch = async (told: boolean) => {
    clearTimeout(timer);
    const silent = performance.now() - heardAt > SILENCE_MS;
    if (told || silent || stream.state() !== EventSource.OPEN) await ask();
    if (ended.signal.aborted) return;
    if (silent || stream.state() === EventSource.CLOSED) stream.reopen();
    clearTimeout(timer);
    timer = setTimeout(() => void watch(false), pollDelay(failures, Math.random()));
  };
  const refresh = () => void (ended.signal.aborted || watch(true));
  if (first.step === 'paid') ended.abort();
  else {
    stream = openStream(() => paths.events, take, heard);
    onWake(refresh, ended.signal);
    timer = setTimeout(() => void watch(false), pollDelay(0, Math.random()));
    ended.signal.addEventListener('abort', () => {
      clearTimeout(timer);
      stream.close();
    });
  }
  const choose = (view: CheckoutView, chosenPaths: PagePaths) => {
    paths = chosenPaths;
    take(view);
    stream.reopen();
  };
  return { choose, refresh, nowMs: () => aheadMs + performance.now() };
}
