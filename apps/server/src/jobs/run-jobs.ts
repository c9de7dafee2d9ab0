import type { PgBoss } from 'pg-boss';
import type { Logger } from 'pino';
import { runBeside } from '../lib/watchdog.ts';
import type { JobRun } from './job-handler.ts';
import type { JobData, JobName } from './job.ts';
import { JOB_POLICIES, LIFE_SECONDS } from './job.ts';
import type { Jobs } from './open-jobs.ts';

const SIGN_MS = (LIFE_SECONDS * 1_000) / 4;
/** How long a stopping worker waits for its jobs; less than a process gets for stopping. */
const STOP_GRACE_MS = 8_000;
const MAX_REASON = 500;

type RunContext = {
  jobs: Jobs;
  log: Logger;
  signal: AbortSignal;
  /** Speed relative to real time in tests and demonstrations. */
  pace?: number;
};

/** A job from pg-boss. `retryCount` is sent back with the outcome, so that a job that was taken away is left alone. */
type Fetched<Name extends JobName> = { id: string; retryCount: number; data: JobData[Name] };

/** Waits for work at most `maxMs`, and at most `graceMs` after the signal is aborted. */
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
 * Runs due jobs of one kind, a few in parallel, and saves their outcomes. Returns whether there may be more. A worker
 * that dies between effect and outcome causes a repetition.
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
  // Jobs without a saved outcome run again; the loop logs it and waits longer.
  for (const one of ended) if (one.status === 'rejected') throw one.reason;
  return fetched.length === atOnce;
}
