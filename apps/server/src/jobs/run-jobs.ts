import type { PgBoss } from 'pg-boss';
import type { Logger } from 'pino';
import { runBeside } from '../lib/watchdog.ts';
import type { JobRun } from './job-handler.ts';
import type { JobData, JobName } from './job.ts';
import { JOB_POLICIES, LIFE_SECONDS } from './job.ts';
import type { Jobs } from './open-jobs.ts';

/** Pause between signs of life of a job: three of them fit into the time after which a job is taken away. */
const SIGN_MS = (LIFE_SECONDS * 1_000) / 4;
/** How long a worker that is told to stop still waits for its jobs; shorter than what a process gets for stopping. */
const STOP_GRACE_MS = 8_000;
const MAX_REASON = 500;

type RunContext = {
  jobs: Jobs;
  log: Logger;
  signal: AbortSignal;
  /** How many times faster than real time the process runs in a test or demonstration; absent in real time. */
  pace?: number;
};

/** Job as pg-boss hands it out. `retryCount` is sent back with its outcome: a job that was taken away is left alone. */
type Fetched<Name extends JobName> = { id: string; retryCount: number; data: JobData[Name] };

/** Waits for work, at most `maxMs`, and only `graceMs` from the moment at which the signal is aborted. */
async function withinLimits(
  work: Promise<void>,
  { maxMs, graceMs, signal }: { maxMs: number; graceMs: number; signal: AbortSignal },
): Promise<void> {
  const limit = Promise.withResolvers<never>();
  const endIn = (ms: number, reason: string) => setTimeout(() => limit.reject(new Error(reason)), ms);
  const timers = [endIn(maxMs, 'The job took too long.')];
  const stopSoon = () => void timers.push(endIn(graceMs, 'The worker stops.'));
  if (signal.aborted) stopSoon();
  else signal.addEventListener('abort', stopSoon, { once: true });
  try {
    await Promise.race([work, limit.promise]);
  } finally {
    for (const timer of timers) clearTimeout(timer);
    signal.removeEventListener('abort', stopSoon);
  }
}

async function runJob<Name extends JobName>(
  { boss, log, signal, pace = 1 }: Omit<RunContext, 'jobs'> & { boss: PgBoss },
  name: Name,
  run: JobRun<Name>,
  job: Fetched<Name>,
): Promise<void> {
  const warn = (cause: unknown, words: string) => log.warn({ err: cause, job: name, id: job.id }, words);
  const signs = setInterval(() => {
    boss.touch(name, job).catch((cause: unknown) => warn(cause, 'a job could not show life'));
  }, SIGN_MS);
  try {
    const maxMs = JOB_POLICIES[name].maxSeconds * 1_000;
    await withinLimits(run(job.data), { maxMs, graceMs: STOP_GRACE_MS / pace, signal });
  } catch (cause) {
    warn(cause, 'a job failed, and is retried unless its attempts are used up');
    const reason = cause instanceof Error ? cause.message : String(cause);
    await boss.fail(name, job, { reason: reason.slice(0, MAX_REASON) });
    return;
  } finally {
    clearInterval(signs);
  }
  await boss.complete(name, job);
}

/**
 * Runs the due jobs of one kind, a few at once, and saves the outcome of each. Returns whether there may be more. The
 * outcome of a job is saved after its effect, so a worker that dies in between has the job done twice.
 */
export async function runJobs<Name extends JobName>(
  context: RunContext,
  name: Name,
  run: JobRun<Name>,
): Promise<boolean> {
  const { atOnce } = JOB_POLICIES[name];
  const boss = await context.jobs.ready();
  if (!boss) return false;
  const fetched = await boss.fetch<JobData[Name]>(name, { batchSize: atOnce });
  const ended = await Promise.allSettled(
    fetched.map((job) => runBeside(`${name} ${job.id}`, () => runJob({ ...context, boss }, name, run, job))),
  );
  // Outcomes that could not be saved have their jobs done again; the loop says so and waits longer.
  for (const one of ended) if (one.status === 'rejected') throw one.reason;
  return fetched.length === atOnce;
}
