import type { Endpoint, Limits } from '../../src/stores/admission.ts';
import { BURST_WINDOW_SECONDS, CONTRACT_LIMITS, SUSTAINED_WINDOW_SECONDS } from '../../src/stores/admission.ts';
import type { Database } from '../../src/db/database.ts';
import type { ServerProcess } from '../../rig/processes/server-process.ts';
import { CONTRACT_PLAN, openStore } from '../../rig/stores/open-store.ts';
import type { ApiAnswer } from './client.ts';
import { createFor, getInvoice, inParallel, postCreate, tally } from './client.ts';
import type { DrillContext } from './creates.ts';

/**
 * Drills the contract's rate limits, which two processes together must keep exactly. A rate-limit window that a request
 * opens stays open until the drill ends it, so that no wave of requests can cross the end of a window.
 */

const WAVE = 40;
/** Requests that a quick run leaves of the minute's limit: SQL sets the counter of used requests, which saves waves. */
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

/** Opens windows in the future, which keeps them open: the product opens a window at the time of its statement. */
const KEEP_WINDOWS_OPEN = `
  create function keep_windows_open() returns trigger language plpgsql as $$
  begin
    if new.burst_started_at = statement_timestamp() then
      new.burst_started_at := new.burst_started_at + interval '1 day';
    end if;
    if new.sustained_started_at = statement_timestamp() then
      new.sustained_started_at := new.sustained_started_at + interval '1 day';
    end if;
    return new;
  end $$;
  create trigger keep_windows_open before insert or update on admissions
    for each row execute function keep_windows_open()`;

type Window = 'burst' | 'sustained';
const WINDOW_SECONDS: Record<Window, number> = { burst: BURST_WINDOW_SECONDS, sustained: SUSTAINED_WINDOW_SECONDS };

/** Ends an open window, as if its time had just passed. */
async function endWindow(database: Database, { bucket }: Caller, endpoint: Endpoint, window: Window): Promise<void> {
  await database.pool.query(
    `update admissions set ${window}_started_at = statement_timestamp() - make_interval(secs => $3)
     where bucket = $1 and endpoint = $2`,
    [bucket, endpoint, WINDOW_SECONDS[window]],
  );
}

async function countInBurst(database: Database, { bucket }: Caller, endpoint: Endpoint): Promise<number> {
  const { rows } = await database.pool.query<{ used: number }>(
    'select burst_used as used from admissions where bucket = $1 and endpoint = $2',
    [bucket, endpoint],
  );
  return rows[0]?.used ?? 0;
}

type Wave = { granted: number; sustained: number; burst: number; answers: ApiAnswer[] };

async function runWave(context: DrillContext, caller: Caller, endpoint: Endpoint): Promise<Wave> {
  const { database, servers, faults } = context;
  await endWindow(database, caller, endpoint, 'burst');
  const answers = await inParallel(servers, WAVE, (server) => caller.call(server));
  const counted = await countInBurst(database, caller, endpoint);
  if (counted !== WAVE) faults.add(`${caller.bucket}: ${counted} counted of ${WAVE}`);
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
  const figures = { name: series.name, requests: 0, waves: 0, granted: 0, expected: 0 };
  const runs: { wave: Wave; expected: number }[] = [];
  const waves = planWaves(limits, quick);
  for (const [position, expected] of waves.entries()) {
    if (quick && position === QUICK_WAVES) await leaveInMinute(database, caller, series.endpoint, LEFT_IN_QUICK_RUN);
    runs.push({ wave: await runWave(context, caller, series.endpoint), expected });
  }
  await endWindow(database, caller, series.endpoint, 'sustained');
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

/** Runs all series of waves at once: their buckets are separate. */
export async function drillLimits(context: DrillContext, quick: boolean): Promise<(LimitFigures & LimitDifferences)[]> {
  // The plan is created once in advance, so that the series do not race to create it.
  await openStore(context.database, { plan: CONTRACT_PLAN });
  await context.database.pool.query(KEEP_WINDOWS_OPEN);
  return Promise.all(SERIES.map((series) => runSeries(context, series, quick)));
}
