import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import type { TestDatabase } from '../../rig/database/test-database.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { openStore } from '../../rig/stores/open-store.ts';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import { verifyAudit } from '../audit/verify-audit.ts';
import { periodOf } from '../db/partition-sql.ts';
import { inTransaction } from '../db/transaction.ts';
import { createManualClock, systemClock } from '../lib/clock.ts';
import { creditBalance } from './credit-balance.ts';
import { findLedgerFaults, moveAvailable, readAvailable } from './ledger-sql.ts';

const CONNECTIONS = 6;
const MAX_FAULTS = 100;
const CREDIT = 10_000_000n;
const FEE = 250_000n;
const CHECK_VIOLATION = '23514';
const UNIQUE_VIOLATION = '23505';

const ALICE = { kind: 'operator', name: 'alice' } as const;

let own: TestDatabase;
let store: TestStore;
beforeEach(async () => {
  own = await openTestDatabase(inject('template'), CONNECTIONS);
  store = await openStore(own.database, { creditMicroUsd: CREDIT });
});
afterEach(() => own.drop());

const credit = (microUsd: bigint, note = 'planted') =>
  creditBalance({ database: own.database, clock: systemClock }, ALICE, { store: store.ref, microUsd, note });
const available = () => readAvailable(own.database.queries, store.id);
const faults = async () => (await findLedgerFaults(own.database.queries, MAX_FAULTS)).map((one) => one.fault);
const period = periodOf(new Date(systemClock.nowMs()));

type Entry = { kind: string; from: string; to: string; invoiceId?: bigint; hold?: number; amount?: bigint };

function enter(entry: Entry) {
  return own.database.pool.query(
    `insert into ledger_entries (period, store_id, kind, from_account, to_account, micro_usd, invoice_id, hold_number, at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, now())`,
    [
      period,
      store.id,
      entry.kind,
      entry.from,
      entry.to,
      entry.amount ?? FEE,
      entry.invoiceId ?? null,
      entry.hold ?? null,
    ],
  );
}

const hold = (invoiceId: bigint, number = 1) =>
  enter({ kind: 'hold', from: 'available', to: 'held', invoiceId, hold: number });
const capture = (invoiceId: bigint, number = 1) =>
  enter({ kind: 'capture', from: 'held', to: 'revenue', invoiceId, hold: number });
const release = (invoiceId: bigint, number = 1) =>
  enter({ kind: 'release', from: 'held', to: 'available', invoiceId, hold: number });

async function insertInvoice(code: string): Promise<bigint> {
  const { rows } = await own.database.pool.query<{ id: bigint }>(
    `insert into invoices (store_id, trans_id, amount_usd, created_at, expires_at, fee_micro_usd)
     values ($1, $2, 50, now(), now() + interval '30 minutes', $3) returning id`,
    [store.id, `TID-${code.padEnd(16, 'A')}`, FEE],
  );
  const [row] = rows;
  if (!row) throw new Error('The invoice was not inserted.');
  return row.id;
}

/** Opens an invoice with its fee held, as a create leaves it. */
async function openInvoice(code: string): Promise<bigint> {
  const id = await insertInvoice(code);
  await inTransaction(own.database, (tx) => moveAvailable(tx, store.id, -FEE));
  await hold(id);
  return id;
}

const complete = (invoiceId: bigint) =>
  own.database.pool.query(
    `update invoices set status = 'completed', transaction_hash = 'h', from_address = 'f' where id = $1`,
    [invoiceId],
  );

describe('credit', () => {
  test('a credit moves money, leaves one entry and one audit entry that say the same', async () => {
    expect(await credit(2_500_000n, 'invoice 17')).toBe(CREDIT + 2_500_000n);
    expect(await available()).toBe(CREDIT + 2_500_000n);
    const { rows: entries } = await own.database.pool.query(
      'select kind, from_account, to_account, micro_usd, note from ledger_entries order by id desc limit 1',
    );
    expect(entries).toEqual([
      { kind: 'credit', from_account: 'funding', to_account: 'available', micro_usd: 2_500_000n, note: 'invoice 17' },
    ]);
    const { rows: audits } = await own.database.pool.query(
      'select actor, action, subject, details from audit_entries order by id desc limit 1',
    );
    expect(audits).toEqual([
      {
        actor: 'cli:alice',
        action: 'balance.credit',
        subject: `store:${store.id}`,
        details: { amount: '2.50', after: '12.50', note: 'invoice 17' },
      },
    ]);
    expect(await faults()).toEqual([]);
  });

  test('a debit can take back all there is and not a millionth more', async () => {
    await expect(credit(-CREDIT - 1n)).rejects.toMatchObject({ code: 'BALANCE_TOO_LOW' });
    expect(await available()).toBe(CREDIT);
    expect(await credit(-CREDIT)).toBe(0n);
    await expect(credit(-1n)).rejects.toMatchObject({ code: 'BALANCE_TOO_LOW' });
    expect(await faults()).toEqual([]);
  });

  test('a credit that is refused leaves no entry and no audit entry', async () => {
    const { entries } = await verifyAudit(own.database.queries);
    await credit(-CREDIT - 1n).catch(() => {});
    expect(await verifyAudit(own.database.queries)).toMatchObject({ entries });
    expect(await faults()).toEqual([]);
  });

  test('a credit of nothing is refused', async () => {
    await expect(credit(0n)).rejects.toMatchObject({ code: 'BALANCE_UNCHANGED' });
  });

  test('a credit taken back many times at once never goes below zero', async () => {
    const results = await Promise.allSettled(Array.from({ length: 15 }, () => credit(-1_000_000n)));
    expect(results.filter((one) => one.status === 'fulfilled')).toHaveLength(10);
    expect(await available()).toBe(0n);
    expect(await faults()).toEqual([]);
  });

  test('a credit is booked in the month of the injected clock', async () => {
    const clock = createManualClock(Date.UTC(2027, 0, 31, 23, 59, 59));
    await creditBalance({ database: own.database, clock }, ALICE, { store: store.ref, microUsd: 1n, note: 'late' });
    const { rows } = await own.database.pool.query(
      `select period::text as period from ledger_entries where note = 'late'`,
    );
    expect(rows).toEqual([{ period: '2027-01-01' }]);
  });

  test('a credit pays an overdraft off first, and then zero is the floor again', async () => {
    await own.database.pool.query(
      'update balances set available_micro_usd = -300, overdraft_micro_usd = 300 where store_id = $1',
      [store.id],
    );
    await inTransaction(own.database, (tx) => moveAvailable(tx, store.id, 100n));
    const readOverdraft = async () =>
      (await own.database.pool.query('select overdraft_micro_usd as left from balances')).rows[0];
    expect(await readOverdraft()).toEqual({ left: 200n });
    await inTransaction(own.database, (tx) => moveAvailable(tx, store.id, 250n));
    expect(await readOverdraft()).toEqual({ left: 0n });
    await expect(inTransaction(own.database, (tx) => moveAvailable(tx, store.id, -51n))).rejects.toMatchObject({
      constraint: 'balances_available_enough',
    });
  });
});

describe('what the database itself refuses', () => {
  test.each(['update ledger_entries set micro_usd = 1', 'delete from ledger_entries', 'truncate ledger_entries'])(
    'the database refuses a change of a ledger entry: %s',
    async (statement) => {
      await expect(own.database.pool.query(statement)).rejects.toThrow('is append-only');
    },
  );

  test('the database refuses a balance below zero, and a negative overdraft', async () => {
    await expect(own.database.pool.query('update balances set available_micro_usd = -1')).rejects.toMatchObject({
      code: CHECK_VIOLATION,
      constraint: 'balances_available_enough',
    });
    await expect(own.database.pool.query('update balances set overdraft_micro_usd = -1')).rejects.toMatchObject({
      code: CHECK_VIOLATION,
    });
  });

  test('the database refuses a second hold of the same number', async () => {
    await hold(1n);
    await expect(hold(1n)).rejects.toMatchObject({
      code: UNIQUE_VIOLATION,
      constraint: expect.stringMatching(/held|hold/),
    });
    await expect(hold(1n, 2)).resolves.toBeDefined();
  });

  test.each([
    ['captured twice', capture, capture],
    ['released twice', release, release],
    ['captured and then released', capture, release],
    ['released and then captured', release, capture],
  ])('the database refuses a hold that is %s', async (_name, first, second) => {
    await hold(1n);
    await first(1n);
    await expect(second(1n)).rejects.toMatchObject({ code: UNIQUE_VIOLATION });
    await hold(1n, 2);
    await expect(first(1n, 2)).resolves.toBeDefined();
  });

  test('the database refuses one of two ends of a hold at the same moment', async () => {
    await hold(1n);
    const results = await Promise.allSettled([capture(1n), release(1n), capture(1n), release(1n)]);
    expect(results.filter((one) => one.status === 'fulfilled')).toHaveLength(1);
  });

  test.each<[string, Entry]>([
    ['accounts that do not belong to its kind', { kind: 'credit', from: 'available', to: 'funding' }],
    ['an unknown kind', { kind: 'gift', from: 'funding', to: 'available' }],
    ['no amount', { kind: 'credit', from: 'funding', to: 'available', amount: 0n }],
    ['a negative amount', { kind: 'credit', from: 'funding', to: 'available', amount: -1n }],
    ['a hold without an invoice', { kind: 'hold', from: 'available', to: 'held' }],
    ['a hold without a number', { kind: 'hold', from: 'available', to: 'held', invoiceId: 1n }],
    ['a credit with an invoice', { kind: 'credit', from: 'funding', to: 'available', invoiceId: 1n, hold: 1 }],
  ])('the database refuses an entry with %s', async (_fault, entry) => {
    await expect(enter(entry)).rejects.toMatchObject({ code: CHECK_VIOLATION });
  });
});

describe('the check finds', () => {
  test('the ledger check finds nothing in a ledger of open, completed and expired invoices', async () => {
    await openInvoice('OPEN');
    const completed = await openInvoice('DONE');
    await capture(completed);
    await complete(completed);
    const expired = await openInvoice('OVER');
    await release(expired);
    await inTransaction(own.database, (tx) => moveAvailable(tx, store.id, FEE));
    await own.database.pool.query(`update invoices set status = 'expired' where id = $1`, [expired]);
    const late = await openInvoice('LATE');
    await release(late);
    await hold(late, 2);
    await capture(late, 2);
    await complete(late);
    expect(await faults()).toEqual([]);
  });

  test('the ledger check finds a balance that no entry explains', async () => {
    await own.database.pool.query('update balances set available_micro_usd = available_micro_usd + 1');
    expect(await faults()).toEqual([`available is ${CREDIT + 1n}, entries say ${CREDIT}`]);
  });

  test('the ledger check finds an entry that never reached the balance', async () => {
    await enter({ kind: 'credit', from: 'funding', to: 'available', amount: 5n });
    expect(await faults()).toEqual([`available is ${CREDIT}, entries say ${CREDIT + 5n}`]);
  });

  test('the ledger check finds an open invoice without its hold', async () => {
    const id = await insertInvoice('BARE');
    expect(await faults()).toEqual([`invoice ${id} holds 0, its state says ${FEE}`]);
  });

  test('the ledger check finds a hold whose invoice has ended', async () => {
    const id = await openInvoice('OPEN');
    await own.database.pool.query(`update invoices set status = 'expired' where id = $1`, [id]);
    expect(await faults()).toEqual([`invoice ${id} holds ${FEE}, its state says 0`]);
  });

  test('the ledger check finds a fee that was captured for an expired invoice', async () => {
    const id = await openInvoice('OVER');
    await capture(id);
    await own.database.pool.query(`update invoices set status = 'expired' where id = $1`, [id]);
    expect(await faults()).toEqual([`invoice ${id} captured ${FEE}, its state says 0`]);
  });

  test('the ledger check finds a completed invoice whose fee was released', async () => {
    const id = await openInvoice('FREE');
    await release(id);
    await inTransaction(own.database, (tx) => moveAvailable(tx, store.id, FEE));
    await complete(id);
    expect(await faults()).toEqual([`invoice ${id} captured 0, its state says ${FEE}`]);
  });

  test('the ledger check finds a completed invoice without any entry', async () => {
    const id = await insertInvoice('BARE');
    await complete(id);
    expect(await faults()).toEqual([`invoice ${id} captured 0, its state says ${FEE}`]);
  });

  test('the ledger check finds a fee that was captured twice for a completed invoice', async () => {
    const id = await openInvoice('TWICE');
    await capture(id);
    await inTransaction(own.database, (tx) => moveAvailable(tx, store.id, -FEE));
    await hold(id, 2);
    await capture(id, 2);
    await complete(id);
    expect(await faults()).toEqual([`invoice ${id} captured ${2n * FEE}, its state says ${FEE}`]);
  });

  test.each(['waiting', 'processing'])(
    'the ledger check finds a fee that was captured for a %s invoice',
    async (status) => {
      const id = await openInvoice('OPEN');
      await capture(id);
      await own.database.pool.query(`update invoices set status = $2 where id = $1`, [id, status]);
      expect((await faults()).toSorted()).toEqual([
        `invoice ${id} captured ${FEE}, its state says 0`,
        `invoice ${id} holds 0, its state says ${FEE}`,
      ]);
    },
  );

  test('the ledger check finds entries of a store that has no balance at all', async () => {
    await own.database.pool.query('delete from balances where store_id = $1', [store.id]);
    expect(await faults()).toEqual([`available is missing, entries say ${CREDIT}`]);
  });

  test('the ledger check finds two holds on one invoice that hide the missing hold of another', async () => {
    await inTransaction(own.database, (tx) => moveAvailable(tx, store.id, -2n * FEE));
    const twice = await insertInvoice('TWICE');
    const never = await insertInvoice('NEVER');
    await hold(twice, 1);
    await hold(twice, 2);
    expect((await faults()).toSorted()).toEqual([
      `invoice ${twice} holds ${2n * FEE}, its state says ${FEE}`,
      `invoice ${never} holds 0, its state says ${FEE}`,
    ]);
  });

  test('the ledger check returns no more faults than it was asked for', async () => {
    await openStore(own.database);
    await own.database.pool.query('update balances set available_micro_usd = available_micro_usd + 1');
    expect(await findLedgerFaults(own.database.queries, 1)).toHaveLength(1);
  });
});
