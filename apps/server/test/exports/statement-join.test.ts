import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { TestDatabase } from '../../rig/database/test-database.ts';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import { exportingContext } from '../../rig/exports/make-files.ts';
import type { Exporter } from '../../rig/exports/open-exporter.ts';
import { openExporter } from '../../rig/exports/open-exporter.ts';
import { parseTable } from '../../rig/exports/parse-csv.ts';
import { periodOf } from '../../src/db/partition-sql.ts';
import { makeExport } from '../../src/exports/make-export.ts';
import { createManualClock, dateFromUnix, systemClock, unixSeconds } from '../../src/lib/clock.ts';

/** Statements that follow each other: the closing balance of one is the opening balance of the next. */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const CREDIT = 5_000_000n;

const clock = createManualClock(Math.floor(systemClock.nowMs() / MINUTE_MS) * MINUTE_MS);
let own: TestDatabase;
let exporter: Exporter;
beforeAll(async () => {
  own = await openTestDatabase(inject('template'));
  exporter = await openExporter(own.database, { clock });
});
afterAll(async () => {
  await exporter.jobs.close();
  await own.drop();
});

/** Credits the store as of a moment; the entry is seen when the connection's transaction is committed. */
async function credit(connection: pg.Client | pg.Pool, at: Date, note: string): Promise<void> {
  await connection.query(
    `with entered as (
       insert into ledger_entries (period, store_id, kind, from_account, to_account, micro_usd, note, at)
       values ($1, $2, 'credit', 'funding', 'available', ${CREDIT}, $3, $4))
     update balances set available_micro_usd = available_micro_usd + ${CREDIT} where store_id = $2`,
    [periodOf(at), exporter.store.id, note, at],
  );
}

/** Exports a statement; returns its lines and the end that the dashboard shows, in seconds. */
async function makeStatement(from?: number) {
  const id = await exporter.ask('statement', from === undefined ? undefined : dateFromUnix(from));
  await makeExport(exportingContext(own.as('worker')), id);
  const chunks = await own.database.pool.query<{ bytes: Buffer }>(
    'select bytes from export_chunks where export_id = $1 order by number',
    [id],
  );
  const { rows } = await own.database.pool.query<{ at: Date }>('select to_at as at from exports where id = $1', [id]);
  const lines = parseTable(Buffer.concat(chunks.rows.map(({ bytes }) => bytes)).toString('utf8'));
  const balanceAt = (name: string) => lines.find(({ line }) => line === name)?.['available_usd'];
  const notes = lines.filter(({ line }) => line === 'entry').map(({ note }) => note);
  return {
    to: unixSeconds(rows[0]?.at ?? new Date(0)),
    opening: balanceAt('opening'),
    closing: balanceAt('closing'),
    notes,
  };
}

test('an entry that is committed after a statement was made is in the next statement, once', async () => {
  clock.advance(HOUR_MS);
  const client = new pg.Client({ connectionString: own.url });
  await client.connect();
  await client.query('begin');
  await credit(client, new Date(clock.nowMs()), 'late');
  clock.advance(14 * MINUTE_MS);
  const first = await makeStatement();
  await client.query('commit');
  await client.end();
  clock.advance(HOUR_MS);
  const second = await makeStatement(first.to);
  expect(second.opening).toBe(first.closing);
  expect([...first.notes, ...second.notes].filter((note) => note === 'late')).toEqual(['late']);
});

test.each([
  ['of the second of the request', 0],
  ['of the second in which the first one ends', 15 * MINUTE_MS],
  ['of the minute before the first one ends', 16 * MINUTE_MS],
])('an entry %s is in one of two statements that follow each other', async (note, waitedMs) => {
  clock.advance(HOUR_MS);
  await credit(own.database.pool, new Date(clock.nowMs() + 200), note);
  clock.advance(waitedMs + 400);
  const first = await makeStatement();
  clock.advance(HOUR_MS - 400);
  const second = await makeStatement(first.to);
  expect(second.opening).toBe(first.closing);
  expect([...first.notes, ...second.notes].filter((one) => one === note)).toEqual([note]);
});
