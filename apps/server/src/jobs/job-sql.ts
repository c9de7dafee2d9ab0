import { sql } from 'kysely';
import type pg from 'pg';
import type { Db } from 'pg-boss';
import { isDatabaseError } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';
import { sleep } from '../lib/loop.ts';
import { Refusal } from '../lib/refusal.ts';
import { JOB_SCHEMA } from './job.ts';

/** SQL around pg-boss's schema; its own statements come from the package. */

// Shared by all migrating processes.
const ADVISORY_LOCK = 0x0c_0f_02;
const LOCK_POLL_MS = 250;
/** Longer than any installation takes. */
const MAX_LOCK_TRIES = 3_600_000 / LOCK_POLL_MS;
const NOT_ALLOWED = '42501';
const COMMIT = 'COMMIT;';

/** Runs pg-boss's statements on our connections. */
export function runSqlOn(connections: pg.Pool | pg.ClientBase): Db {
  return { executeSql: (text, values) => connections.query(text, values) };
}

/** One process installs at a time. The lock is polled: a waiting statement would block concurrent index builds. */
export async function lockInstallation(client: pg.ClientBase): Promise<void> {
  for (let tries = 0; tries < MAX_LOCK_TRIES; tries += 1) {
    const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [
      ADVISORY_LOCK,
    ]);
    if (rows[0]?.locked) return;
    await sleep(LOCK_POLL_MS, new AbortController().signal);
  }
  throw new Refusal('MIGRATION_LOCKED');
}

export async function unlockInstallation(client: pg.ClientBase): Promise<void> {
  await client.query('select pg_advisory_unlock($1)', [ADVISORY_LOCK]);
}

export async function hasJobSchema(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query('select from pg_namespace where nspname = $1', [JOB_SCHEMA]);
  return rows.length > 0;
}

/** Version of the job tables, if any. */
export async function readJobVersion(client: pg.Pool | pg.ClientBase): Promise<number | undefined> {
  const { rows } = await client.query<{ there: boolean }>(
    `select to_regclass('${JOB_SCHEMA}.version') is not null as there`,
  );
  if (!rows[0]?.there) return undefined;
  const found = await client.query<{ version: number }>(`select version from ${JOB_SCHEMA}.version`);
  return found.rows[0]?.version;
}

export async function readJobVersionIn(tx: Tx): Promise<number | undefined> {
  const { rows } = await sql<{ version: number }>`select version from pgboss.version`.execute(tx);
  return rows[0]?.version;
}

/** Only without roles; otherwise roles.sql has created it, because the owner role may not. */
export async function createJobSchema(client: pg.ClientBase): Promise<void> {
  try {
    await client.query(`create schema ${JOB_SCHEMA}`);
  } catch (cause) {
    if (isDatabaseError(cause, NOT_ALLOWED)) throw new Refusal('JOBS_WITHOUT_SCHEMA');
    throw cause;
  }
}

/** Runs pg-boss's statements: one transaction, then each concurrent index alone. */
export async function runPlans(client: pg.ClientBase, plans: string): Promise<void> {
  const end = plans.lastIndexOf(COMMIT) + COMMIT.length;
  await client.query(plans.slice(0, end));
  const indexes = plans.slice(end).split(/;\s*$/m);
  for (const index of indexes) if (index.trim() !== '') await client.query(index);
}
