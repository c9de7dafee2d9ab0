import { sql } from 'kysely';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import type { TcpProxy } from '../../rig/fakes/tcp-proxy.ts';
import { startTcpProxy } from '../../rig/fakes/tcp-proxy.ts';
import type { TestDatabase } from '../../rig/database/test-database.ts';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import { steadyClock, systemClock } from '../lib/clock.ts';
import { runLoop } from '../lib/loop.ts';
import { createWatchdog } from '../lib/watchdog.ts';
import { measureOffsetMs } from './clock-skew.ts';
import type { Database } from './database.ts';
import { closeDatabase, openDatabase, runPrepared } from './database.ts';
import { inTransaction } from './transaction.ts';

/** A connection to the database that goes silent: every statement and every loop on it must survive that. */

const TIMEOUT_MS = 1_000;
const WITHIN = { timeout: 20_000, interval: 20 };
const ONE = { name: 'one', text: 'select 1 as one' };
const SILENT = { name: 'SilentDatabaseError' };

let own: TestDatabase;
let line: TcpProxy;
let database: Database;
let failures: string[];
beforeEach(async () => {
  own = await openTestDatabase(inject('template'));
  line = await startTcpProxy(Number(new URL(own.url).port));
  failures = [];
  database = openDatabase(
    { url: line.through(own.url), connections: 1, name: 'counterfoil-test', statementTimeoutMs: TIMEOUT_MS },
    (cause) => failures.push(cause.message),
  );
});
afterEach(async () => {
  await closeDatabase(database);
  await line.stop();
  await own.drop();
});

describe('a connection that dies in silence', () => {
  const asks: [string, () => Promise<unknown>][] = [
    ['the pool', () => database.pool.query('select 1')],
    ['a prepared statement', () => runPrepared(database.pool, ONE, [])],
    ['the query builder', () => database.queries.selectFrom('plans').select('id').execute()],
    ['a transaction', () => inTransaction(database, (tx) => sql`select 1`.execute(tx))],
  ];

  test.each(asks)(
    'a connection that dies in silence fails a statement of %s in time, and is never used again',
    async (_name, ask) => {
      await ask();
      line.silence();
      await expect(ask()).rejects.toMatchObject(SILENT);
      await expect.poll(() => line.dead(), WITHIN).toBe(0);
      await ask();
      expect(database.pool.totalCount).toBe(1);
    },
  );

  test('a connection that dies in silence fails a running transaction, and its further statements', async () => {
    const work = inTransaction(database, async (tx) => {
      await sql`insert into merchants (name, created_at) values ('lost', now())`.execute(tx);
      line.silence();
      await sql`select 1`.execute(tx).catch(() => {});
      await sql`select 2`.execute(tx);
    });
    await expect(work).rejects.toMatchObject(SILENT);
    expect(failures).toEqual([expect.stringContaining('said nothing')]);
    await expect.poll(() => countMerchants(), WITHIN).toBe(0);
  });

  test('a connection that dies in silence leaves a commit unknown: it fails with the same error, though the server may have committed', async () => {
    const work = inTransaction(database, async (tx) => {
      await sql`insert into merchants (name, created_at) values ('told', now())`.execute(tx);
      // The server receives the commit, but its answer is lost.
      line.deafen();
    });
    await expect(work).rejects.toMatchObject(SILENT);
    expect(await countMerchants()).toBe(1);
  });

  test('a connection that dies in silence closes the idle ones beside it: nobody waits for one after the other', async () => {
    const many = openDatabase(
      { url: line.through(own.url), connections: 5, name: 'counterfoil-test', statementTimeoutMs: TIMEOUT_MS },
      () => {},
    );
    await Promise.all(Array.from({ length: 5 }, () => many.pool.query('select pg_sleep(0.05)')));
    expect(many.pool.idleCount).toBe(5);
    line.silence();
    await expect(many.pool.query('select 1')).rejects.toMatchObject(SILENT);
    await many.pool.query('select 1');
    await expect.poll(() => line.dead(), WITHIN).toBe(0);
    await closeDatabase(many);
  });

  test('a connection that dies in silence does not delay callers that need a connection', async () => {
    await database.pool.query('select 1');
    line.silence();
    line.swallowNew(true);
    await expect(database.pool.query('select 1')).rejects.toMatchObject(SILENT);
    await expect(database.pool.query('select 1')).rejects.toThrow(/timeout/);
    line.swallowNew(false);
    await database.pool.query('select 1');
  });
});

async function countMerchants(): Promise<number> {
  const { rows } = await own.database.pool.query<{ count: number }>('select count(*)::integer as count from merchants');
  return rows[0]?.count ?? 0;
}

test('a statement that takes long but is answered is not cut off', async () => {
  await expect(database.pool.query('select pg_sleep(5)')).rejects.toMatchObject({ code: '57014' });
  expect(failures).toEqual([]);
});

test('reports have the same guard, at their own time limit', async () => {
  const options = { connections: 1, name: 'counterfoil-test', reports: true };
  const reports = openDatabase({ ...options, url: own.url }, () => {});
  const { rows } = await reports.pool.query('show statement_timeout');
  expect(rows).toEqual([{ statement_timeout: '10min' }]);
  await closeDatabase(reports);
  const short = openDatabase({ ...options, url: line.through(own.url), statementTimeoutMs: TIMEOUT_MS }, () => {});
  await short.pool.query('select 1');
  line.silence();
  await expect(short.queries.selectFrom('plans').select('id').execute()).rejects.toMatchObject(SILENT);
  await closeDatabase(short);
});

test('a loop goes on after its connection to the database died in silence', async () => {
  const stop = new AbortController();
  const watchdog = createWatchdog({ clock: steadyClock, maxSilenceMs: 60_000, onSilence: () => {} });
  let rounds = 0;
  const running = runLoop({
    name: 'test',
    log: pino({ level: 'silent' }),
    signal: stop.signal,
    watchdog,
    idleMs: 10,
    body: async () => {
      await measureOffsetMs(database.pool, systemClock);
      rounds += 1;
      return false;
    },
  });
  await expect.poll(() => rounds, WITHIN).toBeGreaterThan(2);
  line.silence();
  const before = rounds;
  await expect.poll(() => rounds, WITHIN).toBeGreaterThan(before + 2);
  expect(failures).toHaveLength(1);
  stop.abort();
  await running;
});
