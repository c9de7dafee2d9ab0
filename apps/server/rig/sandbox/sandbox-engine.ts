import { pino } from 'pino';
import type { AccountFollower } from '../../src/accounts/account-follower.ts';
import { createAccountFollower } from '../../src/accounts/account-follower.ts';
import { finishReading, followAccounts } from '../../src/accounts/follow-accounts.ts';
import type { Database } from '../../src/db/database.ts';
import { createApplyTransfers } from '../../src/invoices/apply-transfers.ts';
import { expireDueInvoices } from '../../src/invoices/expire-due-invoices.ts';
import { createFindEnds } from '../../src/invoices/expiry-sql.ts';
import type { ManualClock } from '../../src/lib/clock.ts';
import { createManualClock, systemClock } from '../../src/lib/clock.ts';
import type { SandboxNetwork } from '../../src/networks/sandbox-networks.ts';
import { SANDBOX_NETWORKS } from '../../src/networks/sandbox-networks.ts';
import type { Act, PlannedAct } from '../../src/sandbox/act.ts';
import { atOnce } from '../../src/sandbox/act.ts';
import { performActs } from '../../src/sandbox/perform-acts.ts';
import { requestActs } from '../../src/sandbox/request-acts.ts';
import { createSandboxSource } from '../../src/sandbox/sandbox-source.ts';
import { NETWORKS } from '../chains/networks.ts';
import type { TestDatabase } from '../database/test-database.ts';
import { newInvoice, setPrices } from '../invoices/pay-invoice.ts';
import { selectMethod } from '../invoices/select-method.ts';
import type { TestStore } from '../stores/open-store.ts';
import { openStore, VISITOR } from '../stores/open-store.ts';

/** The sandbox in one process, step by step, with a clock that only the test moves and a test store of its own. */

const log = pino({ level: 'silent' });
const LOOK_MS = 1_000;

/** The network of the sandbox on which invoices of this rig are quoted. */
export const NETWORK = SANDBOX_NETWORKS[0] as SandboxNetwork;

export const PAY = { kind: 'pay', payment: 'exact', slow: false } as const satisfies Act;
export const TAKE_BACK = { kind: 'reorg', returns: false } as const satisfies Act;
export const PUT_BACK = { kind: 'reorg', returns: true } as const satisfies Act;

export type SandboxEngine = TestDatabase & { clock: ManualClock; store: TestStore; follower: AccountFollower };

/** Ends what earlier tests left to do, so that only the new test's account meets a stop point. */
async function endEarlierWork({ pool }: Database): Promise<void> {
  await pool.query('delete from sandbox_acts where done_at is null');
  await pool.query('delete from account_demands');
  await pool.query(`update followed_accounts set state = 'idle', next_read_at = 'infinity'`);
}

export async function createSandboxEngine(own: TestDatabase): Promise<SandboxEngine> {
  await endEarlierWork(own.database);
  const clock = createManualClock(systemClock.nowMs());
  const store = await openStore(own.database, { test: true, clock });
  const database = own.as('worker');
  const follower = createAccountFollower({
    database,
    clock,
    log,
    source: createSandboxSource(NETWORK, { database, clock }),
    apply: createApplyTransfers({ clock, networks: NETWORKS }),
    findEnds: createFindEnds(database.queries),
    headsMs: 0,
  });
  return { ...own, clock, store, follower };
}

/** An invoice with a quote in the sandbox, which is followed. */
export async function openInvoice(engine: SandboxEngine, amount = '25'): Promise<string> {
  const { clock, store } = engine;
  const transId = await newInvoice(engine, store, amount);
  await setPrices(engine);
  await follow(engine);
  await selectMethod({ database: engine.as('api'), clock }, { transId, network: NETWORK.id, token: 'USDT' });
  await follow(engine);
  return transId;
}

/** Polls every followed account once. Database time cannot be moved, so stored times are. */
export async function follow({ database, follower }: Pick<SandboxEngine, 'database' | 'follower'>): Promise<void> {
  await database.pool.query(`update followed_accounts set next_read_at = '-infinity' where state <> 'idle'`);
  await followAccounts(follower);
  await finishReading(follower);
}

/** Lets a second pass and polls every followed account once. */
export async function step(engine: SandboxEngine): Promise<void> {
  engine.clock.advance(LOOK_MS);
  await follow(engine);
}

/** Asks for a plan as a visitor of the invoice's page. */
export async function request(engine: SandboxEngine, transId: string, plan: readonly PlannedAct[]): Promise<void> {
  const context = { database: engine.as('api'), clock: engine.clock, networks: NETWORKS };
  await requestActs(context, VISITOR, { transId, plan });
}

export async function perform({ as, clock }: SandboxEngine): Promise<void> {
  await performActs({ database: as('worker'), clock, networks: NETWORKS, log, turn: { after: 0n } });
}

/** Requests actions and performs due ones. */
export async function ask(engine: SandboxEngine, transId: string, ...acts: Act[]): Promise<void> {
  await request(engine, transId, acts.map(atOnce));
  await perform(engine);
}

export async function expire({ as, clock }: SandboxEngine): Promise<void> {
  await expireDueInvoices({ database: as('worker'), clock });
}

export async function statusOf({ database }: SandboxEngine, transId: string): Promise<string | undefined> {
  const { rows } = await database.pool.query<{ status: string }>('select status from invoices where trans_id = $1', [
    transId,
  ]);
  return rows[0]?.status;
}

/** Whether nothing settles at the test store's followed account, because a completed invoice lost its payment there. */
export async function isStopped({ database, store }: SandboxEngine): Promise<boolean> {
  const { rows } = await database.pool.query(
    'select from followed_accounts f join wallets w on w.network = f.network and w.address = f.account where w.store_id = $1 and f.stopped_at is not null',
    [store.id],
  );
  return rows.length > 0;
}
