import { setTimeout as wait } from 'node:timers/promises';
import type { ClockPace } from '../src/lib/clock.ts';
import { createPacedClock, systemClock } from '../src/lib/clock.ts';
import { createFleet } from './chain-fleet.ts';
import type { Cluster, OwnDatabase } from './webhooks-cluster.ts';
import type { Commits, Endpoint } from './webhooks-events.ts';
import { openStores, secretsOf, spreadEndpoints, writeEvents } from './webhooks-events.ts';
import type { Verdict } from './webhooks-judge.ts';
import { judge, untilSettled } from './webhooks-judge.ts';
import type { Receipt } from './webhooks-receipts.ts';
import type { Mood, Receivers } from './webhooks-receivers.ts';
import { startReceivers } from './webhooks-receivers.ts';

/** A merchant that is down for three days and comes back: everything that waits is told within minutes, not at once. */

export type OutageFigures = Verdict & {
  /** From its return to the last delivery, in the workers' time. */
  caughtUpSeconds: number;
  mostPerHost: number;
  mostPerEndpoint: number;
};

type Tell = (fault: string) => void;

const STORES = 4;
const ENDPOINTS = 8;
const DOWN_MS = 3 * 86_400_000;
/** As fast as a clock may be told to run: three days in 26 s. */
const DOWN_PACE = 9_999;
/** Slow enough to see how many come in a second. */
const BACK_PACE = 2;
const MAX_CATCH_UP_SECONDS = 300;
const PULLED_PER_SECOND = 20;
/** Timers and the start of the pull move the first and the last a little. */
const SPACING_SLACK = 0.8;
const MAX_PER_HOST = 16;
const MAX_PER_ENDPOINT = 4;
const LEAST_WAIT_MS = 3_600_000;

const allOf = (endpoints: readonly Endpoint[], mood: Mood) =>
  Object.fromEntries(endpoints.map((endpoint) => [endpoint.path, mood]));

/** The pace under which it is now the moment `reachedMs`, and goes on at `rate`. */
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

/** Returns the moment that the workers' clock has reached. */
async function stayDown(stage: Stage, eventsPerEndpoint: number): Promise<number> {
  const { own, receivers, endpoints, settings, commits, tell } = stage;
  const pace = { rate: DOWN_PACE, fromMs: systemClock.nowMs() };
  const clock = createPacedClock(systemClock, pace);
  await receivers.setMoods(allOf(endpoints, 'failing'));
  const fleet = createFleet(own.url, { ...settings, ...paceSetting(pace) });
  try {
    await fleet.start();
    const wanted = endpoints.flatMap((endpoint) =>
      Array.from({ length: eventsPerEndpoint }, () => ({ endpoint, ending: 'expired' as const })),
    );
    const wentDownAtMs = clock.nowMs();
    await writeEvents(own.database, clock, wanted, commits);
    await wait(Math.max(0, (wentDownAtMs + DOWN_MS - clock.nowMs()) / DOWN_PACE));
  } finally {
    await fleet.stop();
  }
  const reachedMs = clock.nowMs();
  const { rows } = await own.database.pool.query<{ state: string; next: Date }>(
    'select state, next_attempt_at as next from deliveries',
  );
  if (rows.some(({ state }) => state !== 'pending')) tell('a delivery ended while its merchant was down');
  const waits = rows.map(({ next }) => next.getTime() - reachedMs).toSorted((left, right) => left - right);
  const middle = waits[Math.floor(waits.length / 2)] ?? 0;
  // Otherwise they would come in time by themselves, and nothing would be shown.
  if (middle < LEAST_WAIT_MS) tell(`after three days the retries are only ${Math.round(middle / 1000)} s away`);
  return reachedMs;
}

/** Pulled retries are spaced: an endpoint's last one cannot come sooner than its rate allows. */
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
    await fleet.start();
    const backAtMs = clock.nowMs();
    // What wakes it up: one new sale at each endpoint.
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

export function drillOutage(cluster: Cluster, eventsPerEndpoint: number, tell: Tell): Promise<OutageFigures> {
  return cluster.use(async (own) => {
    // One host for all of them: its cap is what they share.
    const receivers = await startReceivers(1);
    try {
      const stores = await openStores(own.database, STORES);
      const [{ ring }] = stores as [(typeof stores)[number]];
      await receivers.expect('paced', secretsOf(stores));
      const endpoints = spreadEndpoints(stores, receivers.urls, ENDPOINTS);
      const settings = await own.settings(ring);
      const stage = { own, receivers, endpoints, settings, commits: new Map(), tell };
      return await comeBack(stage, await stayDown(stage, eventsPerEndpoint));
    } finally {
      await receivers.stop();
    }
  });
}
