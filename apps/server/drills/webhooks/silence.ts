import { setTimeout as wait } from 'node:timers/promises';
import { systemClock } from '../../src/lib/clock.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { createFleet } from '../../rig/processes/worker-fleet.ts';
import type { Cluster, OwnDatabase } from '../../rig/database/own-cluster.ts';
import type { Endpoint, Wanted } from '../../rig/webhooks/write-events.ts';
import { openStores, secretsOf, spreadEndpoints, writeEvents } from '../../rig/webhooks/write-events.ts';
import type { Latency } from '../../rig/webhooks/measure-latency.ts';
import { measureLatency } from '../../rig/webhooks/measure-latency.ts';
import type { Receivers } from '../../rig/webhooks/receivers.ts';
import { startReceivers } from '../../rig/webhooks/receivers.ts';

/**
 * Silence part of the webhook drill: twenty stores with receivers that accept every request and never answer, each with
 * many waiting events at new URLs. Measures how much later the events of other stores arrive.
 */

export type SilenceFigures = {
  beside: Latency;
  /** Fewest requests that silent receivers held while the other receivers were measured. */
  leastHeld: number;
  mostHeld: number;
  signatureFailures: number;
};

type Tell = (fault: string) => void;

const SILENT_STORES = 20;
const HOSTS_PER_SILENT_STORE = 3;
const EVENTS_PER_SILENT_STORE = 60;
const HEALTHY_STORES = 10;
const HEALTHY_ENDPOINTS = 100;
const HEALTHY_HOSTS = 8;
const PER_SECOND = 200;
const WARM_UP_SECONDS = 1;
const WATCH_EVERY_MS = 250;
const HOLD_TIMEOUT_MS = 10_000;
/** Least held requests, one for each silent store: with fewer, the silent stores would not disturb other stores. */
const LEAST_HELD = SILENT_STORES;

/**
 * How often the other stores are measured while they are too late: whatever else the machine does adds to a latency and
 * never shortens it, so the least of the measures tells most about us.
 */
const MAX_MEASURES = 3;

/** Events of a silent store, each at a new URL, as from shops that put the order into the URL. */
function silentEvents(store: TestStore, index: number, hosts: readonly string[], measure: number): Wanted[] {
  return Array.from({ length: EVENTS_PER_SILENT_STORE }, (_unused, event) => {
    const host = hosts[(index * HOSTS_PER_SILENT_STORE + (event % HOSTS_PER_SILENT_STORE)) % hosts.length];
    if (host === undefined) throw new Error('There is no host.');
    const path = `/${store.id}/silent-${measure}-${event}`;
    return { endpoint: { store, url: `${host}${path}`, path }, ending: 'expired' };
  });
}

type Watch = { stop(): Promise<{ leastHeld: number; mostHeld: number }> };

/** Watches how many requests hang at silent receivers, from the moment when enough requests hang. */
async function watchHeld(receivers: Receivers): Promise<Watch> {
  const untilMs = systemClock.nowMs() + HOLD_TIMEOUT_MS;
  let held = (await receivers.report()).hanging;
  while (held < LEAST_HELD && systemClock.nowMs() < untilMs) {
    await wait(WATCH_EVERY_MS);
    held = (await receivers.report()).hanging;
  }
  const seen = [held];
  const stop = new AbortController();
  const watching = (async () => {
    while (!stop.signal.aborted) {
      await wait(WATCH_EVERY_MS, undefined, { signal: stop.signal }).catch(() => {});
      seen.push((await receivers.report()).hanging);
    }
  })();
  return {
    stop: async () => {
      stop.abort();
      await watching;
      return { leastHeld: Math.min(...seen), mostHeld: Math.max(...seen) };
    },
  };
}

type Stage = { own: OwnDatabase; silent: Receivers; well: Receivers; endpoints: readonly Endpoint[] };

async function fallSilent({ own, silent }: Stage, stores: readonly TestStore[], measure: number): Promise<Watch> {
  await silent.setMood('hanging');
  for (const [index, store] of stores.entries())
    await writeEvents(own.database, systemClock, silentEvents(store, index, silent.urls, measure), new Map());
  return watchHeld(silent);
}

async function measureBeside(stage: Stage, stores: readonly TestStore[], seconds: number, measure: number) {
  const { own, well, endpoints } = stage;
  const even = { database: own.database, receivers: well, perSecond: PER_SECOND, seconds };
  const watch = await fallSilent(stage, stores, measure);
  const beside = await measureLatency({ ...even, healthy: endpoints, bad: [] });
  return { beside, ...(await watch.stop()) };
}

type Beside = Awaited<ReturnType<typeof measureBeside>>;

/** Measures until events arrive in time; returns the best measure. What was missing in any of them counts. */
async function measureUntil(limitMs: number, measure: (number: number) => Promise<Beside>): Promise<Beside> {
  const all: Beside[] = [];
  while (all.length < MAX_MEASURES && !all.some(({ beside }) => beside.p99Ms < limitMs))
    all.push(await measure(all.length));
  if (all.length > 1)
    console.log(`measured ${all.length} times: p99 ${all.map(({ beside }) => beside.p99Ms).join(', ')} ms`);
  const [best] = all.toSorted((one, other) => one.beside.p99Ms - other.beside.p99Ms) as [Beside];
  const missing = all.reduce((sum, { beside }) => sum + beside.missing, 0);
  return { ...best, beside: { ...best.beside, missing }, leastHeld: Math.min(...all.map((one) => one.leastHeld)) };
}

type SilenceOptions = { seconds: number; limitMs: number; tell: Tell };

export function drillSilence(cluster: Cluster, { seconds, limitMs, tell }: SilenceOptions): Promise<SilenceFigures> {
  return cluster.use(async (own) => {
    const stores = await openStores(own.database, HEALTHY_STORES + SILENT_STORES);
    const healthyStores = stores.slice(0, HEALTHY_STORES);
    const [{ ring }] = stores as [TestStore];
    const [well, silent] = await Promise.all([
      startReceivers(HEALTHY_HOSTS),
      startReceivers(SILENT_STORES * HOSTS_PER_SILENT_STORE),
    ]);
    // A single worker, so that all stores compete for the same places of deliveries in flight.
    const fleet = createFleet(own.url, await own.settings(ring));
    try {
      await well.expect('clock', secretsOf(healthyStores));
      await fleet.start();
      const endpoints = spreadEndpoints(healthyStores, well.urls, HEALTHY_ENDPOINTS);
      const warmUp = { database: own.database, receivers: well, healthy: endpoints, bad: [] };
      await measureLatency({ ...warmUp, perSecond: PER_SECOND, seconds: WARM_UP_SECONDS });
      const stage = { own, silent, well, endpoints };
      const figures = await measureUntil(limitMs, (number) =>
        measureBeside(stage, stores.slice(HEALTHY_STORES), seconds, number),
      );
      if (figures.leastHeld < LEAST_HELD)
        tell(`silent receivers held ${figures.leastHeld} places, which proves nothing`);
      const { faults } = await well.report();
      return { ...figures, signatureFailures: faults.signatures };
    } finally {
      await fleet.stop();
      await Promise.all([well.stop(), silent.stop()]);
      for (const [text, times] of fleet.complaints()) console.log(`  the worker logged ${times} times: ${text}`);
    }
  });
}
