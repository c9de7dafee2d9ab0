import pg from 'pg';
import { retryRaces } from '../../src/db/apply-roles.ts';
import type { Database } from '../../src/db/database.ts';
import { closeDatabase, openDatabase } from '../../src/db/database.ts';
import { prepareDatabase } from '../../src/db/prepare-database.ts';
import type { ProcessRole } from '../../src/db/role.ts';
import { OWNER, PROCESS_ROLES, roleName } from '../../src/db/role.ts';
import { installJobs } from '../../src/jobs/install-jobs.ts';
import { systemClock } from '../../src/lib/clock.ts';

/** Databases of rigs, to which processes connect in their roles, as they do in production. */

/** The URL with which a process of this role connects to the same database. */
export function roleUrl(url: string, role: ProcessRole): string {
  const address = new URL(url);
  address.username = roleName(role);
  return address.href;
}

/** Lets the roles log in with the administrator's password; a role that can log in already is left as it is. */
export async function allowLogin(url: string): Promise<void> {
  const password = decodeURIComponent(new URL(url).password);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await retryRaces(client, async () => {
      const { rows } = await client.query<{ role: string }>(
        'select rolname as role from pg_roles where rolname = any($1) and not rolcanlogin',
        [[OWNER, ...PROCESS_ROLES.map(roleName)]],
      );
      for (const { role } of rows) {
        const secret = password === '' ? '' : ` password ${pg.escapeLiteral(password)}`;
        await client.query(`alter role ${role} login${secret}`);
      }
    });
  } finally {
    await client.end();
  }
}

type Preparation = Omit<Parameters<typeof prepareDatabase>[1], 'installJobs'>;

/** Prepares a database as the migrating process does. Returns how many migrations were applied. */
export function prepareAsMigrator(url: string, preparation: Preparation): Promise<number> {
  return prepareDatabase(url, { ...preparation, installJobs });
}

/** Migrates an empty database and creates its roles, all of which can log in. */
export async function prepareWithRoles(url: string): Promise<void> {
  await prepareAsMigrator(url, { roles: true, now: new Date(systemClock.nowMs()), log: () => {} });
  await allowLogin(url);
  await confirmForever(url);
}

/** Lets amounts be quoted without a worker, until the server starts again. */
async function confirmForever(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(
      `update database_confirmation set server_started_at = pg_postmaster_start_time(), table_oid = tableoid::bigint, valid_until = 'infinity'`,
    );
  } finally {
    await client.end();
  }
}

/** Opens the database in a process's role: an SQL statement that is refused here is refused in production too. */
export type OpenAs = (role: ProcessRole) => Database;

export type OpenedDatabase = {
  /** Database with connections of the database server's administrator, to prepare and inspect rows. */
  database: Database;
  as: OpenAs;
  close: () => Promise<void>;
};

export const PATIENCE_MS = 60_000;
/** Tests hold transactions open while processes start, which may take longer than a product's transaction may idle. */
const MAX_IDLE_MS = 600_000;

/** Opens a database whose connections and statements may take longer than in production: a slow machine is no fault. */
export function openPatiently(options: Parameters<typeof openDatabase>[0]): Database {
  const limits = { waitMs: PATIENCE_MS, ...(!options.reports && { statementTimeoutMs: PATIENCE_MS }) };
  const database = openDatabase({ ...limits, ...options }, () => {});
  if (!options.reports) database.pool.options.idle_in_transaction_session_timeout = MAX_IDLE_MS;
  return database;
}

export function openWithRoles(url: string, connections: number, name: string): OpenedDatabase {
  const database = openPatiently({ url, connections, name });
  const opened = new Map<ProcessRole, Database>();
  const as = (role: ProcessRole) => {
    const options = { url: roleUrl(url, role), connections, name, reports: role === 'admin', settingsOnRole: true };
    const own = opened.get(role) ?? openPatiently(options);
    opened.set(role, own);
    return own;
  };
  const close = async () => void (await Promise.all([database, ...opened.values()].map(closeDatabase)));
  return { database, as, close };
}
