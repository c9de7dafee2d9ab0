import type { Registry } from 'prom-client';
import { Counter } from 'prom-client';
import type { Database } from '../db/database.ts';
import { COUNTED_UP_TO, readJobHealth } from '../jobs/job-health-sql.ts';
import { FAILED_JOBS } from '../jobs/job-topic.ts';
import { JOB_NAMES } from '../jobs/job.ts';
import { MAIL_OUTCOMES, TRIED_MAILS } from '../mail/mail-topic.ts';
import { gauge, observe } from './observe.ts';

const METRICS = {
  counterfoil_jobs_waiting: gauge(`Jobs that no worker does yet, by kind; ${COUNTED_UP_TO} stands for more.`, 'kind'),
  counterfoil_job_oldest_due_seconds: gauge('How long the oldest waiting job of a kind has been due.', 'kind'),
  counterfoil_jobs_unsent: gauge(
    `Jobs of processes with jobs off, which a worker has yet to send; ${COUNTED_UP_TO} stands for more.`,
  ),
};

/** Metrics of jobs and emails. A waiting email is a waiting job of the kind `send-mail`. */
export function observeJobs(registry: Registry, { queries }: Database): void {
  observe(registry, METRICS, async () => {
    const { kinds, unsent } = await readJobHealth(queries);
    return {
      counterfoil_jobs_waiting: kinds.map(({ name, waiting }) => [{ kind: name }, waiting]),
      counterfoil_job_oldest_due_seconds: kinds.map(({ name, oldestDueSeconds }) => [{ kind: name }, oldestDueSeconds]),
      counterfoil_jobs_unsent: unsent,
    };
  });
  const failed = new Counter({
    name: 'counterfoil_jobs_failed_total',
    help: 'Jobs that failed after their last attempt, by kind.',
    labelNames: ['kind'],
    registers: [registry],
  });
  for (const kind of JOB_NAMES) failed.inc({ kind }, 0);
  FAILED_JOBS.subscribe((kind) => failed.inc({ kind }));
  const emails = new Counter({
    name: 'counterfoil_emails_total',
    help: 'Attempts of this worker to send an email, by outcome.',
    labelNames: ['outcome'],
    registers: [registry],
  });
  for (const outcome of MAIL_OUTCOMES) emails.inc({ outcome }, 0);
  TRIED_MAILS.subscribe((outcome) => emails.inc({ outcome }));
}
