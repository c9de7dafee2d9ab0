import { tellAuditHead } from './audit/tell-audit-head.ts';
import type { FollowedChain } from './config/chain-settings.ts';
import { confirmDatabase } from './confirmations/confirm-database.ts';
import type { MarkRefusal } from './confirmations/judge-mark.ts';
import { measureOffsetMs } from './db/clock-skew.ts';
import { ensurePartitions } from './db/partition-sql.ts';
import type { Followed } from './http/chain-metrics.ts';
import { createApplyTransfers } from './invoices/apply-transfers.ts';
import { createDecidePendingInvoices } from './invoices/decide-pending-invoices.ts';
import { expireDueInvoices } from './invoices/expire-due-invoices.ts';
import { explainTransfers } from './invoices/explain-transfers.ts';
import { createFindEnds } from './invoices/expiry-sql.ts';
import { performCancels } from './invoices/perform-cancels.ts';
import { readNamedTransactions } from './invoices/read-named-transactions.ts';
import { reconcileEvents } from './invoices/reconcile-events.ts';
import { systemClock } from './lib/clock.ts';
import { readsAccounts } from './networks/network.ts';
import { isSandbox } from './networks/sandbox-networks.ts';
import { profileOf } from './networks/profile.ts';
import { refreshPrices } from './prices/refresh-prices.ts';
import { createRefreshRates } from './rates/refresh-rates.ts';
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
import { eraseMails } from './mail/erase-mails.ts';
import { eraseSecurityEvents } from './people/erase-security-events.ts';
import { eraseActs } from './sandbox/erase-acts.ts';
import { followSandbox } from './sandbox/follow-sandbox.ts';
import { createSandboxSource } from './sandbox/sandbox-source.ts';
import { checkDueKeys } from './wallets/check-due-keys.ts';
import { tuneGate } from './wallets/tune-gate.ts';
import { keepOpenKeys, openExchangeKey } from './wallets/open-exchange-key.ts';
import type { StatementSources } from './wallets/statement-sources.ts';
import { eraseWebhooks } from './webhooks/erase-webhooks.ts';
import { drainEndpoints } from './webhooks/drain-endpoints.ts';
import { probeEndpoints } from './webhooks/probe-endpoints.ts';
import { createMemberLoops } from './member-loops.ts';
import type { WorkerLoop, WorkerParts } from './worker-loop.ts';

/** Worker loops, except webhooks, which have many deliveries in flight. */

const EXPIRY_IDLE_MS = 250;
/** Without a new head, proving asks no provider and no database. */
const PROVE_IDLE_MS = 100;
/** A request to cancel is answered once it was performed. */
const CANCEL_IDLE_MS = 100;
const EXPLAIN_IDLE_MS = 250;
/** Without submitted transactions, no provider is asked. */
const NAMED_IDLE_MS = 1_000;
const PENDING_IDLE_MS = 500;
const PRICES_MS = 5_000;
const RATES_MS = 60_000;
const RECONCILE_MS = 3_600_000;
const DRAIN_MS = 2_000;
const PROBE_MS = 20_000;
const RETENTION_MS = 600_000;
const HOUSEKEEPING_MS = 60_000;
const CLOCK_MS = 10_000;
const CONFIRMATION_MS = 1_000;
/** While a mark is refused, one line a minute says so. */
const RUNS_PER_LINE = 60;
const EXCHANGE_IDLE_MS = 500;
const EXCHANGE_HEAD_MS = 5_000;
/** A changed sandbox account is read earlier. */
const SANDBOX_POLL_MS = 1_000;
const KEY_CHECK_IDLE_MS = 60_000;
const AUDIT_IDLE_MS = 1_000;
const AUDIT_HEAD_MS = 3_600_000;
/** Factor of the poll interval of accounts whose amounts are only in quarantine. */
const RESTING_POLLS = 30;

/** A network's reader: its loops, and the function that ends polls beside them. */
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

/** Whether exchange platforms may be asked: keys can be opened, and the gate has all processes' pauses. */
async function mayAsk(parts: WorkerParts, { ring, gate }: ExchangeParts): Promise<boolean> {
  if (!ring.isUsable()) return false;
  await tuneGate(parts, gate);
  return true;
}

/** One reader per platform. A platform without stores is not asked. */
export function createExchangeReaders(parts: WorkerParts, exchanges: ExchangeParts): Reader[] {
  const { ring, statements } = exchanges;
  const { database, clock, networks, log, failpoint } = parts;
  const keyOf = keepOpenKeys((one) => openExchangeKey(database.queries, ring, one));
  const common = { database, clock, log, failpoint, keyOf, apply: createApplyTransfers({ clock, networks }) };
  return [...statements.values()].map((source) => {
    // Never shorter than the platform's own pause: platforms refuse faster polls, which would delay payments.
    const open = Math.max(parts.pollMs ?? 0, source.network.pollMs / parts.pace);
    const pollMs = { open, resting: open * RESTING_POLLS };
    const follower = createStatementFollower({ ...common, source, pollMs, headMs: EXCHANGE_HEAD_MS * parts.pace });
    const body = async () => (await mayAsk(parts, exchanges)) && (await followStatements(follower)) === 'worked';
    const loops = [{ name: `follow ${source.network.id}`, idleMs: Math.min(open, EXCHANGE_IDLE_MS), body }];
    return { source, counts: follower.counts, loops, finish: () => finishStatements(follower) };
  });
}

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

/** Expires and cancels invoices, explains unmatched transfers, and decides pending invoices left by readers. */
function createInvoiceLoops({ database, networks, clock, failpoint }: WorkerParts): WorkerLoop[] {
  const decidePending = createDecidePendingInvoices(database, clock, { failpoint });
  return [
    {
      name: 'expire',
      idleMs: EXPIRY_IDLE_MS,
      body: async () => (await expireDueInvoices({ database, clock, failpoint })) > 0,
    },
    { name: 'cancel', idleMs: CANCEL_IDLE_MS, body: () => performCancels({ database, clock, failpoint }) },
    {
      name: 'explain',
      idleMs: EXPLAIN_IDLE_MS,
      body: async () => (await explainTransfers({ database, clock, networks })) > 0,
    },
    {
      name: 'pending',
      idleMs: PENDING_IDLE_MS,
      body: async () => (await decidePending()) > 0,
    },
  ];
}

export function createAuditLoop({ database, clock, owner }: WorkerParts, ring: KeyRing): WorkerLoop {
  const actor = { kind: 'worker', name: owner } as const;
  return { name: 'audit', idleMs: AUDIT_IDLE_MS, body: () => chainAudit({ database, clock, ring }, actor) };
}

/** What webhooks need besides being sent. */
function createWebhookLoops({ database, clock, log, owner, pace }: WorkerParts): WorkerLoop[] {
  return [
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
      name: 'drain-endpoints',
      idleMs: DRAIN_MS / pace,
      body: async () => (await drainEndpoints({ database, clock })).more,
    },
    {
      name: 'probe',
      idleMs: PROBE_MS / pace,
      body: async () => (await probeEndpoints({ database, clock })).more,
    },
  ];
}

function createRatesLoop({ database, clock, log, rateSources: sources, pace }: WorkerParts): WorkerLoop {
  const refreshRates = createRefreshRates({ database, clock, log, sources });
  return {
    name: 'rates',
    idleMs: RATES_MS / pace,
    body: async () => {
      await refreshRates();
      return false;
    },
  };
}

const REFUSED = {
  'went-back': 'the database is older than the mark in the state folder: quoting is paused until an operator decides',
  'mark-missing':
    'the state folder has no current mark, and no other worker confirms the database: quoting may be paused',
};

function createConfirmationLoop({ database, clock, log, stateFolder }: WorkerParts): WorkerLoop {
  const confirming = { database, clock, stateFolder, memory: {} };
  let runs = 0;
  let before: MarkRefusal | undefined;
  return {
    name: 'confirmation',
    idleMs: CONFIRMATION_MS,
    body: async () => {
      const refused = await confirmDatabase(confirming);
      runs = refused === before ? runs + 1 : 0;
      before = refused;
      if (refused && runs % RUNS_PER_LINE === 0) log.error({ refused, stateFolder }, REFUSED[refused]);
      return false;
    },
  };
}

export function createLoops(parts: WorkerParts, readers: readonly Reader[]): WorkerLoop[] {
  const { database, clock, log, pace } = parts;
  return [
    ...readers.flatMap((reader) => reader.loops),
    ...createInvoiceLoops(parts),
    ...createMemberLoops(parts),
    createConfirmationLoop(parts),
    {
      name: 'prices',
      idleMs: PRICES_MS / pace,
      body: async () => {
        await refreshPrices({ database, clock, log, sources: parts.priceSources });
        return false;
      },
    },
    createRatesLoop(parts),
    ...createWebhookLoops(parts),
    {
      name: 'retention',
      idleMs: RETENTION_MS,
      body: async () => {
        const { more, ...erased } = await eraseWebhooks({ database, clock }, parts.webhookRetentionDays);
        if (more) log.info(erased, 'old webhooks erased');
        const moreExports = await eraseExports({ database, clock });
        const moreMails = await eraseMails({ database, clock });
        const moreEvents = await eraseSecurityEvents({ database, clock });
        return (await eraseActs({ database, clock })) || moreEvents || moreExports || moreMails || more;
      },
    },
    {
      name: 'clock',
      idleMs: CLOCK_MS,
      body: async () => {
        const { right, ...off } = await checkClock({ database, clock });
        if (!right) log.error(off, 'this clock differs from the networks: quoting is paused');
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
