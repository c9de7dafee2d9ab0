import { countDays } from './days/count-days.ts';
import { performAttachments } from './invoices/perform-attachments.ts';
import { createReadRate } from './rates/read-rate.ts';
import { createInsertInvoice } from './invoices/create-invoice.ts';
import { openTopupInvoices } from './invoices/open-topup-invoices.ts';
import { buryJobs } from './jobs/bury-jobs.ts';
import { CHECK_JOBS_MS, checkJobs } from './jobs/check-jobs.ts';
import type { JobHandler, JobHandlers } from './jobs/job-handler.ts';
import type { JobName } from './jobs/job.ts';
import type { Jobs } from './jobs/open-jobs.ts';
import { runJobs } from './jobs/run-jobs.ts';
import { sendWaitingJobs } from './jobs/send-waiting-jobs.ts';
import { superviseJobs } from './jobs/supervise-jobs.ts';
import { steadyClock } from './lib/clock.ts';
import { CONFIRM_MAIL_MS, confirmMailSetup } from './mail/confirm-mail-setup.ts';
import { sweepNotices } from './notices/sweep-notices.ts';
import { watchSignIns } from './people/watch-sign-ins.ts';
import { applyMethodChanges } from './wallets/apply-method-changes.ts';
import type { WorkerLoop, WorkerParts } from './worker-loop.ts';

const ATTACH_IDLE_MS = 250;
const METHODS_IDLE_MS = 5_000;
/** A user waits for the checkout. */
const TOPUPS_IDLE_MS = 500;
/** Mostly no day is due. */
const DAYS_IDLE_MS = 15_000;
const NOTICES_MS = 60_000;
const SIGN_INS_MS = 60_000;
const JOBS_IDLE_MS = 1_000;
const WAITING_JOBS_IDLE_MS = 2_000;
const DEAD_JOBS_IDLE_MS = 10_000;
/** Mostly another worker has just searched. */
const SUPERVISE_IDLE_MS = 5_000;

/** One loop per kind of job, so that none waits for another, and those that supervise all. */
export function createJobLoops(
  { database, clock, log, pace }: WorkerParts,
  { jobs, handlers, signal }: { jobs: Jobs; handlers: JobHandlers; signal: AbortSignal },
): WorkerLoop[] {
  const look = async () => {
    await superviseJobs(jobs);
    return false;
  };
  const check = async () => {
    await checkJobs({ database, clock, jobs }, 'worker');
    return false;
  };
  const loopOf = <Name extends JobName>(name: Name, { run }: JobHandler<Name>): WorkerLoop[] => {
    if (!run) return [];
    return [{ name: `job ${name}`, idleMs: JOBS_IDLE_MS, body: () => runJobs({ jobs, log, signal, pace }, name, run) }];
  };
  return [
    ...loopOf('send-mail', handlers['send-mail']),
    ...loopOf('make-export', handlers['make-export']),
    { name: 'job tables', idleMs: CHECK_JOBS_MS, body: check },
    { name: 'waiting jobs', idleMs: WAITING_JOBS_IDLE_MS, body: () => sendWaitingJobs({ database, jobs }) },
    { name: 'dead jobs', idleMs: DEAD_JOBS_IDLE_MS, body: () => buryJobs({ database, clock, jobs }, handlers) },
    { name: 'lost jobs', idleMs: SUPERVISE_IDLE_MS, body: look },
  ];
}

export function createMethodLoop({ database, clock, log, owner, pace }: WorkerParts, jobs: Jobs): WorkerLoop {
  const actor = { kind: 'worker', name: owner } as const;
  const body = () => applyMethodChanges({ database, clock, log, jobs }, actor);
  return { name: 'method changes', idleMs: METHODS_IDLE_MS / pace, body };
}

function createTopupLoop({ database, clock, log, owner, failpoint }: WorkerParts): WorkerLoop {
  const readRate = createReadRate(database.queries, clock);
  const context = { database, clock, log, failpoint, insertInvoice: createInsertInvoice(database), readRate };
  const actor = { kind: 'worker', name: owner } as const;
  return { name: 'top-ups', idleMs: TOPUPS_IDLE_MS, body: () => openTopupInvoices(context, actor) };
}

/** Attaches transfers as members requested. */
function createAttachLoop({ database, networks, clock, log, failpoint, owner }: WorkerParts): WorkerLoop {
  const actor = { kind: 'worker', name: owner } as const;
  const body = () => performAttachments({ database, networks, clock, log, failpoint }, actor);
  return { name: 'attachments', idleMs: ATTACH_IDLE_MS, body };
}

export function createMailSetupLoop({ database, clock, pace }: WorkerParts): WorkerLoop {
  const body = async () => {
    await confirmMailSetup({ database, clock });
    return false;
  };
  return { name: 'mail set-up', idleMs: CONFIRM_MAIL_MS / pace, body };
}

export function createNoticeLoop({ database, clock, pace }: WorkerParts, jobs: Jobs): WorkerLoop {
  const body = async () => {
    await sweepNotices({ database, clock, jobs });
    return false;
  };
  return { name: 'notices', idleMs: NOTICES_MS / pace, body };
}

function createDayLoop({ database, clock, pace }: WorkerParts): WorkerLoop {
  const body = () => countDays({ database, clock, steady: steadyClock });
  return { name: 'days', idleMs: DAYS_IDLE_MS / pace, body };
}

/** Watches refused sign-ins for passwords that are tested on many accounts. */
function createSignInLoop({ database, clock, pace }: WorkerParts): WorkerLoop {
  const body = async () => {
    await watchSignIns({ database, clock });
    return false;
  };
  return { name: 'sign-ins', idleMs: SIGN_INS_MS / pace, body };
}

export function createMemberLoops(parts: WorkerParts): WorkerLoop[] {
  return [createTopupLoop(parts), createAttachLoop(parts), createDayLoop(parts), createSignInLoop(parts)];
}
