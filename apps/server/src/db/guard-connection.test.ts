import { sql } from 'kysely';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, inject, test, vi } from 'vitest';
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

const STATEMENT_TIMEOUT_MS = 600_000;
/** Time without an answer after which a connection is closed; no test really waits for it. */
const SILENCE_MS = 2 * STATEMENT_TIMEOUT_MS;
const CONNECT_TIMEOUT_MS = 2_000;
const IDLE_MS = 10;
const WITHIN = { timeout: 60_000, interval: 20 };
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
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  database = openDatabase(
    { url: line.through(own.url), connections: 1, name: 'counterfoil-test', statementTimeoutMs: STATEMENT_TIMEOUT_MS },
    (cause) => failures.push(cause.message),
  );
});
afterEach(async () => {
  vi.useRealTimers();
  await closeDatabase(database);
  await line.stop();
  await own.drop();
});

/** Lets pending network events happen. Timers are stopped, which `expect.poll` would move. */
const afterEvents = () => new Promise((resolve) => void setImmediate(resolve));

const failureOf = (asked: Promise<unknown>) =>
  asked.then(
    () => undefined,
    (cause: unknown) => cause,
  );

/** Checks that a statement whose answer is lost fails after `silenceMs`, and not a millisecond earlier. */
async function expectGivenUp(
  asked: Promise<unknown>,
  { silenceMs = SILENCE_MS, isLost = async () => line.swallowed() > 0 } = {},
): Promise<void> {
  let settled = false;
  const failure = failureOf(asked).finally(() => {
    settled = true;
  });
  while (!(await isLost())) await afterEvents();
  await vi.advanceTimersByTimeAsync(silenceMs - 1);
  expect(settled).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(await failure).toMatchObject(SILENT);
}

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
      await expectGivenUp(ask());
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
    await expectGivenUp(work);
    expect(failures).toEqual([expect.stringContaining('said nothing')]);
    await expect.poll(() => countMerchants(), WITHIN).toBe(0);
  });

  test('a connection that dies in silence leaves a commit unknown: it fails with the same error, though the server may have committed', async () => {
    const work = inTransaction(database, async (tx) => {
      await sql`insert into merchants (name, created_at) values ('told', now())`.execute(tx);
      // The server receives the commit, but its answer is lost.
      line.deafen();
    });
    await expectGivenUp(work, { isLost: async () => (await countMerchants()) === 1 });
  });

  test('a connection that dies in silence closes the idle ones beside it: nobody waits for one after the other', async () => {
    const many = openDatabase(
      {
        url: line.through(own.url),
        connections: 5,
        name: 'counterfoil-test',
        statementTimeoutMs: STATEMENT_TIMEOUT_MS,
        // Shorter than the time after which the pool closes idle connections.
        answerTimeoutMs: 2_000,
      },
      () => {},
    );
    await Promise.all(Array.from({ length: 5 }, () => many.pool.query('select pg_sleep(0.05)')));
    expect(many.pool.idleCount).toBe(5);
    line.silence();
    await expectGivenUp(many.pool.query('select 1'), { silenceMs: 2_000 });
    expect(many.pool.idleCount).toBe(0);
    await many.pool.query('select 1');
    await expect.poll(() => line.dead(), WITHIN).toBe(0);
    await closeDatabase(many);
  });

  test('a connection that dies in silence does not delay callers that need a connection', async () => {
    await database.pool.query('select 1');
    line.silence();
    line.swallowNew(true);
    await expectGivenUp(database.pool.query('select 1'));
    const refused = failureOf(database.pool.query('select 1'));
    await vi.advanceTimersByTimeAsync(CONNECT_TIMEOUT_MS);
    expect(await refused).toMatchObject({ message: expect.stringContaining('timeout') as string });
    line.swallowNew(false);
    await database.pool.query('select 1');
  });
});

async function countMerchants(): Promise<number> {
  const { rows } = await own.database.pool.query<{ count: number }>('select count(*)::integer as count from merchants');
  return rows[0]?.count ?? 0;
}

test('a statement that takes long but is answered is not cut off', async () => {
  const short = openDatabase(
    { url: line.through(own.url), connections: 1, name: 'counterfoil-test', statementTimeoutMs: 100 },
    (cause) => failures.push(cause.message),
  );
  await short.pool.query('select 1');
  const answered = failureOf(short.pool.query('select pg_sleep(60)'));
  await vi.advanceTimersByTimeAsync(2 * 100 - 1);
  expect(await answered).toMatchObject({ code: '57014' });
  expect(failures).toEqual([]);
  await closeDatabase(short);
});

test('reports have the same guard, at their own time limit', async () => {
  const options = { connections: 1, name: 'counterfoil-test', reports: true };
  const reports = openDatabase({ ...options, url: own.url }, () => {});
  const { rows } = await reports.pool.query('show statement_timeout');
  expect(rows).toEqual([{ statement_timeout: '10min' }]);
  await closeDatabase(reports);
  const short = openDatabase(
    { ...options, url: line.through(own.url), statementTimeoutMs: STATEMENT_TIMEOUT_MS },
    () => {},
  );
  await short.pool.query('select 1');
  line.silence();
  await expectGivenUp(short.queries.selectFrom('plans').select('id').execute());
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
    idleMs: IDLE_MS,
    body: async () => {
      await measureOffsetMs(database.pool, systemClock);
      rounds += 1;
      return false;
    },
  });
  const passUntil = async (isReached: () => boolean) => {
    while (!isReached()) {
      await afterEvents();
      await vi.advanceTimersByTimeAsync(IDLE_MS);
    }
  };
  await passUntil(() => rounds > 2);
  line.silence();
  const before = rounds;
  await passUntil(() => line.swallowed() === 1);
  await vi.advanceTimersByTimeAsync(SILENCE_MS);
  await passUntil(() => rounds > before + 2);
  expect(failures).toHaveLength(1);
  stop.abort();
  await running;
});
