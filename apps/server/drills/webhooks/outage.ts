import { setTimeout as wait } from 'node:timers/promises';
import type { ClockPace } from '../../src/lib/clock.ts';
import { createPacedClock, systemClock } from '../../src/lib/clock.ts';
import { createFleet } from '../../rig/processes/worker-fleet.ts';
import type { Cluster, OwnDatabase } from '../../rig/database/own-cluster.ts';
import type { Commits, Endpoint } from '../../rig/webhooks/write-events.ts';
import { retryWhileAway } from '../../rig/database/retry-while-away.ts';
import { openStores, secretsOf, spreadEndpoints, writeEvents } from '../../rig/webhooks/write-events.ts';
import type { Verdict } from './judge.ts';
import { judge, untilSettled } from './judge.ts';
import type { Receipt } from '../../rig/webhooks/receipts.ts';
import type { Mood, Receivers } from '../../rig/webhooks/receivers.ts';
import { startReceivers } from '../../rig/webhooks/receivers.ts';
import { percentile } from '../../rig/report/percentile.ts';

/**
 * Outage part of the webhook drill: a merchant is down for three days and comes back; all waiting events are delivered
 * within minutes, but not all at once.
 */

export type OutageSizes = {
  eventsPerEndpoint: number;
  /** Pace of the clock during the outage; 9,999 is the maximum, and makes three days 26 s long. */
  downPace: number;
};

export type OutageFigures = Verdict & {
  /** Seconds from the merchant's return to the last delivery, by the workers' clock. */
  caughtUpSeconds: number;
  mostPerHost: number;
  mostPerEndpoint: number;
};

type Tell = (fault: string) => void;

const STORES = 4;
const ENDPOINTS = 8;
const DOWN_MS = 3 * 86_400_000;
/** Pace of the clock after the merchant's return, slow enough to count requests per second. */
const BACK_PACE = 2;
const MAX_CATCH_UP_SECONDS = 300;
const PULLED_PER_SECOND = 20;
/**
 * Share of the shortest allowed time that an endpoint's retries must at least take: timers shift the first and the last
 * retry slightly, and so does the moment at which retries are first brought forward.
 */
const SPACING_SLACK = 0.8;
const MAX_PER_HOST = 16;
const MAX_PER_ENDPOINT = 4;
const LEAST_WAIT_MS = 3_600_000;
const MAX_DOWN_MS = 6 * 86_400_000;
const CATCH_UP_STEP_MS = 100;

const allOf = (endpoints: readonly Endpoint[], mood: Mood) =>
  Object.fromEntries(endpoints.map((endpoint) => [endpoint.path, mood]));

/** Pace of a clock that shows `reachedMs` now and goes on `rate` times as fast as the machine's clock. */
function continueFrom(reachedMs: number, rate: number): ClockPace {
  return { rate, fromMs: Math.round((rate * systemClock.nowMs() - reachedMs) / (rate - 1)) };
}

const paceSetting = ({ rate, fromMs }: ClockPace) => ({ COUNTERFOIL_CLOCK_PACE: `${rate}@${fromMs}` });

type Stage = {
  own: OwnDatabase;
  receivers: Receivers;
  endpoints: Endpoint[];
  settings: Record<string, string>;
  commits: Commits;
  tell: Tell;
};

/** Median time until the next retry. */
async function waitAhead(own: OwnDatabase, nowMs: number, tell: Tell): Promise<number> {
  const { rows } = await retryWhileAway(() =>
    own.database.pool.query<{ state: string; next: Date }>('select state, next_attempt_at as next from deliveries'),
  );
  if (rows.some(({ state }) => state !== 'pending')) tell('a delivery ended while its merchant was down');
  return percentile(
    rows.map(({ next }) => next.getTime() - nowMs),
    0.5,
    0,
  );
}

/** Keeps the merchant down; returns the time that the workers' clock has reached. */
async function stayDown(stage: Stage, sizes: OutageSizes): Promise<number> {
  const { own, receivers, endpoints, settings, commits, tell } = stage;
  const pace = { rate: sizes.downPace, fromMs: systemClock.nowMs() };
  const clock = createPacedClock(systemClock, pace);
  await receivers.setMoods(allOf(endpoints, 'failing'));
  const fleet = createFleet(own.url, { ...settings, ...paceSetting(pace) });
  try {
    await retryWhileAway(() => fleet.start());
    const wanted = endpoints.flatMap((endpoint) =>
      Array.from({ length: sizes.eventsPerEndpoint }, () => ({ endpoint, ending: 'expired' as const })),
    );
    const wentDownAtMs = clock.nowMs();
    await writeEvents(own.database, clock, wanted, commits);
    await wait(Math.max(0, (wentDownAtMs + DOWN_MS - clock.nowMs()) / sizes.downPace));
    // The merchant stays down until the workers on this fast clock have caught up, which takes time on a busy machine:
    // only retries that are due much later can show that the return brings retries forward.
    for (;;) {
      const reachedMs = clock.nowMs();
      if ((await waitAhead(own, reachedMs, tell)) >= LEAST_WAIT_MS) return reachedMs;
      if (reachedMs > wentDownAtMs + MAX_DOWN_MS) throw new Error('The workers do not keep up with this clock.');
      await wait(CATCH_UP_STEP_MS);
    }
  } finally {
    await fleet.stop();
  }
}

/**
 * Checks that retries that were brought forward are spaced: an endpoint's last retry cannot come sooner than the rate
 * allows.
 */
function judgeSpacing(receipts: readonly Receipt[], tell: Tell): void {
  for (const [path, ofEndpoint] of Map.groupBy(receipts, (one) => one.path)) {
    const times = ofEndpoint.map((one) => one.firstSuccessAtMs).toSorted((left, right) => left - right);
    const tookMs = (times.at(-1) ?? 0) - (times[0] ?? 0);
    const leastMs = ((times.length - 1) * 1000 * SPACING_SLACK) / PULLED_PER_SECOND / BACK_PACE;
    if (tookMs < leastMs) tell(`${path} got ${times.length} events within ${tookMs} ms of its return`);
  }
}

async function comeBack(stage: Stage, reachedMs: number): Promise<OutageFigures> {
  const { own, receivers, endpoints, settings, commits, tell } = stage;
  const pace = continueFrom(reachedMs, BACK_PACE);
  const clock = createPacedClock(systemClock, pace);
  await receivers.setMoods(allOf(endpoints, 'slow'));
  const fleet = createFleet(own.url, { ...settings, ...paceSetting(pace) });
  try {
    await retryWhileAway(() => fleet.start());
    const backAtMs = clock.nowMs();
    // A new event is written at each endpoint; its successful delivery brings the waiting retries forward.
    const wanted = endpoints.map((endpoint) => ({ endpoint, ending: 'expired' as const }));
    await writeEvents(own.database, clock, wanted, commits);
    const pending = await untilSettled(own.database, (MAX_CATCH_UP_SECONDS * 1000) / BACK_PACE);
    const caughtUpSeconds = (clock.nowMs() - backAtMs) / 1000;
    if (pending > 0) tell(`${pending} deliveries still wait ${caughtUpSeconds.toFixed(0)} s after the return`);
    const report = await receivers.report();
    const { receipts, mostPerHost, mostPerEndpoint } = report;
    judgeSpacing(receipts, tell);
    if (mostPerHost > MAX_PER_HOST) tell(`${mostPerHost} requests to one host at once`);
    if (mostPerEndpoint > MAX_PER_ENDPOINT) tell(`${mostPerEndpoint} requests to one endpoint at once`);
    return { ...(await judge(own.database, report, commits, tell)), caughtUpSeconds, mostPerHost, mostPerEndpoint };
  } finally {
    await fleet.stop();
  }
}

export function drillOutage(cluster: Cluster, sizes: OutageSizes, tell: Tell): Promise<OutageFigures> {
  return cluster.use(async (own) => {
    // All endpoints are on one host, so the endpoints share the host's limit of deliveries in flight.
    const receivers = await startReceivers(1);
    try {
      const stores = await openStores(own.database, STORES);
      const [{ ring }] = stores as [(typeof stores)[number]];
      await receivers.expect('paced', secretsOf(stores));
      const endpoints = spreadEndpoints(stores, receivers.urls, ENDPOINTS);
      const settings = await own.settings(ring);
      const stage = { own, receivers, endpoints, settings, commits: new Map(), tell };
      return await comeBack(stage, await stayDown(stage, sizes));
    } finally {
      await receivers.stop();
    }
  });
}
