import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { periodOf } from '../../src/db/partition-sql.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import { changeInvoices } from '../../src/invoices/change-invoices.ts';
import { findLedgerFaults } from '../../src/ledger/ledger-sql.ts';
import { createTopupCode } from '../../src/topups/topup.ts';
import { countWaits } from '../../rig/database/count-waits.ts';
import type { TestDatabase } from '../../rig/database/test-database.ts';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import { seededNumbers } from '../../rig/fakes/seeded-numbers.ts';
import { waitUntil } from '../../rig/processes/wait-until.ts';
import { openStore } from '../../rig/stores/open-store.ts';

/** Late payments, expiries and top-ups of the same stores end concurrently: balances are locked in one order. */

const STORES = 5;
const EACH = 50;
const WORKERS = 3;
const TOGETHER = 10;
const FEE = 250_000n;
const TOPUP = 5_000_000n;
const START = 1_000_000_000n;

let own: TestDatabase;
let storeIds: bigint[];
let topupStoreId: bigint;
beforeAll(async () => {
  own = await openTestDatabase(inject('template'), 8);
  const stores = [];
  for (let count = 0; count < STORES; count += 1) stores.push(await openStore(own.database));
  storeIds = stores.map(({ id }) => id);
  topupStoreId = (await openStore(own.database, { creditMicroUsd: 0n })).id;
});
afterAll(() => own.drop());

const at = new Date();

type Kind = 'late' | 'due' | 'topup';
let invoices = 0;

/** An invoice that a decision will end: expired with a payment found since, due without one, or a paid top-up. */
async function seed(kind: Kind, storeId: bigint): Promise<bigint> {
  invoices += 1;
  const { pool } = own.database;
  const isTopup = kind === 'topup';
  const code = isTopup ? createTopupCode() : null;
  const fee = isTopup ? 0n : FEE;
  const { rows } = await pool.query<{ id: bigint }>(
    `insert into invoices (store_id, trans_id, request_id, amount_usd, status, created_at, expires_at, fee_micro_usd, ended_at)
     values ($1, $2, $3, 5, $4, now() - interval '1 hour', now() - interval '1 minute', $5, case when $4 = 'expired' then now() end)
     returning id`,
    [
      isTopup ? topupStoreId : storeId,
      `TID-${String(invoices).padStart(16, '0')}`,
      code,
      kind === 'late' ? 'expired' : 'waiting',
      fee,
    ],
  );
  const id = rows[0]?.id ?? 0n;
  const enter = (entry: string, accounts: string) =>
    pool.query(
      `insert into ledger_entries (period, store_id, kind, from_account, to_account, micro_usd, invoice_id, hold_number, at)
       values ($1, $2, '${entry}', ${accounts}, $3, $4, 1, now())`,
      [periodOf(at), storeId, fee, id],
    );
  if (!isTopup) await enter('hold', `'available', 'held'`);
  if (kind === 'late') await enter('release', `'held', 'available'`);
  if (kind === 'due')
    await pool.query('update balances set available_micro_usd = available_micro_usd - $2 where store_id = $1', [
      storeId,
      fee,
    ]);
  if (isTopup)
    await pool.query(
      `insert into topups (code, store_id, micro_usd, requested_by, return_url, created_at, at_store_id)
       values ($1, $2, $3, 'test', 'https://dashboard.example', now(), $4)`,
      [code, storeId, TOPUP, topupStoreId],
    );
  if (kind !== 'due')
    await pool.query(
      `insert into transfers (network, tx_id, index, token, from_address, to_address, units, height, block_hash, block_time,
         seen_at, invoice_id, settled_tier, settled_hash)
       values ('BSC', $1, 'USDT:0', 'USDT', '0x1', '0x2', 5, 1, 'h', now() - interval '30 minutes', now(), $2, 'finalized', 'h')`,
      [`tx-${invoices}`, id],
    );
  return id;
}

test('three workers end late payments, expiries and top-ups of the same stores without a deadlock, and sums are right', async () => {
  const random = seededNumbers(7);
  const ids: bigint[] = [];
  for (const kind of ['late', 'due', 'topup'] as const)
    for (let count = 0; count < EACH; count += 1) ids.push(await seed(kind, storeIds[count % STORES] ?? 0n));
  const shuffled = ids.map((id) => ({ id, place: random() })).toSorted((one, other) => one.place - other.place);
  const batches = Array.from({ length: ids.length / TOGETHER }, (_none, number) =>
    shuffled.slice(number * TOGETHER, (number + 1) * TOGETHER).map(({ id }) => id),
  );
  const figures = { tries: 0, commits: 0 };
  const work = async () => {
    for (let batch = batches.pop(); batch; batch = batches.pop()) {
      const mine = batch;
      await inTransaction(own.as('worker'), (tx) => {
        figures.tries += 1;
        return changeInvoices(tx, at, mine, new Set(mine));
      });
      figures.commits += 1;
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, work));
  process.stdout.write(`${JSON.stringify({ ended: ids.length, workers: WORKERS, ...figures })}\n`);
  expect(figures.tries).toBe(figures.commits);
  expect(await findLedgerFaults(own.database.queries, 10)).toEqual([]);
  const { rows } = await own.database.pool.query<{ available: bigint }>(
    'select available_micro_usd as available from balances where store_id = any($1::bigint[])',
    [storeIds],
  );
  const share = BigInt(EACH / STORES);
  expect(rows.map(({ available }) => available)).toEqual(storeIds.map(() => START + share * (TOPUP - FEE)));
});

/** Stores whose balance some transaction holds. */
async function lockedStores(): Promise<bigint[]> {
  const { rows } = await own.database.pool.query<{ id: bigint }>(
    `select b.store_id as id from balances b where store_id = any($1::bigint[]) and store_id not in (
       select store_id from balances where store_id = any($1::bigint[]) for update skip locked) order by store_id`,
    [storeIds],
  );
  return rows.map(({ id }) => id);
}

test('whoever waits for a balance holds those of lower stores and no other, whatever moves them', async () => {
  const kinds = ['topup', 'due', 'late', 'due', 'late'] as const;
  const ids: bigint[] = [];
  for (const [place, kind] of kinds.entries()) ids.push(await seed(kind, storeIds[place] ?? 0n));
  const blocker = await own.database.pool.connect();
  try {
    await blocker.query('begin');
    await blocker.query('select from balances where store_id = $1 for update', [storeIds[2]]);
    const ended = inTransaction(own.as('worker'), (tx) => changeInvoices(tx, at, ids, new Set(ids)));
    const isWaiting = async () => (await countWaits(own.database)) === 1;
    await waitUntil(isWaiting, { what: 'Nobody waits for the balance.', timeoutMs: 60_000, pollMs: 20 });
    expect(await lockedStores()).toEqual(storeIds.slice(0, 3));
    await blocker.query('rollback');
    await ended;
  } finally {
    blocker.release(true);
  }
  expect(await findLedgerFaults(own.database.queries, 10)).toEqual([]);
});
