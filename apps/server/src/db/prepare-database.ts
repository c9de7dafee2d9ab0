import pg from 'pg';
import { allowLogins } from './allow-logins.ts';
import { applyGrants, applyRoles, becomeOwner } from './apply-roles.ts';
import { isNewerSchema, migrate } from './migrate.ts';
import { ensurePartitions } from './partition-sql.ts';
import { requireEncoding } from './require-encoding.ts';
import { requireOwnSession } from './require-own-session.ts';
import { tlsRefusal } from './tls-fault.ts';

type Preparation = {
  /** Whether to create the roles first; the URL must then be that of a user who may create roles. */
  roles: boolean;
  /** Addresses of processes, with whose passwords their roles shall be able to log in. */
  logins?: readonly string[];
  now: Date;
  /** Installs the tables and queues of jobs, as the role that the connection acts as; false if they are newer. */
  installJobs: (client: pg.ClientBase) => Promise<boolean>;
  log: (line: string) => void;
};

/** Connects as migrating processes do, and closes the connection again. */
export async function withClient(url: string, use: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: url, application_name: 'counterfoil-migrate' });
  // Errors of the connection are ignored here: a lost connection also fails the statement under way, which reports the
  // error.
  client.on('error', () => {});
  await client.connect();
  try {
    await use(client);
  } finally {
    await client.end();
  }
}

/** Migrations act as the owner for a whole session, so nobody else may get that session from a pooler. */
export async function requireSession(url: string): Promise<void> {
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  pool.on('error', () => {});
  try {
    await requireOwnSession(pool);
  } catch (cause) {
    throw tlsRefusal(cause) ?? cause;
  } finally {
    await pool.end();
  }
}

/**
 * Migrates a database to the schema of this version, creates the partitions of the coming months, installs jobs and
 * grants the rights of each role, unless a later version has already done so. Returns how many migrations were applied.
 */
export async function prepareDatabase(url: string, preparation: Preparation): Promise<number> {
  const { roles, logins = [], now, installJobs, log } = preparation;
  await requireSession(url);
  await withClient(url, requireEncoding);
  if (roles) await withClient(url, applyRoles);
  if (logins.length > 0)
    await withClient(url, async (client) => {
      const changed = await allowLogins(client, url, logins);
      if (changed.length > 0) log(`can log in now: ${changed.join(', ')}`);
    });
  const applied = await migrate(url, log);
  await withClient(url, async (client) => {
    const asOwner = await becomeOwner(client);
    if (!(await ensurePartitions(client, now))) log('a table is in use: workers make its partitions later');
    // An older version changes neither queues nor rights on a newer schema. Grants begin by revoking everything, and the
    // older version does not know the newer tables: processes of the newer version would lose their rights.
    if (await isNewerSchema(client)) {
      log('the schema is newer than this version: job queues and grants stay as they are');
      return;
    }
    if (!(await installJobs(client))) {
      log('the job tables are newer than this version: job queues and grants stay as they are');
      return;
    }
    if (asOwner) await applyGrants(client);
    else log('there are no roles here: run this with --roles once, as a user who may create them');
  });
  return applied;
}
