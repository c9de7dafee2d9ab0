import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { explainTransfers } from '../../src/invoices/explain-transfers.ts';
import { attachTransfer } from '../../src/invoices/attach-transfer.ts';
import { listInbox } from '../../src/invoices/inbox-sql.ts';
import { listStuck } from '../../src/invoices/end-invoice-sql.ts';
import { eraseActs } from '../../src/sandbox/erase-acts.ts';
import { readWebhookHealth } from '../../src/webhooks/webhook-health-sql.ts';
import { NETWORKS } from '../../rig/chains/networks.ts';
import type { TestDatabase } from '../../rig/database/test-database.ts';
import { endWaits } from '../../rig/database/end-waits.ts';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import { newInvoice, setPrices } from '../../rig/invoices/pay-invoice.ts';
import type { SandboxEngine } from '../../rig/sandbox/sandbox-engine.ts';
import {
  ask,
  createSandboxEngine,
  expire,
  follow,
  NETWORK,
  openInvoice,
  PAY,
  statusOf,
} from '../../rig/sandbox/sandbox-engine.ts';
import { openStore, TESTER } from '../../rig/stores/open-store.ts';

/** The sandbox in one process, step by step: what a reader sees between two actions. */

let own: TestDatabase;
let engine: SandboxEngine;
beforeAll(async () => {
  own = await openTestDatabase(inject('template'));
});
afterAll(() => own.drop());
beforeEach(async () => {
  engine = await createSandboxEngine(own);
});

test('a payment in the very millisecond up to which an account was read is not missed', async () => {
  const transId = await openInvoice(engine);
  // An account that is quiet is read again after a minute and a half.
  engine.clock.advance(100_000);
  await follow(engine);
  await ask(engine, transId, PAY);
  engine.clock.advance(1_000);
  await follow(engine);
  expect(await statusOf(engine, transId)).toBe('completed');
});

test('an invoice whose payment no reader has seen does not expire by being advanced past its end', async () => {
  const transId = await openInvoice(engine);
  engine.clock.advance(10_000);
  await follow(engine);
  await ask(engine, transId, PAY, { kind: 'advance', seconds: 7_200 });
  await expire(engine);
  expect(await statusOf(engine, transId)).toBe('waiting');
  engine.clock.advance(1_000);
  await follow(engine);
  await expire(engine);
  expect(await statusOf(engine, transId)).toBe('completed');
});

test('a reader that was under way while time passed commits nothing of what it read before', async () => {
  const transId = await openInvoice(engine);
  await ask(engine, transId, { kind: 'pay', payment: 'exact', slow: true });
  engine.clock.advance(1_000);
  const { follower } = engine;
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
          await ask(engine, transId, { kind: 'advance', seconds: 7_200 });
        }
        return answer;
      },
    },
  };
  await follow({ ...engine, follower: late });
  expect(raced).toBe(true);
  engine.clock.advance(1_000);
  await follow(engine);
  const { rows } = await own.database.pool.query<{ inTime: boolean }>(
    `select t.block_time < i.expires_at as "inTime" from transfers t join invoices i on i.id = t.invoice_id where i.trans_id = $1`,
    [transId],
  );
  expect(rows).toEqual([{ inTime: true }]);
});

test('a transfer that a reader has locked is explained later, and not called unknown', async () => {
  const transId = await openInvoice(engine);
  await ask(engine, transId, { ...PAY, payment: 'wrong_token' });
  engine.clock.advance(1_000);
  await follow(engine);
  const explain = () => explainTransfers({ database: own.as('worker'), clock: engine.clock, networks: NETWORKS });
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
  try {
    await endWaits(own.database, explain());
    expect(await reason()).toEqual([null]);
  } finally {
    await reader.query('commit');
    reader.release();
  }
  await explain();
  expect(await reason()).toEqual(['wrong_token']);
});

test('a slow payment that nobody confirms is final after ten minutes, so that other invoices at its address can expire', async () => {
  const other = await openInvoice(engine);
  const transId = await openInvoice(engine);
  await ask(engine, transId, { ...PAY, slow: true });
  await ask(engine, other, { kind: 'end' });
  engine.clock.advance(599_000);
  await follow(engine);
  await expire(engine);
  expect([await statusOf(engine, transId), await statusOf(engine, other)]).toEqual(['processing', 'waiting']);
  engine.clock.advance(2_000);
  engine.clock.advance(1_000);
  await follow(engine);
  await expire(engine);
  expect([await statusOf(engine, transId), await statusOf(engine, other)]).toEqual(['completed', 'expired']);
});

test('a slow payment that a reorg took out and another put back is final ten minutes after that', async () => {
  const transId = await openInvoice(engine);
  await ask(engine, transId, { ...PAY, slow: true }, { kind: 'reorg', returns: false });
  engine.clock.advance(700_000);
  await ask(engine, transId, { kind: 'reorg', returns: true });
  engine.clock.advance(700_000);
  engine.clock.advance(1_000);
  await follow(engine);
  expect(await statusOf(engine, transId)).toBe('completed');
});

test('a test payment that is found after its invoice has expired completes it late and alarms nobody', async () => {
  const transId = await openInvoice(engine);
  await ask(engine, transId, { ...PAY, slow: true });
  engine.clock.advance(1_000);
  await follow(engine);
  await ask(engine, transId, { kind: 'reorg', returns: false }, { kind: 'end' });
  engine.clock.advance(1_000);
  await follow(engine);
  await expire(engine);
  expect(await statusOf(engine, transId)).toBe('expired');
  await ask(engine, transId, { kind: 'reorg', returns: true }, { kind: 'confirm' });
  engine.clock.advance(1_000);
  await follow(engine);
  expect(await statusOf(engine, transId)).toBe('completed');
  const { rows } = await own.database.pool.query('select kind from alarms where subject = $1', [transId]);
  expect(rows).toEqual([]);
});

test('acts that were done a month ago are erased, and younger or undone ones stay', async () => {
  const transId = await openInvoice(engine);
  const acts = (doneDaysAgo: string) =>
    own.database.pool.query(
      `insert into sandbox_acts (store_id, invoice_id, act, asked_at, due_at, done_at)
       select $1, id, '{"kind":"confirm"}', 'epoch', 'epoch', ${doneDaysAgo} from invoices where trans_id = $2`,
      [engine.store.id, transId],
    );
  await own.database.pool.query('delete from sandbox_acts');
  await acts(`now() - interval '31 days'`);
  await acts(`now() - interval '29 days'`);
  await acts('null');
  expect(await eraseActs({ database: own.as('worker'), clock: engine.clock })).toBe(false);
  const { rows } = await own.database.pool.query('select from sandbox_acts');
  expect(rows).toHaveLength(2);
});

test('money of the sandbox is never attached to an invoice, whoever the merchant is, and stands in no inbox', async () => {
  const transId = await openInvoice(engine);
  await ask(engine, transId, { ...PAY, payment: 'short' });
  engine.clock.advance(1_000);
  await follow(engine);
  await explainTransfers({ database: own.as('worker'), clock: engine.clock, networks: NETWORKS });
  const live = await openStore(own.database, { clock: engine.clock, ring: engine.store.ring });
  await own.database.pool
    .query('update stores set merchant_account_id = $1 where id = $2', [engine.store.merchantAccountId, live.id])
    .catch(() => undefined);
  const { rows } = await own.database.pool.query<{ network: string; txId: string; index: string }>(
    `select network, tx_id as "txId", index from transfers where network = $1 and reason = 'short' order by id desc limit 1`,
    [NETWORK.id],
  );
  const [transfer] = rows;
  if (!transfer) throw new Error('There is no transfer.');
  const liveId = await newInvoice(engine, live, '25');
  const context = { database: own.as('admin'), clock: engine.clock };
  await expect(attachTransfer(context, TESTER, { ...transfer, transId: liveId })).rejects.toMatchObject({
    code: 'SANDBOX_NETWORK',
  });
  expect(await listInbox(own.database.queries, engine.store.merchantAccountId, 10)).toEqual([]);
});

test('acts leave alone what an invoice was quoted on a live network, from before its store was a test store', async () => {
  const transId = await newInvoice(engine, engine.store, '25');
  await own.database.pool.query(
    `with old as (
       insert into quotes (invoice_id, network, token, to_address, token_amount, token_price_usd, created_at, display_units, finality,
         price_sources, held_from, held_to)
       select id, 'SOL', 'USDT', 'live-address', 25, 1, now(), 25000000, 'finalized', '[]', now(), 'infinity' from invoices where trans_id = $1
       returning id, invoice_id)
     update invoices i set quote_id = old.id from old where i.id = old.invoice_id`,
    [transId],
  );
  await follow(engine);
  await setPrices(engine);
  await ask(engine, transId, PAY, { kind: 'advance', seconds: 3_600 });
  const { rows } = await own.database.pool.query(
    `select 'payment' from sandbox_transfers where not starts_with(network, 'sandbox:')
     union all select 'demand' from account_demands where account = 'live-address'
     union all select 'quote' from quotes where to_address = 'live-address' and held_from < now() - interval '30 minutes'`,
  );
  expect(rows).toEqual([]);
});

test('an act that fails for a fault of ours is given up alone: those before and behind it are performed', async () => {
  const transId = await openInvoice(engine);
  await own.database.pool.query(
    `insert into sandbox_acts (store_id, invoice_id, act, asked_at, due_at)
     select $1, id, '{"kind":"advance","seconds":"much"}', now() - interval '1 hour', now() - interval '1 hour' from invoices where trans_id = $2`,
    [engine.store.id, transId],
  );
  await ask(engine, transId, PAY);
  const { rows } = await own.database.pool.query<{ done: boolean }>(
    `select (outcome ->> 'done')::boolean as done from sandbox_acts where store_id = $1 order by id`,
    [engine.store.id],
  );
  expect(rows.map(({ done }) => done)).toEqual([false, true]);
  engine.clock.advance(1_000);
  await follow(engine);
  expect(await statusOf(engine, transId)).toBe('completed');
});

test('an operator who lists stuck invoices sees none of a test store', async () => {
  const transId = await openInvoice(engine);
  await ask(engine, transId, { ...PAY, slow: true });
  engine.clock.advance(1_000);
  await follow(engine);
  await ask(engine, transId, { kind: 'advance', seconds: 7_200 });
  expect(await statusOf(engine, transId)).toBe('processing');
  expect(await listStuck(own.database.queries, new Date(engine.clock.nowMs()), 1_000)).toEqual([]);
});

test('deliveries of test stores are not counted as due', async () => {
  const transId = await openInvoice(engine);
  await ask(engine, transId, PAY);
  engine.clock.advance(1_000);
  await follow(engine);
  const { rows } = await own.database.pool.query(`select from deliveries where state = 'pending' and store_id = $1`, [
    engine.store.id,
  ]);
  expect(rows).toHaveLength(1);
  const { oldestDueSeconds } = await readWebhookHealth(
    own.as('worker').queries,
    new Date(engine.clock.nowMs() + 3_600_000),
  );
  expect(oldestDueSeconds).toBe(0);
});

test('an invoice that costs a fee ends after it was made, whoever writes it', async () => {
  const live = await openStore(own.database, { clock: engine.clock, ring: engine.store.ring });
  const transId = await newInvoice(engine, live, '25');
  const end = own.database.pool.query('update invoices set expires_at = created_at where trans_id = $1', [transId]);
  await expect(end).rejects.toMatchObject({ constraint: 'invoices_check' });
});
