import { setTimeout as wait } from 'node:timers/promises';
import type { Database } from '../../src/db/database.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { openKeyRing } from '../../src/secrets/key-ring.ts';
import { waitUntil } from '../../rig/processes/wait-until.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { openStore } from '../../rig/stores/open-store.ts';
import type { Endpoint } from '../../rig/webhooks/write-events.ts';
import { secretsOf, spreadEndpoints, writeEvents } from '../../rig/webhooks/write-events.ts';
import type { Receivers } from '../../rig/webhooks/receivers.ts';

/** Webhooks at an even pace to stores, with a new store each second: no worker has cached a new store's secrets. */

export type TrafficOptions = {
  database: Database;
  receivers: Receivers;
  stores: readonly TestStore[];
  /** Ring file with which new secrets are sealed. */
  ringFile: string;
  perSecond: number;
  tell: (fault: string) => void;
};

export type TrafficFigures = { events: number; seconds: number; stores: readonly TestStore[]; created: number };
export type Traffic = {
  /** Waits until another store was made, whose secrets no worker has cached. */
  untilCreated: () => Promise<void>;
  stop(): Promise<TrafficFigures>;
};

const TICK_MS = 100;
const CREATE_EVERY_MS = 1_000;
const CREATE_TIMEOUT_MS = 60_000;
const ENDPOINTS_PER_STORE = 4;
/** Secrets sealed for each new store: its API key and its webhook secret. */
export const SECRETS_PER_STORE = 2;

const endpointsOf = (stores: readonly TestStore[], receivers: Receivers) =>
  spreadEndpoints(stores, receivers.urls, stores.length * ENDPOINTS_PER_STORE);

export function startTraffic(options: TrafficOptions): Traffic {
  const { database, receivers, tell } = options;
  const stores = [...options.stores];
  const endpoints: Endpoint[] = endpointsOf(stores, receivers);
  const startedAtMs = systemClock.nowMs();
  let [events, created, endedAtMs] = [0, 0, startedAtMs];
  let untilMs = Number.POSITIVE_INFINITY;

  /** Repeats work at an interval, and makes up for runs that were late, even after the traffic's end. */
  async function every(intervalMs: number, work: () => Promise<void>): Promise<void> {
    for (let dueAtMs = startedAtMs; dueAtMs < untilMs; dueAtMs += intervalMs) {
      await wait(Math.max(0, dueAtMs - systemClock.nowMs()));
      await work();
    }
  }

  const perTick = Math.round((options.perSecond * TICK_MS) / 1000);
  const writing = every(TICK_MS, async () => {
    const wanted = Array.from({ length: perTick }, (_unused, index) => {
      const endpoint = endpoints[(events + index) % endpoints.length];
      if (!endpoint) throw new Error('There is no endpoint.');
      return { endpoint, ending: 'expired' as const };
    });
    events += await writeEvents(database, systemClock, wanted, new Map());
    endedAtMs = systemClock.nowMs();
  });

  const creating = every(CREATE_EVERY_MS, async () => {
    try {
      const made = await openStore(database, { wallet: false, ring: await openKeyRing(options.ringFile) });
      created += 1;
      await receivers.expect('clock', secretsOf([made]));
      stores.push(made);
      endpoints.push(...endpointsOf([made], receivers));
    } catch (cause) {
      tell(`a store could not be made: ${cause instanceof Error ? cause.message : String(cause)}`);
    }
  });

  return {
    untilCreated: () => {
      const before = created;
      const patience = { what: 'No store could be made.', timeoutMs: CREATE_TIMEOUT_MS, pollMs: TICK_MS };
      return waitUntil(() => created > before, patience);
    },
    stop: async () => {
      untilMs = systemClock.nowMs();
      await Promise.all([writing, creating]);
      return { events, seconds: (endedAtMs - startedAtMs) / 1000, stores, created };
    },
  };
}
