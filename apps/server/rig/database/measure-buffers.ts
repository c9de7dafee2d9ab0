import { sql } from 'kysely';
import pg from 'pg';
import type { Prepared, Queries } from '../../src/db/database.ts';
import { SESSION_SETTINGS } from '../../src/db/database.ts';

/**
 * Measures how many buffers an SQL statement touches on average, as the database server counts them over many runs on
 * one connection.
 */

const RUNS = 300;
const ROUNDS = 3;

export async function blocksFetched(client: pg.Client | pg.Pool): Promise<number> {
  await client.query('select pg_stat_force_next_flush()');
  const { rows } = await client.query<{ blocks: string }>(
    `select pg_stat_get_db_blocks_fetched(oid) as blocks from pg_database where datname = current_database()`,
  );
  return Number(rows[0]?.blocks);
}

const CALLS = 5;
/** Calls before the count begins: the first ones read the server's own tables. */
const WARM_CALLS = 2;

/**
 * Pages per call of `read`, the smallest number of several rounds: background work, and connections whose pages are
 * counted only when they end, can only add pages.
 */
export async function pagesPerCall(counter: pg.Pool, queries: Queries, read: () => Promise<unknown>): Promise<number> {
  const flush = () => sql`select pg_stat_force_next_flush()`.execute(queries);
  for (let call = 0; call < WARM_CALLS; call += 1) await read();
  const rounds: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    await flush();
    const before = await blocksFetched(counter);
    for (let call = 0; call < CALLS; call += 1) await read();
    await flush();
    rounds.push(((await blocksFetched(counter)) - before) / CALLS);
  }
  return Math.round(Math.min(...rounds));
}

async function measureRound(
  client: pg.Client,
  statement: Prepared,
  values: (run: number) => unknown[],
): Promise<number> {
  for (let warm = 0; warm < 10; warm += 1) await client.query({ ...statement, values: values(-1 - warm) });
  const idleStart = await blocksFetched(client);
  const start = await blocksFetched(client);
  for (let run = 0; run < RUNS; run += 1) await client.query({ ...statement, values: values(run) });
  const end = await blocksFetched(client);
  return (end - start - (start - idleStart)) / RUNS;
}

/** Buffers per run, the smallest number of several rounds: background work can only add buffers. */
export async function measureBuffers(
  url: string,
  statement: Prepared,
  values: (run: number) => unknown[],
): Promise<number> {
  const client = new pg.Client({
    connectionString: url,
    options: SESSION_SETTINGS,
  });
  await client.connect();
  try {
    const rounds: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      rounds.push(await measureRound(client, statement, (run) => values(round * 2 * RUNS + run + 20)));
    }
    return Math.min(...rounds);
  } finally {
    await client.end();
  }
}
