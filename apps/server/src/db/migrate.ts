import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { sleep } from '../lib/loop.ts';
import { Refusal } from '../lib/refusal.ts';
import { SERVER_FOLDER } from '../lib/server-folder.ts';
import { becomeOwner } from './apply-roles.ts';
import type { AppliedMigration, SchemaState, SchemaVerdict } from './compatibility.ts';
import { judgeSchema, readCompatibleFrom } from './compatibility.ts';
import { readSteps, runSteps } from './repeatable-steps.ts';

/**
 * Migrations: numbered plain SQL, applied under one lock, each file in one transaction, except those that build indexes
 * concurrently. See docs/decisions/0004-migrations.md.
 */

const FOLDER = join(SERVER_FOLDER, 'src/db/migrations');
const FILE_NAME = /^(\d{4})-[a-z0-9-]+\.sql$/;
const LOCK_TIMEOUT = '5s';
// The key of the advisory lock of migrations: any constant that all migrating processes share.
const ADVISORY_LOCK = 0x0c_0f_01;
const CONNECT_TIMEOUT_MS = 10_000;
const KEEP_ALIVE_MS = 10_000;
const LOCK_POLL_MS = 250;
/**
 * How often the lock is tried, which takes longer than the longest index build: a process that holds it for longer is
 * stuck.
 */
const MAX_LOCK_TRIES = (8 * 3_600_000) / LOCK_POLL_MS;

export type Migration = {
  version: number;
  name: string;
  sql: string;
  checksum: string;
  /** The oldest version that can run on the schema after this migration. */
  compatibleFrom: number;
};

export async function readMigrations(): Promise<Migration[]> {
  const names = (await readdir(FOLDER)).filter((name) => name.endsWith('.sql')).sort();
  const migrations: Migration[] = [];
  let compatibleFrom = 1;
  for (const [position, name] of names.entries()) {
    const version = Number(FILE_NAME.exec(name)?.[1]);
    if (version !== position + 1) throw new Error(`Migration ${name} should be number ${position + 1}.`);
    const sql = await readFile(join(FOLDER, name), 'utf8');
    readSteps(sql);
    compatibleFrom = readCompatibleFrom({ version, name, sql }, compatibleFrom);
    migrations.push({ version, name, sql, checksum: createHash('sha256').update(sql).digest('hex'), compatibleFrom });
  }
  return migrations;
}

/** Reads the applied migrations. A schema from before compatibility was stored has no column for it. */
export async function readApplied(client: pg.ClientBase): Promise<AppliedMigration[]> {
  const { rows } = await client.query<{ there: boolean }>(
    `select to_regclass('schema_migrations') is not null as there`,
  );
  if (!rows[0]?.there) return [];
  const applied = await client.query<AppliedMigration>(
    `select version, name, checksum, (to_jsonb(m) ->> 'compatible_from')::integer as "compatibleFrom"
     from schema_migrations m order by version`,
  );
  return applied.rows;
}

/** Decides which migrations are left to apply, or throws an error that says why none may be applied. Pure. */
export function planMigrations(known: readonly Migration[], applied: readonly AppliedMigration[]): Migration[] {
  const { state, changed, unknown } = judgeSchema(known, applied);
  if (state === 'changed') throw new Error(`Migration ${changed} was changed after it had been applied.`);
  if (state === 'newer')
    throw new Error(`The database has migration ${unknown?.name}, which this version does not know. Upgrade first.`);
  return known.slice(applied.length);
}

/**
 * Takes the lock of migrations by trying again and again. A statement that waits for the lock would hold a snapshot,
 * and an index that another process builds would wait for that snapshot.
 */
async function lockMigrations(client: pg.ClientBase, log: (line: string) => void): Promise<void> {
  for (let tries = 0; tries < MAX_LOCK_TRIES; tries += 1) {
    const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [
      ADVISORY_LOCK,
    ]);
    if (rows[0]?.locked) return;
    if (tries === 0) log('another process migrates, waiting for it');
    await sleep(LOCK_POLL_MS, new AbortController().signal);
  }
  throw new Refusal('MIGRATION_LOCKED');
}

/** Stores which versions can run with each applied migration, once the column for this exists. */
async function tellCompatibility(client: pg.ClientBase, known: readonly Migration[]): Promise<void> {
  const { rows } = await client.query(
    `select from pg_attribute where attrelid = 'schema_migrations'::regclass and attname = 'compatible_from'`,
  );
  if (rows.length === 0) return;
  await client.query(
    `update schema_migrations m set compatible_from = k.compatible_from
     from unnest($1::integer[], $2::integer[]) as k (version, compatible_from)
     where m.version = k.version and m.compatible_from is null`,
    [known.map(({ version }) => version), known.map(({ compatibleFrom }) => compatibleFrom)],
  );
}

type Applying = { migration: Migration; known: readonly Migration[]; log: (line: string) => void };

async function apply(client: pg.ClientBase, { migration, known, log }: Applying): Promise<void> {
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
  await tellCompatibility(client, known);
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
  // Errors of the connection are ignored here: a lost connection also fails the statement under way, which reports the
  // error.
  client.on('error', () => {});
  await client.connect();
  try {
    await becomeOwner(client);
    await lockMigrations(client, log);
    await client.query(
      `create table if not exists schema_migrations (
         version integer primary key, name text not null, checksum text not null, applied_at timestamptz not null default now())`,
    );
    const all = known ?? (await readMigrations());
    const due = planMigrations(all, await readApplied(client));
    for (const migration of due) {
      await apply(client, { migration, known: all, log });
      log(`applied ${migration.name}`);
    }
    return due.length;
  } finally {
    await client.end();
  }
}

export type DueMigrations = {
  known: readonly Migration[];
  due: readonly Migration[];
  /** Whether a later version of this program has migrated the database. */
  isNewer: boolean;
};

/** Finds the migrations that are left to apply, or throws an error that says why none may be applied. Changes nothing. */
export async function readDueMigrations(client: pg.ClientBase, known?: readonly Migration[]): Promise<DueMigrations> {
  const all = known ?? (await readMigrations());
  const applied = await readApplied(client);
  return { known: all, due: planMigrations(all, applied), isNewer: judgeSchema(all, applied).unknown !== undefined };
}

let knownHere: Promise<readonly Migration[]> | undefined;

/** Reads the migrations of this version once: the files do not change while the process runs. */
function readMigrationsOnce(): Promise<readonly Migration[]> {
  knownHere ??= readMigrations();
  return knownHere;
}

/** Whether a later version of this program, with migrations that this one does not know, has migrated this database. */
export async function isNewerSchema(client: pg.ClientBase): Promise<boolean> {
  const { unknown } = judgeSchema(await readMigrationsOnce(), await readApplied(client));
  return unknown !== undefined;
}

async function judge(pool: pg.Pool): Promise<SchemaVerdict> {
  const known = await readMigrationsOnce();
  const client = await pool.connect();
  try {
    return judgeSchema(known, await readApplied(client));
  } finally {
    client.release();
  }
}

export async function readSchemaState(pool: pg.Pool): Promise<SchemaState> {
  return (await judge(pool)).state;
}

/** Refuses to run on any schema but the one that this version knows, or a newer one that is compatible. */
export async function requireCurrentSchema(pool: pg.Pool): Promise<void> {
  const { state, changed, unknown } = await judge(pool);
  if (state === 'changed') throw new Refusal('MIGRATION_CHANGED', { migration: String(changed) });
  if (state === 'newer') {
    const { name, compatibleFrom } = unknown ?? {};
    throw new Refusal('SCHEMA_NEWER', {
      migration: String(name),
      needs: String(compatibleFrom),
      version: (await readMigrationsOnce()).length,
    });
  }
  if (state === 'behind') throw new Refusal('SCHEMA_BEHIND');
}
