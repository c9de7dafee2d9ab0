import { countDays } from './days/count-days.ts';
import { performAttachments } from './invoices/perform-attachments.ts';
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

/** Loops of a worker that serve the members of merchants: jobs, changes, top-ups, attachments, figures and notices. */

const ATTACH_IDLE_MS = 250;
const METHODS_IDLE_MS = 5_000;
/** Pause of the loop that makes the invoices of top-ups: somebody waits for the checkout. */
const TOPUPS_IDLE_MS = 500;
/** Pause of the loop that counts days; most of its looks find that none is due. */
const DAYS_IDLE_MS = 15_000;
const NOTICES_MS = 60_000;
const SIGN_INS_MS = 60_000;
const JOBS_IDLE_MS = 1_000;
const WAITING_JOBS_IDLE_MS = 2_000;
const DEAD_JOBS_IDLE_MS = 10_000;
/** Pause of the loop that looks for jobs whose worker is gone; most of its looks find that another worker just did. */
const SUPERVISE_IDLE_MS = 5_000;

/** Loops that do jobs: one for each kind, so that no kind waits for another, and those that look after all of them. */
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

/** Loop that applies changes of payment methods whose time has come. */
export function createMethodLoop({ database, clock, log, owner, pace }: WorkerParts, jobs: Jobs): WorkerLoop {
  const actor = { kind: 'worker', name: owner } as const;
  const body = () => applyMethodChanges({ database, clock, log, jobs }, actor);
  return { name: 'method changes', idleMs: METHODS_IDLE_MS / pace, body };
}

/** Loop that makes the invoices of top-ups. */
function createTopupLoop({ database, clock, log, owner, failpoint }: WorkerParts): WorkerLoop {
  const context = { database, clock, log, failpoint, insertInvoice: createInsertInvoice(database) };
  const actor = { kind: 'worker', name: owner } as const;
  return { name: 'top-ups', idleMs: TOPUPS_IDLE_MS, body: () => openTopupInvoices(context, actor) };
}

/** Loop that attaches transfers to invoices as members asked for at the dashboard. */
function createAttachLoop({ database, networks, clock, log, failpoint, owner }: WorkerParts): WorkerLoop {
  const actor = { kind: 'worker', name: owner } as const;
  const body = () => performAttachments({ database, networks, clock, log, failpoint }, actor);
  return { name: 'attachments', idleMs: ATTACH_IDLE_MS, body };
}

/** Worker loop that refreshes the record that email is set up. Only workers with a mail server run it. */
export function createMailSetupLoop({ database, clock, pace }: WorkerParts): WorkerLoop {
  const body = async () => {
    await confirmMailSetup({ database, clock });
    return false;
  };
  return { name: 'mail set-up', idleMs: CONFIRM_MAIL_MS / pace, body };
}

/** Loop that looks for facts that people are told by mail. */
export function createNoticeLoop({ database, clock, pace }: WorkerParts, jobs: Jobs): WorkerLoop {
  const body = async () => {
    await sweepNotices({ database, clock, jobs });
    return false;
  };
  return { name: 'notices', idleMs: NOTICES_MS / pace, body };
}

/** Loop that counts the figures of days. */
function createDayLoop({ database, clock, pace }: WorkerParts): WorkerLoop {
  const body = () => countDays({ database, clock, steady: steadyClock });
  return { name: 'days', idleMs: DAYS_IDLE_MS / pace, body };
}

/** Loop that watches refused sign-ins for passwords that are tried at many accounts. */
function createSignInLoop({ database, clock, pace }: WorkerParts): WorkerLoop {
  const body = async () => {
    await watchSignIns({ database, clock });
    return false;
  };
  return { name: 'sign-ins', idleMs: SIGN_INS_MS / pace, body };
}

/** Loops that do what members asked for, and count what they look at. */
export function createMemberLoops(parts: WorkerParts): WorkerLoop[] {
  return [createTopupLoop(parts), createAttachLoop(parts), createDayLoop(parts), createSignInLoop(parts)];
}
