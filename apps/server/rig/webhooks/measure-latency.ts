import { setTimeout as wait } from 'node:timers/promises';
import type { Database } from '../../src/db/database.ts';
import { systemClock } from '../../src/lib/clock.ts';
import type { Commits, Endpoint } from './write-events.ts';
import { commitKey, readEvents, writeEvents } from './write-events.ts';
import type { Receivers } from './receivers.ts';
import { percentile } from '../report/percentile.ts';

/** Measures the time from an event's commit to its receipt, at an even pace, for healthy endpoints. */

export type LatencyOptions = {
  database: Database;
  receivers: Receivers;
  /** Endpoints that are measured, and endpoints that disturb them. */
  healthy: readonly Endpoint[];
  bad: readonly Endpoint[];
  perSecond: number;
  seconds: number;
};

export type Latency = { events: number; missing: number; p50Ms: number; p99Ms: number; worstMs: number };

const TICK_MS = 25;
const SETTLE_MS = 60_000;
const SETTLE_STEP_MS = 100;

/** Writes events for all endpoints in turn, so that each endpoint gets an even share. */
async function writeEvenly(options: LatencyOptions, commits: Commits): Promise<void> {
  const endpoints = [...options.healthy, ...options.bad];
  const perTick = Math.round((options.perSecond * TICK_MS) / 1000);
  const startedAtMs = systemClock.nowMs();
  let next = 0;
  for (let tick = 0; tick * TICK_MS < options.seconds * 1000; tick += 1) {
    await wait(Math.max(0, startedAtMs + tick * TICK_MS - systemClock.nowMs()));
    const wanted = Array.from({ length: perTick }, (_unused, index) => {
      const endpoint = endpoints[(next + index) % endpoints.length];
      if (!endpoint) throw new Error('There is no endpoint.');
      return { endpoint, ending: 'expired' as const };
    });
    next += perTick;
    await writeEvents(options.database, systemClock, wanted, commits);
  }
}

export async function measureLatency(options: LatencyOptions): Promise<Latency> {
  const { database, receivers } = options;
  const before = new Set((await readEvents(database)).map((event) => event.eventId));
  const commits: Commits = new Map();
  await writeEvenly(options, commits);
  const healthy = new Set(options.healthy.map((endpoint) => endpoint.url));
  const events = (await readEvents(database)).filter((event) => !before.has(event.eventId) && healthy.has(event.url));
  const untilMs = systemClock.nowMs() + SETTLE_MS;
  for (;;) {
    const { receipts } = await receivers.report();
    const receivedAt = new Map(receipts.map((one) => [one.eventId, one.firstReceivedAtMs]));
    const missing = events.filter((event) => !receivedAt.has(event.eventId)).length;
    if (missing > 0 && systemClock.nowMs() < untilMs) {
      await wait(SETTLE_STEP_MS);
      continue;
    }
    const delays = events.flatMap((event) => {
      const atMs = receivedAt.get(event.eventId);
      const committedAtMs = commits.get(commitKey(event.transId, event.sequence));
      // A negative delay counts as zero: a worker may see a commit, and send the event, before the committing client
      // learns that the commit succeeded.
      return atMs === undefined || committedAtMs === undefined ? [] : [Math.max(0, atMs - committedAtMs)];
    });
    const sorted = delays.toSorted((left, right) => left - right);
    return {
      events: events.length,
      missing,
      p50Ms: percentile(sorted, 0.5),
      p99Ms: percentile(sorted, 0.99),
      worstMs: sorted.at(-1) ?? Number.NaN,
    };
  }
}
