import { setTimeout as wait } from 'node:timers/promises';
import type { WorkerProcess } from '../../rig/processes/server-process.ts';
import { createPacedClock, systemClock } from '../../src/lib/clock.ts';
import type { Fleet } from '../../rig/processes/worker-fleet.ts';
import { createFleet, isAlive, untilDead } from '../../rig/processes/worker-fleet.ts';
import type { Cluster, OwnDatabase } from '../../rig/database/own-cluster.ts';
import type { Commits, Endpoint, Ending } from '../../rig/webhooks/write-events.ts';
import { seededNumbers } from '../../rig/fakes/seeded-numbers.ts';
import { retryWhileAway } from '../../rig/database/retry-while-away.ts';
import { openStores, secretsOf, spreadEndpoints, writeEvents } from '../../rig/webhooks/write-events.ts';
import type { Verdict } from './judge.ts';
import { judge, untilSettled } from './judge.ts';
import type { Mood, Receivers } from '../../rig/webhooks/receivers.ts';
import { startReceivers } from '../../rig/webhooks/receivers.ts';

/**
 * Chaos part of the webhook drill: receivers that answer, fail or hang by their mood, killed workers and a restarted
 * database; at the end every event must have been delivered.
 */

export type ChaosSizes = {
  events: number;
  activeMs: number;
  /** Number of kills at random moments. */
  kills: number;
  /** Number of kills at each failpoint. */
  failpointRounds: number;
  restarts: number;
  moodMs: number;
  settleMs: number;
};
export type ChaosOptions = { sizes: ChaosSizes; seed: number; tell: Tell };

type ChaosFigures = Verdict & { kills: number };

type Tell = (fault: string) => void;

const WORKERS = 2;
const STORES = 12;
const ENDPOINTS = 120;
const HOSTS = 8;
/**
 * Pace of the workers' clock, by which the first retries of the retry schedule of seven days come within seconds;
 * leases stay in database time.
 */
const PACE = 120;
const WRITTEN_TOGETHER = 50;
const MOODY_SHARE = 0.4;
const FAILPOINTS = ['delivery:claimed', 'delivery:sent', 'delivery:before-save', 'delivery:after-save'];
const MAX_PASSINGS = 3;
const DEATH_TIMEOUT_MS = 60_000;
const MOODS: readonly Mood[] = ['good', 'good', 'failing', 'slow', 'redirecting', 'resetting', 'busy', 'hanging'];
/**
 * Endings of ten invoices, which make twelve events: most invoices expire, some are paid, and two payments are found
 * late.
 */
const ENDINGS: readonly Ending[] = [
  ...Array.from({ length: 6 }, () => 'expired' as const),
  'completed',
  'completed',
  'found-late',
  'found-late',
];

function pick<T>(random: () => number, from: readonly T[]): T {
  const one = from[Math.floor(random() * from.length)];
  if (one === undefined) throw new Error('There is nothing to pick from.');
  return one;
}

type Stage = {
  sizes: ChaosSizes;
  fleet: Fleet;
  receivers: Receivers;
  endpoints: readonly Endpoint[];
  tell: Tell;
  kills: number;
  /** Workers that kill themselves at a failpoint. */
  doomed: Set<WorkerProcess>;
  isOver: () => boolean;
  /** Random numbers for each activity, so that none depends on how the others interleave. */
  random: Record<'moods' | 'kills' | 'failpoints' | 'events', () => number>;
};

function drawNumbers(seed: number): Stage['random'] {
  return {
    moods: seededNumbers(seed),
    kills: seededNumbers(seed + 1),
    failpoints: seededNumbers(seed + 2),
    events: seededNumbers(seed + 3),
  };
}

async function changeMoods(stage: Stage): Promise<void> {
  const moody = stage.endpoints.filter((_unused, index) => index % 10 < MOODY_SHARE * 10);
  const all = (mood: () => Mood) => Object.fromEntries(moody.map((endpoint) => [endpoint.path, mood()]));
  while (!stage.isOver()) {
    await stage.receivers.setMoods(all(() => pick(stage.random.moods, MOODS)));
    await wait(stage.sizes.moodMs);
  }
  await stage.receivers.setMoods(all(() => 'good'));
}

async function killAnywhere(stage: Stage): Promise<void> {
  const everyMs = stage.sizes.activeMs / (stage.sizes.kills + 1);
  for (let killed = 0; killed < stage.sizes.kills; killed += 1) {
    await wait(everyMs * (0.5 + stage.random.kills()));
    await stage.fleet.kill(
      pick(
        stage.random.kills,
        stage.fleet.alive().filter((worker) => !stage.doomed.has(worker)),
      ),
    );
    stage.kills += 1;
    await retryWhileAway(() => stage.fleet.start());
  }
}

/**
 * Starts workers that die at failpoints, each as soon as it has a delivery to send; the next worker starts while the
 * doomed worker still lives.
 */
async function killAtFailpoints(stage: Stage): Promise<void> {
  const names = Array.from({ length: stage.sizes.failpointRounds }, () => FAILPOINTS).flat();
  const everyMs = stage.sizes.activeMs / (names.length + 1);
  const dying: Promise<void>[] = [];
  for (const name of names) {
    const passings = 1 + Math.floor(stage.random.failpoints() * MAX_PASSINGS);
    const startedAtMs = systemClock.nowMs();
    const doomed = await retryWhileAway(() => stage.fleet.startKilledAt(`${name}*${passings}`));
    if (doomed) stage.doomed.add(doomed);
    dying.push(witness(stage, name, doomed));
    await wait(Math.max(0, startedAtMs + everyMs - systemClock.nowMs()));
  }
  await Promise.all(dying);
}

async function witness(stage: Stage, name: string, doomed: WorkerProcess | undefined): Promise<void> {
  const died = doomed === undefined || (await untilDead(doomed, DEATH_TIMEOUT_MS));
  if (!died) {
    stage.tell(`no worker came to ${name}`);
    await stage.fleet.kill(doomed);
  }
  if (doomed && doomed.child.signalCode !== 'SIGKILL') stage.tell(`a worker ended by itself: ${doomed.output()}`);
  stage.kills += 1;
}

async function restartDatabase(cluster: Cluster, { sizes }: Stage): Promise<void> {
  for (let restarts = 0; restarts < sizes.restarts; restarts += 1) {
    await wait(sizes.activeMs / (sizes.restarts + 1));
    await cluster.restart();
  }
}

/** Writes events evenly over the time in which workers die, so that every death interrupts a delivery. */
async function write(stage: Stage, own: OwnDatabase, nowMs: () => number, commits: Commits): Promise<void> {
  const { events, activeMs } = stage.sizes;
  const startedAtMs = systemClock.nowMs();
  for (let written = 0; written < events;) {
    const left = events - written;
    const wanted = Array.from({ length: Math.min(WRITTEN_TOGETHER, left) }, () => ({
      endpoint: pick(stage.random.events, stage.endpoints),
      // Each of the last invoices makes a single event, so that the total of events is exact.
      ending: left > WRITTEN_TOGETHER * 2 ? pick(stage.random.events, ENDINGS) : ('expired' as const),
    }));
    written += await writeEvents(own.database, { nowMs }, wanted, commits);
    await wait(Math.max(0, startedAtMs + (activeMs * written) / events - systemClock.nowMs()));
  }
}

export type Chaos = {
  /**
   * Resolves when no more workers are killed and all receivers are well; leases of dead workers still have to run out.
   */
  calm: Promise<void>;
  figures: Promise<ChaosFigures>;
};

async function rage(cluster: Cluster, own: OwnDatabase, { sizes, seed, tell }: ChaosOptions, calm: () => void) {
  const receivers = await startReceivers(HOSTS);
  const stores = await openStores(own.database, STORES);
  const pace = { rate: PACE, fromMs: systemClock.nowMs() };
  const clock = createPacedClock(systemClock, pace);
  const [{ ring }] = stores as [(typeof stores)[number]];
  const settings = { ...(await own.settings(ring)), COUNTERFOIL_CLOCK_PACE: `${pace.rate}@${pace.fromMs}` };
  const fleet = createFleet(own.url, settings);
  try {
    await receivers.expect('paced', secretsOf(stores));
    await Promise.all(Array.from({ length: WORKERS }, () => fleet.start()));
    let over = false;
    const endpoints = spreadEndpoints(stores, receivers.urls, ENDPOINTS);
    const random = drawNumbers(seed);
    const doomed = new Set<WorkerProcess>();
    const stage: Stage = { sizes, fleet, receivers, endpoints, tell, kills: 0, doomed, isOver: () => over, random };
    const moods = changeMoods(stage);
    const commits: Commits = new Map();
    const killing = [killAnywhere(stage), killAtFailpoints(stage), restartDatabase(cluster, stage)];
    await Promise.all([write(stage, own, () => clock.nowMs(), commits), ...killing]);
    over = true;
    await moods;
    calm();
    const pending = await untilSettled(own.database, sizes.settleMs);
    if (pending > 0) tell(`${pending} deliveries are still pending`);
    const alive = fleet.alive().filter(isAlive).length;
    if (alive !== WORKERS) tell(`${alive} workers live, ${WORKERS} should`);
    return { ...(await judge(own.database, await receivers.report(), commits, tell, pace)), kills: stage.kills };
  } finally {
    await fleet.stop();
    await receivers.stop();
    for (const [text, times] of fleet.complaints()) console.log(`  workers logged ${times} times: ${text}`);
  }
}

export function startChaos(cluster: Cluster, options: ChaosOptions): Chaos {
  const calm = Promise.withResolvers<void>();
  const figures = cluster.use((own) => rage(cluster, own, options, calm.resolve));
  // If the chaos fails before the calm begins, `calm` rejects too: callers that await `calm` would otherwise wait for
  // ever.
  figures.catch(calm.reject);
  return { calm: calm.promise, figures };
}
