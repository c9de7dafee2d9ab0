import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import pg from 'pg';
import { OperatorError } from '../lib/errors.ts';
import { rest } from '../lib/loop.ts';
import { readSteps, runSteps } from './repeatable-steps.ts';

/**
 * Numbered plain SQL, under one lock: each file in one transaction, but for those that build indexes concurrently. See
 * docs/decisions/0004-migrations.md.
 */

const FOLDER = new URL('./migrations/', import.meta.url);
const FILE_NAME = /^(\d{4})-[a-z0-9-]+\.sql$/;
const LOCK_TIMEOUT = '5s';
// Any constant will do: it only has to be the same for all that migrate.
const ADVISORY_LOCK = 0x0c_0f_01;
const CONNECT_TIMEOUT_MS = 10_000;
const KEEP_ALIVE_MS = 10_000;
const LOCK_POLL_MS = 250;
/** Longer than the longest build: whoever holds the lock for so long is stuck. */
const MAX_LOCK_TRIES = (8 * 3_600_000) / LOCK_POLL_MS;

export type Migration = { version: number; name: string; sql: string; checksum: string };
export type SchemaState = 'current' | 'behind' | 'newer';

export async function readMigrations(): Promise<Migration[]> {
  const names = (await readdir(FOLDER)).filter((name) => name.endsWith('.sql')).sort();
  return Promise.all(
    names.map(async (name, position) => {
      const version = Number(FILE_NAME.exec(name)?.[1]);
      if (version !== position + 1) throw new Error(`Migration ${name} should be number ${position + 1}.`);
      const sql = await readFile(new URL(name, FOLDER), 'utf8');
      readSteps(sql);
      return { version, name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
    }),
  );
}

type Applied = { version: number; name: string; checksum: string };

async function readApplied(client: pg.ClientBase): Promise<Applied[]> {
  const { rows } = await client.query<{ there: boolean }>(
    `select to_regclass('schema_migrations') is not null as there`,
  );
  if (!rows[0]?.there) return [];
  return (await client.query<Applied>('select version, name, checksum from schema_migrations order by version')).rows;
}

/** Pure: what is left to do, or why nothing may be done. */
export function planMigrations(known: readonly Migration[], applied: readonly Applied[]): Migration[] {
  for (const one of applied) {
    const twin = known[one.version - 1];
    if (!twin)
      throw new Error(`The database has migration ${one.name}, which this version does not know. Upgrade first.`);
    if (twin.checksum !== one.checksum) throw new Error(`Migration ${one.name} was changed after it had been applied.`);
  }
  return known.slice(applied.length);
}

/**
 * Asks again and again instead of waiting inside a statement: who waits there holds a snapshot, and an index that another
 * process builds would wait for it in turn.
 */
async function lockMigrations(client: pg.ClientBase, log: (line: string) => void): Promise<void> {
  for (let tries = 0; tries < MAX_LOCK_TRIES; tries += 1) {
    const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [
      ADVISORY_LOCK,
    ]);
    if (rows[0]?.locked) return;
    if (tries === 0) log('another process migrates, waiting for it');
    await rest(LOCK_POLL_MS, new AbortController().signal);
  }
  throw new OperatorError('Another process has been migrating for hours. Look at what it waits for.');
}

async function apply(client: pg.ClientBase, migration: Migration, log: (line: string) => void): Promise<void> {
  const steps = readSteps(migration.sql);
  if (steps) await runSteps(client, steps, log);
  await client.query('begin');
  await client.query(`set local lock_timeout = '${LOCK_TIMEOUT}'`);
  if (!steps) await client.query(migration.sql);
  await client.query('insert into schema_migrations (version, name, checksum) values ($1, $2, $3)', [
    migration.version,
    migration.name,
    migration.checksum,
  ]);
  await client.query('commit');
}

export async function migrate(url: string, log: (line: string) => void, known?: readonly Migration[]): Promise<number> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'counterfoil-migrate',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
  });
  // A connection that is lost fails the statement under way, which says so.
  client.on('error', () => {});
  await client.connect();
  try {
    await lockMigrations(client, log);
    await client.query(
      `create table if not exists schema_migrations (
         version integer primary key, name text not null, checksum text not null, applied_at timestamptz not null default now())`,
    );
    const due = planMigrations(known ?? (await readMigrations()), await readApplied(client));
    for (const migration of due) {
      await apply(client, migration, log);
      log(`applied ${migration.name}`);
    }
    return due.length;
  } finally {
    await client.end();
  }
}

let knownHere: Promise<readonly Migration[]> | undefined;

/** Files of this version do not change while it runs. */
function readMigrationsOnce(): Promise<readonly Migration[]> {
  knownHere ??= readMigrations();
  return knownHere;
}

export async function readSchemaState(pool: pg.Pool): Promise<SchemaState> {
  const known = await readMigrationsOnce();
  const client = await pool.connect();
  try {
    const latest = (await readApplied(client)).at(-1)?.version ?? 0;
    if (latest > known.length) return 'newer';
    return latest < known.length ? 'behind' : 'current';
  } finally {
    client.release();
  }
}

/** A server must not run on a schema that it does not know. */
export async function requireCurrentSchema(pool: pg.Pool): Promise<void> {
  const state = await readSchemaState(pool);
  if (state === 'newer')
    throw new OperatorError('The database schema is newer than this version knows. Upgrade the server.');
  if (state === 'behind')
    throw new OperatorError('The database schema is behind this version. Run the migrations first.');
}
