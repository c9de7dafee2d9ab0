import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { createAccountFollower } from '../../src/accounts/account-follower.ts';
import type { AccountFollower } from '../../src/accounts/account-follower.ts';
import { finishReading, followAccounts } from '../../src/accounts/follow-accounts.ts';
import { createApplyTransfers } from '../../src/invoices/apply-transfers.ts';
import { explainTransfers } from '../../src/invoices/explain-transfers.ts';
import { expireDueInvoices } from '../../src/invoices/expire-due-invoices.ts';
import { attachTransfer } from '../../src/invoices/attach-transfer.ts';
import { listInbox } from '../../src/invoices/inbox-sql.ts';
import { createFindEnds } from '../../src/invoices/expiry-sql.ts';
import type { ManualClock } from '../../src/lib/clock.ts';
import { createManualClock, systemClock } from '../../src/lib/clock.ts';
import { SANDBOX_NETWORKS } from '../../src/networks/sandbox-networks.ts';
import type { Act } from '../../src/sandbox/act.ts';
import { eraseActs } from '../../src/sandbox/erase-acts.ts';
import { performActs } from '../../src/sandbox/perform-acts.ts';
import { requestActs } from '../../src/sandbox/request-acts.ts';
import { createSandboxSource } from '../../src/sandbox/sandbox-source.ts';
import { NETWORKS } from '../../rig/chains/networks.ts';
import { markAsRead } from '../../rig/chains/mark-as-read.ts';
import type { TestDatabase } from '../../rig/database/test-database.ts';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import { newInvoice, setPrices } from '../../rig/invoices/pay-invoice.ts';
import { selectMethod } from '../../rig/invoices/select-method.ts';
import { openStore, TESTER, VISITOR } from '../../rig/stores/open-store.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';

/** The sandbox in one process, step by step: what a reader sees between two acts. */

const log = pino({ level: 'silent' });
const NETWORK = SANDBOX_NETWORKS[0] as (typeof SANDBOX_NETWORKS)[number];

let own: TestDatabase;
let clock: ManualClock;
let store: TestStore;
let follower: AccountFollower;
beforeAll(async () => {
  own = await openTestDatabase(inject('template'));
});
afterAll(() => own.drop());
beforeEach(async () => {
  clock = createManualClock(systemClock.nowMs());
  store = await openStore(own.database, { test: true, clock });
  const database = own.as('worker');
  follower = createAccountFollower({
    database,
    clock,
    log,
    source: createSandboxSource(NETWORK, { database, clock }),
    apply: createApplyTransfers({ clock, networks: NETWORKS }),
    findEnds: createFindEnds(database.queries),
    headsMs: 0,
  });
});

const engine = () => ({ ...own, clock });

/** An invoice with a quote in the sandbox, which is followed. */
async function openInvoice(): Promise<string> {
  const transId = await newInvoice(engine(), store, '25');
  await setPrices(engine());
  await follow();
  await markAsRead(own.database.pool, clock);
  await selectMethod({ database: own.as('api'), clock }, { transId, network: NETWORK.id, token: 'USDT' });
  await follow();
  return transId;
}

/** Polls every account once. Database time cannot be moved, so stored times are. */
async function follow(): Promise<void> {
  await own.database.pool.query(`update followed_accounts set next_read_at = '-infinity' where state <> 'idle'`);
  await followAccounts(follower);
  await finishReading(follower);
}

async function ask(transId: string, ...acts: Act[]): Promise<void> {
  const context = { database: own.as('api'), clock, networks: NETWORKS };
  await requestActs(context, VISITOR, { transId, plan: acts.map((act) => ({ act, afterMs: 0 })) });
  await performActs({ database: own.as('worker'), clock, networks: NETWORKS, log });
}

const expire = () => expireDueInvoices({ database: own.as('worker'), clock });

async function statusOf(transId: string): Promise<string | undefined> {
  const { rows } = await own.database.pool.query<{ status: string }>(
    'select status from invoices where trans_id = $1',
    [transId],
  );
  return rows[0]?.status;
}

const PAY: Act = { kind: 'pay', payment: 'exact', slow: false };

test('a payment in the very millisecond up to which an account was read is not missed', async () => {
  const transId = await openInvoice();
  // An account that is quiet is read again after a minute and a half.
  clock.advance(100_000);
  await follow();
  await ask(transId, PAY);
  clock.advance(1_000);
  await follow();
  expect(await statusOf(transId)).toBe('completed');
});

test('an invoice whose payment no reader has seen does not expire by being advanced past its end', async () => {
  const transId = await openInvoice();
  clock.advance(10_000);
  await follow();
  await ask(transId, PAY, { kind: 'advance', seconds: 7_200 });
  await expire();
  expect(await statusOf(transId)).toBe('waiting');
  clock.advance(1_000);
  await follow();
  await expire();
  expect(await statusOf(transId)).toBe('completed');
});

test('a reader that was under way while time passed commits nothing of what it read before', async () => {
  const transId = await openInvoice();
  await ask(transId, { kind: 'pay', payment: 'exact', slow: true });
  clock.advance(1_000);
  const read = follower.source.readAccount.bind(follower.source);
  let raced = false;
  const late = {
    ...follower,
    source: {
      ...follower.source,
      readAccount: async (request: Parameters<typeof read>[0]) => {
        const answer = await read(request);
        if (!raced) {
          raced = true;
          await ask(transId, { kind: 'advance', seconds: 7_200 });
        }
        return answer;
      },
    },
  };
  await own.database.pool.query(`update followed_accounts set next_read_at = '-infinity' where state <> 'idle'`);
  await followAccounts(late);
  await finishReading(late);
  expect(raced).toBe(true);
  clock.advance(1_000);
  await follow();
  const { rows } = await own.database.pool.query<{ inTime: boolean }>(
    `select t.block_time < i.expires_at as "inTime" from transfers t join invoices i on i.id = t.invoice_id where i.trans_id = $1`,
    [transId],
  );
  expect(rows).toEqual([{ inTime: true }]);
});

test('a transfer that a reader has locked is explained later, and not called unknown', async () => {
  const transId = await openInvoice();
  await ask(transId, { ...PAY, payment: 'wrong_token' });
  clock.advance(1_000);
  await follow();
  const explain = () => explainTransfers({ database: own.as('worker'), networks: NETWORKS });
  const reason = async () => {
    const { rows } = await own.database.pool.query<{ reason: string | null }>(
      'select t.reason from transfers t join sandbox_transfers x on x.tx_id = t.tx_id join invoices i on i.id = x.invoice_id where i.trans_id = $1',
      [transId],
    );
    return rows.map((row) => row.reason);
  };
  const reader = await own.database.pool.connect();
  await reader.query('begin');
  await reader.query('select from transfers where not explained for update');
  await explain();
  expect(await reason()).toEqual([null]);
  await reader.query('commit');
  reader.release();
  await explain();
  expect(await reason()).toEqual(['wrong_token']);
});

test('a slow payment that nobody confirms is final after ten minutes, so that other invoices at its address can expire', async () => {
  const other = await openInvoice();
  const transId = await openInvoice();
  await ask(transId, { ...PAY, slow: true });
  await ask(other, { kind: 'end' });
  clock.advance(599_000);
  await follow();
  await expire();
  expect([await statusOf(transId), await statusOf(other)]).toEqual(['processing', 'waiting']);
  clock.advance(2_000);
  clock.advance(1_000);
  await follow();
  await expire();
  expect([await statusOf(transId), await statusOf(other)]).toEqual(['completed', 'expired']);
});

test('a slow payment that a reorg took out and another put back is final ten minutes after that', async () => {
  const transId = await openInvoice();
  await ask(transId, { ...PAY, slow: true }, { kind: 'reorg', returns: false });
  clock.advance(700_000);
  await ask(transId, { kind: 'reorg', returns: true });
  clock.advance(700_000);
  clock.advance(1_000);
  await follow();
  expect(await statusOf(transId)).toBe('completed');
});

test('a test payment that is found after its invoice has expired completes it late and alarms nobody', async () => {
  const transId = await openInvoice();
  await ask(transId, { ...PAY, slow: true });
  clock.advance(1_000);
  await follow();
  await ask(transId, { kind: 'reorg', returns: false }, { kind: 'end' });
  clock.advance(1_000);
  await follow();
  await expire();
  expect(await statusOf(transId)).toBe('expired');
  await ask(transId, { kind: 'reorg', returns: true }, { kind: 'confirm' });
  clock.advance(1_000);
  await follow();
  expect(await statusOf(transId)).toBe('completed');
  const { rows } = await own.database.pool.query('select kind from alarms where subject = $1', [transId]);
  expect(rows).toEqual([]);
});

test('acts that were done a month ago are erased, and younger or undone ones stay', async () => {
  const transId = await openInvoice();
  const acts = (doneDaysAgo: string) =>
    own.database.pool.query(
      `insert into sandbox_acts (store_id, invoice_id, act, asked_at, due_at, done_at)
       select $1, id, '{"kind":"confirm"}', 'epoch', 'epoch', ${doneDaysAgo} from invoices where trans_id = $2`,
      [store.id, transId],
    );
  await own.database.pool.query('delete from sandbox_acts');
  await acts(`now() - interval '31 days'`);
  await acts(`now() - interval '29 days'`);
  await acts('null');
  expect(await eraseActs({ database: own.as('worker'), clock })).toBe(false);
  const { rows } = await own.database.pool.query('select from sandbox_acts');
  expect(rows).toHaveLength(2);
});

test('money of the sandbox is never attached to an invoice, whoever the merchant is, and stands in no inbox', async () => {
  const transId = await openInvoice();
  await ask(transId, { ...PAY, payment: 'short' });
  clock.advance(1_000);
  await follow();
  await explainTransfers({ database: own.as('worker'), networks: NETWORKS });
  const live = await openStore(own.database, { clock, ring: store.ring });
  await own.database.pool
    .query('update stores set merchant_account_id = $1 where id = $2', [store.merchantAccountId, live.id])
    .catch(() => undefined);
  const { rows } = await own.database.pool.query<{ network: string; txId: string; index: string }>(
    `select network, tx_id as "txId", index from transfers where network = $1 and reason = 'short' order by id desc limit 1`,
    [NETWORK.id],
  );
  const [transfer] = rows;
  if (!transfer) throw new Error('There is no transfer.');
  const liveId = await newInvoice(engine(), live, '25');
  const context = { database: own.as('admin'), clock };
  await expect(attachTransfer(context, TESTER, { ...transfer, transId: liveId })).rejects.toMatchObject({
    code: 'SANDBOX_NETWORK',
  });
  expect(await listInbox(own.database.queries, store.merchantAccountId, 10)).toEqual([]);
});

test('acts leave alone what an invoice was quoted on a live network, from before its store was a test store', async () => {
  const transId = await newInvoice(engine(), store, '25');
  await own.database.pool.query(
    `with old as (
       insert into quotes (invoice_id, network, token, to_address, token_amount, token_price_usd, created_at, display_units, finality,
         price_sources, held_from, held_to)
       select id, 'SOL', 'USDT', 'live-address', 25, 1, now(), 25000000, 'finalized', '[]', now(), 'infinity' from invoices where trans_id = $1
       returning id, invoice_id)
     update invoices i set quote_id = old.id from old where i.id = old.invoice_id`,
    [transId],
  );
  await follow();
  await setPrices(engine());
  await markAsRead(own.database.pool, clock);
  await ask(transId, PAY, { kind: 'advance', seconds: 3_600 });
  const { rows } = await own.database.pool.query(
    `select 'payment' from sandbox_transfers where not starts_with(network, 'sandbox:')
     union all select 'demand' from account_demands where account = 'live-address'
     union all select 'quote' from quotes where to_address = 'live-address' and held_from < now() - interval '30 minutes'`,
  );
  expect(rows).toEqual([]);
});

test('an act that fails for a fault of ours is given up alone: those before and behind it are performed', async () => {
  const transId = await openInvoice();
  await own.database.pool.query(
    `insert into sandbox_acts (store_id, invoice_id, act, asked_at, due_at)
     select $1, id, '{"kind":"advance","seconds":"much"}', now() - interval '1 hour', now() - interval '1 hour' from invoices where trans_id = $2`,
    [store.id, transId],
  );
  await ask(transId, PAY);
  const { rows } = await own.database.pool.query<{ done: boolean }>(
    `select (outcome ->> 'done')::boolean as done from sandbox_acts where store_id = $1 order by id`,
    [store.id],
  );
  expect(rows.map(({ done }) => done)).toEqual([false, true]);
  clock.advance(1_000);
  await follow();
  expect(await statusOf(transId)).toBe('completed');
});
