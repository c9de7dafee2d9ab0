import { setTimeout as wait } from 'node:timers/promises';
import { systemClock } from '../../src/lib/clock.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { waitUntil } from '../../rig/processes/wait-until.ts';
import { median } from '../../rig/report/percentile.ts';
import { createFleet } from '../../rig/processes/worker-fleet.ts';
import type { Cluster, OwnDatabase } from '../../rig/database/own-cluster.ts';
import type { Wanted } from '../../rig/webhooks/write-events.ts';
import { countPending, openStores, secretsOf, spreadEndpoints, writeEvents } from '../../rig/webhooks/write-events.ts';
import type { Latency } from '../../rig/webhooks/measure-latency.ts';
import { measureLatency } from '../../rig/webhooks/measure-latency.ts';
import type { Receivers } from '../../rig/webhooks/receivers.ts';
import { startReceivers } from '../../rig/webhooks/receivers.ts';

/**
 * Silence part of the webhook drill: twenty stores with receivers that accept every request and never answer, each with
 * many waiting events at new URLs. Measures how much later the events of other stores arrive, by rounds without and
 * with silent stores in turn.
 */

export type SilenceFigures = {
  calm: readonly Latency[];
  beside: readonly Latency[];
  /** Median over all rounds of p99 with silent stores, divided by p99 without them. */
  growth: number;
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
const HOLD_TIMEOUT_MS = 60_000;
/** Least held requests, one for each silent store: with fewer, the silent stores would not disturb other stores. */
const LEAST_HELD = SILENT_STORES;
const ROUNDS = 3;
const END_TIMEOUT_MS = 60_000;

/** Events of a silent store, each at a new URL, as from shops that put the order into the URL. */
function silentEvents(store: TestStore, index: number, hosts: readonly string[]): Wanted[] {
  return Array.from({ length: EVENTS_PER_SILENT_STORE }, (_unused, event) => {
    const host = hosts[(index * HOSTS_PER_SILENT_STORE + (event % HOSTS_PER_SILENT_STORE)) % hosts.length];
    if (host === undefined) throw new Error('There is no host.');
    const path = `/${store.id}/silent-${event}`;
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

/** Ends the waiting deliveries of silent stores, whose receivers are gone, so that they do not disturb the next round. */
async function endSilence({ database }: OwnDatabase): Promise<void> {
  const isOver = async () => {
    await database.pool.query(
      `update deliveries set state = 'failed' where state = 'pending' and leased_until < now()`,
    );
    return (await countPending(database)) === 0;
  };
  await waitUntil(isOver, { what: 'Silent deliveries do not end.', timeoutMs: END_TIMEOUT_MS, pollMs: WATCH_EVERY_MS });
}

type Beside = { beside: Latency; leastHeld: number; mostHeld: number };

/** Measures beside silent stores that were never asked before: each round meets receivers that nobody knows. */
async function measureBeside(
  own: OwnDatabase,
  stores: readonly TestStore[],
  measure: () => Promise<Latency>,
): Promise<Beside> {
  const silent = await startReceivers(SILENT_STORES * HOSTS_PER_SILENT_STORE);
  try {
    await silent.setMood('hanging');
    for (const [index, store] of stores.entries())
      await writeEvents(own.database, systemClock, silentEvents(store, index, silent.urls), new Map());
    const watch = await watchHeld(silent);
    const beside = await measure();
    return { beside, ...(await watch.stop()) };
  } finally {
    await silent.stop();
  }
}

async function measureRounds(
  own: OwnDatabase,
  stores: readonly TestStore[],
  measure: () => Promise<Latency>,
): Promise<Omit<SilenceFigures, 'signatureFailures'>> {
  const calm: Latency[] = [];
  const rounds: Beside[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    calm.push(await measure());
    rounds.push(await measureBeside(own, stores.slice(round * SILENT_STORES, (round + 1) * SILENT_STORES), measure));
    await endSilence(own);
  }
  const growths = rounds.map(({ beside }, round) => beside.p99Ms / Math.max(1, calm[round]?.p99Ms ?? Number.NaN));
  return {
    calm,
    beside: rounds.map(({ beside }) => beside),
    growth: median(growths),
    leastHeld: Math.min(...rounds.map(({ leastHeld }) => leastHeld)),
    mostHeld: Math.max(...rounds.map(({ mostHeld }) => mostHeld)),
  };
}

type SilenceOptions = { seconds: number; tell: Tell };

export function drillSilence(cluster: Cluster, { seconds, tell }: SilenceOptions): Promise<SilenceFigures> {
  return cluster.use(async (own) => {
    const stores = await openStores(own.database, HEALTHY_STORES + SILENT_STORES * ROUNDS);
    const healthyStores = stores.slice(0, HEALTHY_STORES);
    const [{ ring }] = stores as [TestStore];
    const well = await startReceivers(HEALTHY_HOSTS);
    // A single worker, so that all stores compete for the same places of deliveries in flight.
    const fleet = createFleet(own.url, await own.settings(ring));
    try {
      await well.expect('clock', secretsOf(healthyStores));
      await fleet.start();
      const healthy = spreadEndpoints(healthyStores, well.urls, HEALTHY_ENDPOINTS);
      const even = { database: own.database, receivers: well, healthy, bad: [], perSecond: PER_SECOND };
      await measureLatency({ ...even, seconds: WARM_UP_SECONDS });
      const measure = () => measureLatency({ ...even, seconds });
      const figures = await measureRounds(own, stores.slice(HEALTHY_STORES), measure);
      if (figures.leastHeld < LEAST_HELD)
        tell(`silent receivers held ${figures.leastHeld} places, which proves nothing`);
      const { faults } = await well.report();
      return { ...figures, signatureFailures: faults.signatures };
    } finally {
      await fleet.stop();
      await well.stop();
      for (const [text, times] of fleet.complaints()) console.log(`  the worker logged ${times} times: ${text}`);
    }
  });
}
