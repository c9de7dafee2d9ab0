import { setTimeout as wait } from 'node:timers/promises';
import type { Endpoint, Limits } from '../../src/stores/admission.ts';
import { BURST_WINDOW_SECONDS, CONTRACT_LIMITS, SUSTAINED_WINDOW_SECONDS } from '../../src/stores/admission.ts';
import type { Database } from '../../src/db/database.ts';
import type { ServerProcess } from '../../rig/processes/server-process.ts';
import { CONTRACT_PLAN, openStore } from '../../rig/stores/open-store.ts';
import type { ApiAnswer } from './client.ts';
import { createFor, getInvoice, inParallel, postCreate, tally } from './client.ts';
import type { DrillContext } from './creates.ts';

/** Drills the contract's rate limits, which two processes together must keep exactly, in database time. */

const WAVE = 40;
/** Longest duration of a wave of requests: a slower wave may have met two rate windows and proves nothing. */
const MAX_WAVE_MS = 900;
const MAX_SERIES_MS = (SUSTAINED_WINDOW_SECONDS - 1) * 1_000;
const MAX_REPEATS = 5;
const POLL_MS = 10;
/**
 * Requests that a quick run leaves of the minute's limit: SQL sets the counter of used requests accordingly, which
 * saves a minute of waves.
 */
const LEFT_IN_QUICK_RUN = 3;
const QUICK_WAVES = 2;

/** A limited caller: the bucket by which it is counted, its call, and how an admitted call is recognised. */
type Caller = { bucket: string; call(server: ServerProcess): Promise<ApiAnswer>; admitted(answer: ApiAnswer): boolean };
type Series = { name: string; endpoint: Endpoint; open(context: DrillContext): Promise<Caller> };

export type LimitFigures = {
  name: string;
  requests: number;
  waves: number;
  granted: number;
  expected: number;
  repeats: number;
};

let strangers = 0;

/** A new IP address, named in the header of the trusted proxy that this drill plays. */
function nextStranger(): string {
  strangers += 1;
  return `198.51.100.${strangers}`;
}

const isMissingKey = (answer: ApiAnswer) => answer.body.error_code === 'MISSING_API_KEY';
const isSuccess = (answer: ApiAnswer) => answer.status === 200;

async function openCreator({ database }: DrillContext): Promise<Caller> {
  const store = await openStore(database, { plan: CONTRACT_PLAN });
  let calls = 0;
  return {
    bucket: `s${store.id}`,
    call: (server) => createFor(server, store, `limited-${(calls += 1)}`),
    admitted: isSuccess,
  };
}

async function openReader({ database, servers }: DrillContext): Promise<Caller> {
  const store = await openStore(database, { plan: CONTRACT_PLAN });
  const [created] = await inParallel(servers, 1, (server) => createFor(server, store, 'looked-up'));
  const transId = created?.body.data?.trans_id ?? '';
  return {
    bucket: `s${store.id}`,
    call: (server) => getInvoice(server, { 'x-api-key': store.apiKey }, transId),
    admitted: isSuccess,
  };
}

async function openStranger(call: (server: ServerProcess, headers: Record<string, string>) => Promise<ApiAnswer>) {
  const address = nextStranger();
  return {
    bucket: `a${address}`,
    call: (server: ServerProcess) => call(server, { 'x-forwarded-for': address }),
    admitted: isMissingKey,
  };
}

const SERIES: readonly Series[] = [
  { name: 'creates of a store', endpoint: 'create', open: openCreator },
  { name: 'lookups of a store', endpoint: 'lookup', open: openReader },
  {
    name: 'creates without a key',
    endpoint: 'create',
    open: () => openStranger((server, headers) => postCreate(server, headers, '{}')),
  },
  {
    name: 'lookups without a key',
    endpoint: 'lookup',
    open: () => openStranger((server, headers) => getInvoice(server, headers, 'TID-ABCDEFGHIJKLMNOP')),
  },
];

type WindowAges = { burstMs: number; sustainedMs: number; burstUsed: number };

/** Ages of a bucket's two rate windows, by the database's clock; undefined before the bucket's first request. */
async function readAges(database: Database, bucket: string, endpoint: Endpoint): Promise<WindowAges | undefined> {
  const { rows } = await database.pool.query<{ burst_ms: number; sustained_ms: number; burst_used: number }>(
    `select extract(epoch from clock_timestamp() - burst_started_at)::float8 * 1000 as burst_ms,
       extract(epoch from clock_timestamp() - sustained_started_at)::float8 * 1000 as sustained_ms, burst_used
     from admissions where bucket = $1 and endpoint = $2`,
    [bucket, endpoint],
  );
  const [row] = rows;
  return row && { burstMs: row.burst_ms, sustainedMs: row.sustained_ms, burstUsed: row.burst_used };
}

async function waitForWindow(database: Database, caller: Caller, endpoint: Endpoint, window: keyof WindowAges) {
  const lengthMs = (window === 'burstMs' ? BURST_WINDOW_SECONDS : SUSTAINED_WINDOW_SECONDS) * 1_000;
  for (;;) {
    const ages = await readAges(database, caller.bucket, endpoint);
    if (!ages || ages[window] > lengthMs) return;
    await wait(POLL_MS);
  }
}

/** Thrown when a wave of requests crossed the end of a rate window: its series is discarded, not judged. */
class CrossedWindowError extends Error {}

type Wave = { granted: number; sustained: number; burst: number; answers: ApiAnswer[] };

async function runWave(context: DrillContext, caller: Caller, endpoint: Endpoint): Promise<Wave> {
  await waitForWindow(context.database, caller, endpoint, 'burstMs');
  const answers = await inParallel(context.servers, WAVE, (server) => caller.call(server));
  const ages = await readAges(context.database, caller.bucket, endpoint);
  if (!ages || ages.burstMs > MAX_WAVE_MS || ages.sustainedMs > MAX_SERIES_MS) throw new CrossedWindowError();
  if (ages.burstUsed !== WAVE) context.faults.add(`${caller.bucket}: ${ages.burstUsed} counted of ${WAVE}`);
  const refusedBy = (type: string) =>
    answers.filter((answer) => answer.status === 429 && answer.body.limit_type === type).length;
  return {
    granted: answers.filter((answer) => caller.admitted(answer)).length,
    sustained: refusedBy('sustained'),
    burst: refusedBy('burst'),
    answers,
  };
}

/**
 * How many requests of each wave must pass: full seconds, then what is left of the minute's limit, then none; then a
 * full second in the next minute.
 */
function planWaves(limits: Limits, quick: boolean): number[] {
  const full = quick ? QUICK_WAVES : limits.sustained / limits.burst;
  const rest = quick ? [LEFT_IN_QUICK_RUN] : [];
  return [...Array.from({ length: full }, () => limits.burst), ...rest, 0];
}

async function runSeries(
  context: DrillContext,
  series: Series,
  quick: boolean,
): Promise<LimitFigures & LimitDifferences> {
  const { database, faults } = context;
  const limits = CONTRACT_LIMITS[series.endpoint];
  const caller = await series.open(context);
  const figures = { name: series.name, requests: 0, waves: 0, granted: 0, expected: 0, repeats: 0 };
  const runs: { wave: Wave; expected: number }[] = [];
  const waves = planWaves(limits, quick);
  for (const [position, expected] of waves.entries()) {
    if (quick && position === QUICK_WAVES) await leaveInMinute(database, caller, series.endpoint, LEFT_IN_QUICK_RUN);
    runs.push({ wave: await runWave(context, caller, series.endpoint), expected });
  }
  if (quick) await ageMinute(database, caller, series.endpoint);
  await waitForWindow(database, caller, series.endpoint, 'sustainedMs');
  runs.push({ wave: await runWave(context, caller, series.endpoint), expected: limits.burst });
  for (const { wave, expected } of runs) {
    figures.waves += 1;
    figures.requests += wave.answers.length;
    figures.granted += wave.granted;
    figures.expected += expected;
    // Refused requests that the second's limit allows have the limit type "sustained"; all other refused requests have
    // the limit type "burst".
    const exact = wave.sustained === limits.burst - expected && wave.burst === WAVE - limits.burst;
    if (wave.granted !== expected || !exact) {
      faults.add(`${series.name}, wave ${figures.waves}: ${expected} expected, ${tally(wave.answers)}`);
    }
  }
  return { ...figures, ...differences(runs) };
}

export type LimitDifferences = { excess: number; shortfall: number };

function differences(runs: readonly { wave: Wave; expected: number }[]): LimitDifferences {
  const over = runs.map(({ wave, expected }) => wave.granted - expected);
  return {
    excess: over.reduce((sum, one) => sum + Math.max(0, one), 0),
    shortfall: over.reduce((sum, one) => sum + Math.max(0, -one), 0),
  };
}

async function leaveInMinute(database: Database, caller: Caller, endpoint: Endpoint, left: number): Promise<void> {
  await database.pool.query('update admissions set sustained_used = $3 where bucket = $1 and endpoint = $2', [
    caller.bucket,
    endpoint,
    CONTRACT_LIMITS[endpoint].sustained - left,
  ]);
}

async function ageMinute(database: Database, caller: Caller, endpoint: Endpoint): Promise<void> {
  await database.pool.query(
    `update admissions set sustained_started_at = sustained_started_at - make_interval(secs => $3)
     where bucket = $1 and endpoint = $2`,
    [caller.bucket, endpoint, SUSTAINED_WINDOW_SECONDS],
  );
}

async function runUntilJudged(context: DrillContext, series: Series, quick: boolean) {
  for (let repeats = 0; repeats <= MAX_REPEATS; repeats += 1) {
    try {
      return { ...(await runSeries(context, series, quick)), repeats };
    } catch (cause) {
      if (!(cause instanceof CrossedWindowError)) throw cause;
    }
  }
  throw new Error(`${series.name}: every try crossed a window; this machine is too busy to judge limits.`);
}

/** Runs all series of waves at once: their buckets are separate, so the series share the waiting time. */
export async function drillLimits(context: DrillContext, quick: boolean): Promise<(LimitFigures & LimitDifferences)[]> {
  // The plan is created once in advance, so that the series do not race to create it.
  await openStore(context.database, { plan: CONTRACT_PLAN });
  return Promise.all(SERIES.map((series) => runUntilJudged(context, series, quick)));
}
