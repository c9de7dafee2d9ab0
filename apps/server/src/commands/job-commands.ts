import { HOUR_MS } from '@counterfoil/core/duration.ts';
import { z } from 'zod';
import { wholeNumber } from '../config/setting.ts';
import type { FailedExport } from '../exports/export-fault-sql.ts';
import { listFailedExports } from '../exports/export-fault-sql.ts';
import type { JobName } from '../jobs/job.ts';
import { JOB_NAMES } from '../jobs/job.ts';
import type { ListedJob } from '../jobs/job-list-sql.ts';
import { listJobs } from '../jobs/job-list-sql.ts';
import { MOST_RETRIED, retryJobs } from '../jobs/retry-jobs.ts';
import { Refusal } from '../lib/refusal.ts';
import type { FailedMail } from '../mail/mail-retry-sql.ts';
import { listFailedMails } from '../mail/mail-retry-sql.ts';
import { retryMails } from '../mail/retry-mails.ts';
import type { Answer } from './command.ts';
import { command } from './command.ts';
import { CommandError } from './command-error.ts';
import type { OperatorContext } from './operator-context.ts';

/** Commands about emails and exports that a worker sends and makes. */

const MAX_LISTED = 200;
const MAX_HOURS = 2_160;
const hours = wholeNumber(1, MAX_HOURS).default(24);
const sinceHours = ({ clock }: OperatorContext, count: number) => new Date(clock.nowMs() - count * HOUR_MS);

const listInput = z.object({ state: z.enum(['waiting', 'active', 'failed']).default('waiting'), hours });

const showJob = (one: ListedJob) => ({
  job: one.job ?? 'kept until jobs are on again',
  queue: one.queue,
  ...one.data,
  created_at: one.createdAt,
  ...(one.startedAt ? { started_at: one.startedAt } : { starts_after: one.startAfter }),
  failures: one.failures,
  ...(one.mostFailures !== null && { most_failures: one.mostFailures }),
  ...(one.lastError !== null && { last_error: one.lastError }),
});

const showMail = (one: FailedMail) => ({
  job: `mail:${one.id}`,
  queue: 'send-mail',
  template: one.template,
  created_at: one.createdAt,
  failed_at: one.decidedAt,
  attempts: one.attempts,
  ...(one.lastError !== null && { last_error: one.lastError }),
});

const showExport = (one: FailedExport) => ({
  job: `export:${one.code}`,
  queue: 'make-export',
  created_at: one.createdAt,
  failed_at: one.doneAt,
  attempts: one.tries,
  ...(one.fault !== null && { last_error: one.fault }),
});

async function showFailed({ database: { queries } }: OperatorContext, since: Date): Promise<Answer> {
  const mails = await listFailedMails(queries, since, MAX_LISTED);
  const exported = await listFailedExports(queries, since, MAX_LISTED);
  return [...mails.map(showMail), ...exported.map(showExport)]
    .toSorted((one, other) => other.failed_at.getTime() - one.failed_at.getTime())
    .slice(0, MAX_LISTED);
}

const jobList = command<OperatorContext, typeof listInput>('job list', {
  summary: `Emails and exports that wait for a worker, that one works on, or that failed; ${MAX_LISTED} at most.`,
  options: {
    state: 'waiting|active|failed (waiting)',
    hours: 'NUMBER        failed ones: how far back, at most 2160 (24)',
  },
  input: listInput,
  run: async (context, { state, hours: count }) =>
    state === 'failed'
      ? showFailed(context, sinceHours(context, count))
      : (await listJobs(context.database.queries, state, MAX_LISTED)).map(showJob),
});

const retryInput = z.object({
  job: z
    .string()
    .regex(/^([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|mail:\d{1,18}|export:.{1,64})$/, 'must be a job of job list')
    .optional(),
  queue: z.enum(JOB_NAMES as [JobName, ...JobName[]]).optional(),
  hours,
});

async function retryOne(context: OperatorContext, job: string): Promise<Answer> {
  if (job.startsWith('export:')) throw new Refusal('EXPORT_NOT_RETRIED');
  if (!job.startsWith('mail:')) return { job, started: await retryJobs(context, context.actor, { id: job }) };
  const id = BigInt(job.slice('mail:'.length));
  const outbox = await context.outbox();
  return { job, queued: await retryMails(context, context.actor, { outbox, chosen: { id }, limit: 1 }) };
}

async function retryQueue(context: OperatorContext, queue: JobName, since: Date): Promise<Answer> {
  if (queue !== 'send-mail') return { queue, started: await retryJobs(context, context.actor, { queue }) };
  const outbox = await context.outbox();
  if (!outbox.jobs) throw new Refusal('MAIL_NOT_SET_UP');
  const started = await retryJobs(context, context.actor, { queue });
  const queued = await retryMails(context, context.actor, { outbox, chosen: { since }, limit: MOST_RETRIED });
  return { queue, started, queued };
}

const jobRetry = command<OperatorContext, typeof retryInput>('job retry', {
  summary: `Let a job that waits for its next attempt start now, or queue a failed email again; ${MOST_RETRIED} at a time. Audited.`,
  options: {
    job: 'ID              as job list shows it',
    queue: `${JOB_NAMES.join('|')} all jobs of a queue instead`,
    hours: 'NUMBER        of a queue: emails that failed in this time, at most 2160 (24)',
  },
  input: retryInput,
  run: async (context, { job, queue, hours: count }) => {
    if ((job === undefined) === (queue === undefined)) throw new CommandError('Give either --job or --queue.');
    if (job !== undefined) return retryOne(context, job);
    return retryQueue(context, queue ?? 'send-mail', sinceHours(context, count));
  },
});

export const jobCommands = [jobList, jobRetry];
