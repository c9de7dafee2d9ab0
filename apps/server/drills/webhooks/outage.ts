import type { Clock, ClockPace } from '../../src/lib/clock.ts';
import { createPacedClock, systemClock } from '../../src/lib/clock.ts';
import { waitUntil } from '../../rig/processes/wait-until.ts';
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

export type OutageSizes = { eventsPerEndpoint: number };

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
/** Pace of the workers' clock, slow enough to count requests per second after the merchant's return. */
const PACE = 2;
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
const STEP_TIMEOUT_MS = 60_000;
const STEP_POLL_MS = 50;

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

/** Times of all next attempts, in order. */
async function readDueTimes({ own, tell }: Stage): Promise<number[]> {
  const { rows } = await retryWhileAway(() =>
    own.database.pool.query<{ state: string; next: Date }>(
      'select state, next_attempt_at as next from deliveries order by next_attempt_at',
    ),
  );
  if (rows.some(({ state }) => state !== 'pending')) tell('a delivery ended while its merchant was down');
  return rows.map(({ next }) => next.getTime());
}

/** Runs a worker whose clock starts at `fromMs` until it has attempted everything due; returns the time reached. */
async function attemptDue(stage: Stage, fromMs: number, write: (clock: Clock) => Promise<unknown>): Promise<number> {
  const pace = continueFrom(fromMs, PACE);
  const clock = createPacedClock(systemClock, pace);
  const fleet = createFleet(stage.own.url, { ...stage.settings, ...paceSetting(pace) });
  try {
    await write(clock);
    await retryWhileAway(() => fleet.start());
    const isAttempted = async () => {
      const [next = 0] = await readDueTimes(stage);
      return next > clock.nowMs();
    };
    const options = { what: 'A worker does not attempt what is due.', timeoutMs: STEP_TIMEOUT_MS };
    await waitUntil(isAttempted, { ...options, pollMs: STEP_POLL_MS });
    return clock.nowMs();
  } finally {
    await fleet.stop();
  }
}

/**
 * Keeps the merchant down for three days: the clock is stepped from attempt to attempt, so that no step depends on how
 * fast the machine is. Returns the time that the workers' clock has reached.
 */
async function stayDown(stage: Stage, sizes: OutageSizes): Promise<number> {
  const { own, receivers, endpoints, commits } = stage;
  await receivers.setMoods(allOf(endpoints, 'failing'));
  const wanted = endpoints.flatMap((endpoint) =>
    Array.from({ length: sizes.eventsPerEndpoint }, () => ({ endpoint, ending: 'expired' as const })),
  );
  const wentDownAtMs = systemClock.nowMs();
  const backAtMs = wentDownAtMs + DOWN_MS;
  let reachedMs = await attemptDue(stage, wentDownAtMs, (clock) => writeEvents(own.database, clock, wanted, commits));
  for (;;) {
    const dueTimes = await readDueTimes(stage);
    const [firstDueMs = 0, lastDueMs = 0] = [dueTimes[0], dueTimes.at(-1)];
    const endMs = Math.max(reachedMs, backAtMs);
    // Only retries that are due much later can show that the return brings retries forward.
    if (firstDueMs > endMs && percentile(dueTimes, 0.5, 0) - endMs >= LEAST_WAIT_MS) return endMs;
    if (lastDueMs <= reachedMs) throw new Error('No retry is due.');
    reachedMs = await attemptDue(stage, lastDueMs, async () => {});
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
    const leastMs = ((times.length - 1) * 1000 * SPACING_SLACK) / PULLED_PER_SECOND / PACE;
    if (tookMs < leastMs) tell(`${path} got ${times.length} events within ${tookMs} ms of its return`);
  }
}

async function comeBack(stage: Stage, reachedMs: number): Promise<OutageFigures> {
  const { own, receivers, endpoints, settings, commits, tell } = stage;
  const pace = continueFrom(reachedMs, PACE);
  const clock = createPacedClock(systemClock, pace);
  await receivers.setMoods(allOf(endpoints, 'slow'));
  const fleet = createFleet(own.url, { ...settings, ...paceSetting(pace) });
  try {
    await retryWhileAway(() => fleet.start());
    const backAtMs = clock.nowMs();
    // A new event is written at each endpoint; its successful delivery brings the waiting retries forward.
    const wanted = endpoints.map((endpoint) => ({ endpoint, ending: 'expired' as const }));
    await writeEvents(own.database, clock, wanted, commits);
    const pending = await untilSettled(own.database, (MAX_CATCH_UP_SECONDS * 1000) / PACE);
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
