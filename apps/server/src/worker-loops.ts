import type { Logger } from 'pino';
import { tellAuditHead } from './audit/tell-audit-head.ts';
import type { FollowedChain } from './chain-config.ts';
import { countDays } from './days/count-days.ts';
import { measureOffsetMs } from './db/clock-skew.ts';
import type { Database } from './db/database.ts';
import { ensurePartitions } from './db/partition-sql.ts';
import type { Followed } from './http/chain-metrics.ts';
import { createApplyTransfers } from './invoices/apply-transfers.ts';
import { createDecidePendingInvoices } from './invoices/decide-pending-invoices.ts';
import { performAttachments } from './invoices/perform-attachments.ts';
import { expireDueInvoices } from './invoices/expire-due-invoices.ts';
import { explainTransfers } from './invoices/explain-transfers.ts';
import { createFindEnds } from './invoices/expiry-sql.ts';
import { createInsertInvoice } from './invoices/create-invoice.ts';
import { openTopupInvoices } from './invoices/open-topup-invoices.ts';
import { readNamedTransactions } from './invoices/read-named-transactions.ts';
import { reconcileEvents } from './invoices/reconcile-events.ts';
import { buryJobs } from './jobs/bury-jobs.ts';
import type { JobHandler, JobHandlers } from './jobs/job-handler.ts';
import type { JobName } from './jobs/job.ts';
import type { Jobs } from './jobs/open-jobs.ts';
import { runJobs } from './jobs/run-jobs.ts';
import { superviseJobs } from './jobs/supervise-jobs.ts';
import type { Clock, CorrectedClock } from './lib/clock.ts';
import { steadyClock, systemClock } from './lib/clock.ts';
import { readsAccounts } from './networks/network.ts';
import { isSandbox } from './networks/sandbox-networks.ts';
import type { Networks } from './networks/networks.ts';
import { profileOf } from './networks/profile.ts';
import { sweepNotices } from './notices/sweep-notices.ts';
import type { PriceSource } from './prices/price-source.ts';
import { refreshPrices } from './prices/refresh-prices.ts';
import { chainAudit } from './secrets/chain-audit.ts';
import type { HeldRing } from './secrets/hold-key-ring.ts';
import type { KeyRing } from './secrets/key-ring.ts';
import { createAccountFollower } from './accounts/account-follower.ts';
import { finishReading, followAccounts } from './accounts/follow-accounts.ts';
import { finishStatements, followStatements } from './accounts/follow-statements.ts';
import { createStatementFollower } from './accounts/statement-follower.ts';
import { followHead, followTiers } from './chains/follow-chain.ts';
import { createFollower } from './chains/follower.ts';
import { eraseExports } from './exports/erase-exports.ts';
import { checkClock } from './chains/check-clock.ts';
import { createAccountSource, createSource } from './sources/create-source.ts';
import type { RequestGate } from './platforms/exchange/request-gate.ts';
import { eraseActs } from './sandbox/erase-acts.ts';
import { followSandbox } from './sandbox/follow-sandbox.ts';
import { createSandboxSource } from './sandbox/sandbox-source.ts';
import { applyMethodChanges } from './wallets/apply-method-changes.ts';
import { checkDueKeys } from './wallets/check-due-keys.ts';
import { tuneGate } from './wallets/tune-gate.ts';
import { keepOpenKeys, openExchangeKey } from './wallets/open-exchange-key.ts';
import type { StatementSources } from './wallets/statement-sources.ts';
import { eraseWebhooks } from './webhooks/erase-webhooks.ts';
import { probeEndpoints } from './webhooks/probe-endpoints.ts';

/** Loops of a worker, except the loop that sends webhooks, which has many deliveries in flight at once. */

export type WorkerLoop = {
  name: string;
  /** Milliseconds that the loop sleeps when there was nothing to do. */
  idleMs: number;
  /** One run of the loop; returns true when there may be more to do. */
  body: () => Promise<boolean>;
};

export type WorkerParts = {
  database: Database;
  networks: Networks;
  clock: Clock;
  /** The clock that housekeeping sets to the database's time. */
  corrected: CorrectedClock;
  log: Logger;
  failpoint: (name: string) => void | Promise<void>;
  /** Name of this process in leases and audit entries. */
  owner: string;
  priceSources: readonly PriceSource[];
  webhookRetentionDays: number;
  /** Pause between polls for all networks; undefined if each network uses its own pause. */
  pollMs: number | undefined;
  /** How many times faster than real time the clock runs. */
  pace: number;
};

const EXPIRY_IDLE_MS = 250;
/** Pause of the loop that proves payments; without a new head the loop asks no provider and no database. */
const PROVE_IDLE_MS = 100;
const EXPLAIN_IDLE_MS = 250;
/** Pause of the loop for named transactions; without a named transaction the loop asks no provider. */
const NAMED_IDLE_MS = 1_000;
const PENDING_IDLE_MS = 500;
const ATTACH_IDLE_MS = 250;
const PRICES_MS = 5_000;
const RECONCILE_MS = 3_600_000;
const PROBE_MS = 20_000;
const RETENTION_MS = 600_000;
const HOUSEKEEPING_MS = 60_000;
const CLOCK_MS = 10_000;
/** Pause of the loop that looks for due exchange accounts. */
const EXCHANGE_IDLE_MS = 500;
const EXCHANGE_HEAD_MS = 5_000;
/**
 * Longest pause between reads of a followed account in the sandbox, which is also read whenever something changed
 * there.
 */
const SANDBOX_POLL_MS = 1_000;
const KEY_CHECK_IDLE_MS = 60_000;
const METHODS_IDLE_MS = 5_000;
/** Pause of the loop that makes the invoices of top-ups: somebody waits for the checkout. */
const TOPUPS_IDLE_MS = 500;
/** Pause of the loop that counts days; most of its looks find that none is due. */
const DAYS_IDLE_MS = 15_000;
const NOTICES_MS = 60_000;
const JOBS_IDLE_MS = 1_000;
const DEAD_JOBS_IDLE_MS = 10_000;
/** Pause of the loop that looks for jobs whose worker is gone; most of its looks find that another worker just did. */
const SUPERVISE_IDLE_MS = 5_000;
const AUDIT_IDLE_MS = 1_000;
const AUDIT_HEAD_MS = 3_600_000;
/**
 * How many times less often a followed account is polled whose amount slots are only in quarantine, compared with a
 * followed account that has an open quote.
 */
const RESTING_POLLS = 30;

/** The reader of a network: its loops, and the function that ends polls running beside the loops. */
export type Reader = Followed & { loops: WorkerLoop[]; finish: () => Promise<void> };

export function createReader(parts: WorkerParts, followed: FollowedChain): Reader {
  const { network } = followed;
  const { database, clock, networks, log, failpoint, owner } = parts;
  const idleMs = parts.pollMs ?? network.pollMs;
  const common = { database, clock, log, failpoint, apply: createApplyTransfers({ clock, networks }) };
  const name = `follow ${network.id}`;
  if (readsAccounts(network)) {
    const pollMs = { open: idleMs, resting: idleMs * RESTING_POLLS };
    const findEnds = createFindEnds(database.queries);
    const source = createAccountSource(followed);
    const secondReadAgeSeconds = profileOf(network).secondReadAgeSeconds / parts.pace;
    const reading = { pollMs, headsMs: idleMs, secondReadAgeSeconds };
    const accounts = createAccountFollower({ ...common, source, findEnds, ...reading });
    const body = async () => (await followAccounts(accounts)) === 'worked';
    const { counts } = accounts;
    return { source, counts, loops: [{ name, idleMs, body }], finish: () => finishReading(accounts) };
  }
  const source = createSource(followed);
  const chain = createFollower({ ...common, owner, source, clockRate: parts.pace });
  const head = { name, idleMs, body: async () => (await followHead(chain)) === 'worked' };
  const proofs = async () => (await followTiers(chain)) === 'worked';
  const loops = [
    head,
    { name: `prove ${network.id}`, idleMs: PROVE_IDLE_MS, body: proofs },
    { name: `named ${network.id}`, idleMs: NAMED_IDLE_MS, body: () => readNamedTransactions(chain) },
  ];
  return { source, counts: chain.counts, loops, finish: async () => {} };
}

/** The reader of the sandbox: one loop for all sandbox networks. */
export function createSandboxReader(parts: WorkerParts): Pick<Reader, 'loops' | 'finish'> {
  const { database, clock, networks, log, failpoint, pace } = parts;
  const common = { database, clock, log, failpoint, apply: createApplyTransfers({ clock, networks }) };
  const findEnds = createFindEnds(database.queries);
  const pollMs = { open: SANDBOX_POLL_MS, resting: SANDBOX_POLL_MS * RESTING_POLLS };
  const followers = [...networks.values()].filter(isSandbox).map((network) => {
    const source = createSandboxSource(network, { database, clock });
    return createAccountFollower({ ...common, source, findEnds, pollMs, headsMs: network.pollMs / pace });
  });
  const idleMs = Math.min(...followers.map(({ source }) => source.network.pollMs));
  const performing = { database, clock, networks, log, turn: { after: 0n } };
  const body = async () => (await followSandbox(performing, followers)) === 'worked';
  return {
    loops: [{ name: 'sandbox', idleMs, body }],
    finish: async () => {
      await Promise.all(followers.map(finishReading));
    },
  };
}

/** What a worker with the key ring needs to follow exchange accounts. */
type ExchangeParts = { ring: HeldRing; statements: StatementSources; gate: RequestGate };

/**
 * Whether exchange platforms may be asked: API keys can be opened, and the request gate knows the pauses of all
 * processes.
 */
async function mayAsk(parts: WorkerParts, { ring, gate }: ExchangeParts): Promise<boolean> {
  if (!ring.isUsable()) return false;
  await tuneGate(parts, gate);
  return true;
}

/** Readers of exchange accounts, one reader per platform. A platform where no store receives is not asked anything. */
export function createExchangeReaders(parts: WorkerParts, exchanges: ExchangeParts): Reader[] {
  const { ring, statements } = exchanges;
  const { database, clock, networks, log, failpoint } = parts;
  const keyOf = keepOpenKeys((one) => openExchangeKey(database.queries, ring, one));
  const common = { database, clock, log, failpoint, keyOf, apply: createApplyTransfers({ clock, networks }) };
  return [...statements.values()].map((source) => {
    // A configured pause never shortens the platform's own pause between polls: platforms refuse faster polls, and
    // payments would then be seen later.
    const open = Math.max(parts.pollMs ?? 0, source.network.pollMs / parts.pace);
    const pollMs = { open, resting: open * RESTING_POLLS };
    const follower = createStatementFollower({ ...common, source, pollMs, headMs: EXCHANGE_HEAD_MS * parts.pace });
    const body = async () => (await mayAsk(parts, exchanges)) && (await followStatements(follower)) === 'worked';
    const loops = [{ name: `follow ${source.network.id}`, idleMs: Math.min(open, EXCHANGE_IDLE_MS), body }];
    return { source, counts: follower.counts, loops, finish: () => finishStatements(follower) };
  });
}

/** Loop that checks the API keys of exchange accounts. */
export function createKeyCheckLoop(parts: WorkerParts, exchanges: ExchangeParts): WorkerLoop {
  const { database, clock, networks, log, owner, pace } = parts;
  const { ring, statements } = exchanges;
  const actor = { kind: 'worker', name: owner } as const;
  return {
    name: 'exchange keys',
    idleMs: KEY_CHECK_IDLE_MS / pace,
    body: async () =>
      (await mayAsk(parts, exchanges)) && checkDueKeys({ database, clock, networks, statements, ring, log }, actor),
  };
}

/**
 * Loops that expire invoices, explain transfers that match no invoice, and decide pending invoices that no commit of a
 * reader has decided.
 */
function createInvoiceLoops({ database, networks, clock, failpoint }: WorkerParts): WorkerLoop[] {
  const decidePending = createDecidePendingInvoices(database, clock, { failpoint });
  return [
    {
      name: 'expire',
      idleMs: EXPIRY_IDLE_MS,
      body: async () => (await expireDueInvoices({ database, clock, failpoint })) > 0,
    },
    {
      name: 'explain',
      idleMs: EXPLAIN_IDLE_MS,
      body: async () => (await explainTransfers({ database, networks })) > 0,
    },
    {
      name: 'pending',
      idleMs: PENDING_IDLE_MS,
      body: async () => (await decidePending()) > 0,
    },
  ];
}

/** Loop that attaches transfers to invoices as members asked for at the dashboard. */
function createAttachLoop({ database, clock, log, failpoint, owner }: WorkerParts): WorkerLoop {
  const actor = { kind: 'worker', name: owner } as const;
  const body = () => performAttachments({ database, clock, log, failpoint }, actor);
  return { name: 'attachments', idleMs: ATTACH_IDLE_MS, body };
}

/** Loops that do jobs: one for each kind, so that no kind waits for another, and two that look after all of them. */
export function createJobLoops(
  { database, clock, log }: WorkerParts,
  { jobs, handlers, signal }: { jobs: Jobs; handlers: JobHandlers; signal: AbortSignal },
): WorkerLoop[] {
  const look = async () => {
    await superviseJobs(jobs);
    return false;
  };
  const loopOf = <Name extends JobName>(name: Name, { run }: JobHandler<Name>): WorkerLoop[] => {
    if (!run) return [];
    return [{ name: `job ${name}`, idleMs: JOBS_IDLE_MS, body: () => runJobs({ jobs, log, signal }, name, run) }];
  };
  return [
    ...loopOf('send-mail', handlers['send-mail']),
    ...loopOf('make-export', handlers['make-export']),
    { name: 'dead jobs', idleMs: DEAD_JOBS_IDLE_MS, body: () => buryJobs({ database, clock, jobs }, handlers) },
    { name: 'lost jobs', idleMs: SUPERVISE_IDLE_MS, body: look },
  ];
}

/** Loop that applies changes of payment methods whose time has come; `jobs` is undefined without a mail server. */
export function createMethodLoop(
  { database, clock, log, owner, pace }: WorkerParts,
  jobs: Jobs | undefined,
): WorkerLoop {
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

/** Loop that looks for facts that people are told by mail; `jobs` is undefined without a mail server. */
export function createNoticeLoop({ database, clock, pace }: WorkerParts, jobs: Jobs | undefined): WorkerLoop {
  const body = async () => {
    await sweepNotices({ database, clock, jobs });
    return false;
  };
  return { name: 'notices', idleMs: NOTICES_MS / pace, body };
}

/** Loop that links audit entries to the audit chain; needs the key ring. */
export function createAuditLoop({ database, clock, owner }: WorkerParts, ring: KeyRing): WorkerLoop {
  const actor = { kind: 'worker', name: owner } as const;
  return { name: 'audit', idleMs: AUDIT_IDLE_MS, body: () => chainAudit({ database, clock, ring }, actor) };
}

export function createLoops(parts: WorkerParts, readers: readonly Reader[]): WorkerLoop[] {
  const { database, clock, log, owner, pace } = parts;
  return [
    ...readers.flatMap((reader) => reader.loops),
    ...createInvoiceLoops(parts),
    createTopupLoop(parts),
    createAttachLoop(parts),
    {
      name: 'prices',
      idleMs: PRICES_MS / pace,
      body: async () => {
        await refreshPrices({ database, clock, log, sources: parts.priceSources });
        return false;
      },
    },
    {
      name: 'reconcile',
      idleMs: RECONCILE_MS / pace,
      body: async () => {
        const { more, ...found } = await reconcileEvents({ database, clock }, { kind: 'worker', name: owner });
        if (found.events + found.deliveries + found.freed > 0) log.error(found, 'webhooks were missing or stuck');
        return more;
      },
    },
    {
      name: 'probe',
      idleMs: PROBE_MS / pace,
      body: async () => (await probeEndpoints({ database, clock })).more,
    },
    {
      name: 'retention',
      idleMs: RETENTION_MS,
      body: async () => {
        const { more, ...erased } = await eraseWebhooks({ database, clock }, parts.webhookRetentionDays);
        if (more) log.info(erased, 'old webhooks erased');
        const moreExports = await eraseExports({ database, clock });
        return (await eraseActs({ database, clock })) || moreExports || more;
      },
    },
    {
      name: 'days',
      idleMs: DAYS_IDLE_MS / pace,
      body: () => countDays({ database, clock, steady: steadyClock }),
    },
    {
      name: 'clock',
      idleMs: CLOCK_MS,
      body: async () => {
        const { right, ...off } = await checkClock({ database, clock });
        if (!right) log.error(off, 'our clock is wrong, as the networks tell; nothing is quoted');
        return false;
      },
    },
    {
      name: 'audit head',
      idleMs: AUDIT_HEAD_MS,
      body: async () => {
        await tellAuditHead({ database, log });
        return false;
      },
    },
    {
      name: 'housekeeping',
      idleMs: HOUSEKEEPING_MS,
      body: async () => {
        parts.corrected.correct(await measureOffsetMs(database.pool, systemClock));
        await ensurePartitions(database.pool, new Date(clock.nowMs()));
        return false;
      },
    },
  ];
}
