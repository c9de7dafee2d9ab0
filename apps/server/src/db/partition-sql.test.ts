import type pg from 'pg';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import type { TestDatabase } from '../../rig/database/test-database.ts';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import { systemClock } from '../lib/clock.ts';
import { dropOldestMonth, ensurePartitions, periodOf } from './partition-sql.ts';

const CONNECTIONS = 6;

let own: TestDatabase;
let pool: pg.Pool;
beforeEach(async () => {
  own = await openTestDatabase(inject('template'), CONNECTIONS);
  pool = own.database.pool;
  // The template has today's partitions; these tests start without any.
  for (const name of await partitionNames()) {
    if (name !== 'ledger_entries_default') await pool.query(`drop table ${name}`);
  }
});
afterEach(() => own.drop());

const NOVEMBER = new Date('2026-11-15T12:00:00Z');

async function partitionNames(): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `select inhrelid::regclass::text as name from pg_inherits
     where inhparent = 'ledger_entries'::regclass order by 1`,
  );
  return rows.map((row) => row.name);
}

const EXPECTED = [
  'ledger_entries_2026_11',
  'ledger_entries_2026_12',
  'ledger_entries_2027_01',
  'ledger_entries_2027_02',
  'ledger_entries_default',
];

async function landingOf(period: string): Promise<string | undefined> {
  const { rows } = await pool.query<{ name: string }>(
    `insert into ledger_entries (period, store_id, kind, from_account, to_account, micro_usd, at)
     values ($1, 1, 'credit', 'funding', 'available', 1, now()) returning tableoid::regclass::text as name`,
    [period],
  );
  return rows[0]?.name;
}

test('this month and the next three have partitions, also over the end of the year', async () => {
  await ensurePartitions(pool, NOVEMBER);
  expect(await partitionNames()).toEqual(EXPECTED);
});

test('an entry lands in the partition of its month, the first day and the last', async () => {
  await ensurePartitions(pool, NOVEMBER);
  expect(await landingOf(periodOf(new Date('2026-11-01T00:00:00Z')))).toBe('ledger_entries_2026_11');
  expect(await landingOf(periodOf(new Date('2026-11-30T23:59:59.999Z')))).toBe('ledger_entries_2026_11');
  expect(await landingOf(periodOf(new Date('2026-12-01T00:00:00Z')))).toBe('ledger_entries_2026_12');
  expect(await landingOf(periodOf(new Date('2027-02-28T23:59:59Z')))).toBe('ledger_entries_2027_02');
});

test('an entry of a month without a partition is kept all the same', async () => {
  await ensurePartitions(pool, NOVEMBER);
  expect(await landingOf('2031-01-01')).toBe('ledger_entries_default');
});

test('making partitions again changes nothing, and a month later only the new one is added', async () => {
  await ensurePartitions(pool, NOVEMBER);
  await ensurePartitions(pool, NOVEMBER);
  expect(await partitionNames()).toEqual(EXPECTED);
  await ensurePartitions(pool, new Date('2026-12-31T23:59:59Z'));
  expect(await partitionNames()).toEqual([...EXPECTED.slice(0, 4), 'ledger_entries_2027_03', 'ledger_entries_default']);
});

test('a month whose entries came before its partition keeps them, and the other months get theirs', async () => {
  expect(await landingOf('2026-12-01')).toBe('ledger_entries_default');
  await ensurePartitions(pool, NOVEMBER);
  expect(await partitionNames()).toEqual(EXPECTED.filter((name) => name !== 'ledger_entries_2026_12'));
  expect(await landingOf('2026-12-01')).toBe('ledger_entries_default');
});

test('processes that make partitions at the same time do not fail each other', async () => {
  await Promise.all(Array.from({ length: CONNECTIONS }, () => ensurePartitions(pool, NOVEMBER)));
  expect(await partitionNames()).toEqual(EXPECTED);
});

test('a table in use is not waited for: nobody queues behind it, and its partitions are made another time', async () => {
  const reader = await pool.connect();
  try {
    await reader.query('begin');
    await reader.query('select from ledger_entries limit 1');
    expect(await ensurePartitions(own.as('worker').pool, NOVEMBER)).toBe(false);
  } finally {
    await reader.query('rollback');
    reader.release();
  }
  expect(await ensurePartitions(own.as('worker').pool, NOVEMBER)).toBe(true);
  expect(await partitionNames()).toEqual(EXPECTED);
});

test.each(['attempts', 'security_events'] as const)(
  'whatever moment a worker names, it drops no %s of the last thirty days',
  async (table) => {
    const months = async () => {
      const { rows } = await pool.query<{ name: string }>(
        `select inhrelid::regclass::text as name from pg_inherits where inhparent = $1::regclass order by 1`,
        [table],
      );
      return rows.map((row) => row.name);
    };
    const dayMs = 86_400_000;
    const nowMs = systemClock.nowMs();
    await ensurePartitions(pool, new Date(nowMs - 30 * dayMs));
    const young = await months();
    await ensurePartitions(pool, new Date(nowMs - 100 * dayMs));
    const worker = own.as('worker');
    const never = new Date('9999-01-01');
    while ((await dropOldestMonth(worker, table, never)) !== undefined);
    expect(await months()).toEqual(young);
  },
);

test('a worker drops no months of the ledger', async () => {
  await ensurePartitions(pool, new Date('2020-01-15T00:00:00Z'));
  const drop = own.as('worker').pool.query(`select drop_oldest_month('ledger_entries', now())`);
  await expect(drop).rejects.toThrow('months of ledger_entries are kept');
});

test('partitions refuse changes as their parent does', async () => {
  await ensurePartitions(pool, NOVEMBER);
  for (const partition of [await landingOf('2026-11-01'), await landingOf('2031-01-01')]) {
    for (const change of [`update ${partition} set note = ''`, `delete from ${partition}`, `truncate ${partition}`]) {
      await expect(pool.query(change)).rejects.toThrow('append-only');
    }
  }
});
