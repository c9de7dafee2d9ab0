import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { SERVER_FOLDER } from '../lib/server-folder.ts';
import { isDatabaseError } from './database.ts';
import { OWNER, PROCESS_ROLES, ROLE_SETTINGS, roleName } from './role.ts';

/**
 * Creates the database roles and grants their rights. Safe to repeat, and to run at the same time in several databases
 * of one server.
 */

const ROLES_FILE = join(SERVER_FOLDER, 'src/db/roles.sql');
const GRANTS_FILE = join(SERVER_FOLDER, 'src/db/grants.sql');
const ROW_SECURITY_FILE = join(SERVER_FOLDER, 'src/db/row-security.sql');
const LOCK_TIMEOUT = '5s';
/**
 * Most tries of a change of roles. Few are needed: whenever another session makes a try fail, that session has made a
 * change that both sessions wanted.
 */
const MAX_TRIES = 10;

const DUPLICATE_OBJECT = '42710';
const UNIQUE_VIOLATION = '23505';
/**
 * Code of "tuple concurrently updated": roles belong to the whole server, and our locks work only within one database.
 */
const INTERNAL_ERROR = 'XX000';
const RACES = [DUPLICATE_OBJECT, UNIQUE_VIOLATION, INTERNAL_ERROR];

async function inOneTransaction(client: pg.ClientBase, work: () => Promise<void>): Promise<void> {
  await client.query('begin');
  try {
    await client.query(`set local lock_timeout = '${LOCK_TIMEOUT}'`);
    await work();
    await client.query('commit');
  } catch (cause) {
    await client.query('rollback');
    throw cause;
  }
}

/**
 * Runs `work` again when another session changed the same role at the same moment. Also for tools that change roles.
 */
export async function retryRaces(client: pg.ClientBase, work: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await inOneTransaction(client, work);
      return;
    } catch (cause) {
      if (tries === MAX_TRIES || !RACES.some((code) => isDatabaseError(cause, code))) throw cause;
    }
  }
}

/** Sets the session settings of each role, so that a process need not send them and cannot forget one. */
async function applySettings(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ role: string; settings: string[] | null }>(
    'select rolname as role, rolconfig as settings from pg_roles where rolname = any($1)',
    [PROCESS_ROLES.map(roleName)],
  );
  const present = new Map(rows.map(({ role, settings }) => [role, new Set(settings)]));
  for (const role of PROCESS_ROLES) {
    for (const [name, value] of Object.entries(ROLE_SETTINGS[role])) {
      // Unchanged settings are not written again, because sessions in other databases may be writing them.
      if (present.get(roleName(role))?.has(`${name}=${value}`)) continue;
      await client.query(`alter role ${roleName(role)} set ${name} = ${pg.escapeLiteral(value)}`);
    }
  }
}

export async function applyRoles(client: pg.ClientBase): Promise<void> {
  const sql = await readFile(ROLES_FILE, 'utf8');
  await retryRaces(client, async () => {
    await client.query(sql);
    await applySettings(client);
  });
}

/** Whether the roles have rights in this database; they may exist only for another database of the server. */
async function hasRoles(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query(
    `select from pg_namespace n cross join aclexplode(n.nspacl) a join pg_roles r on r.oid = a.grantee
     where n.nspname = 'public' and r.rolname = $1 and a.privilege_type = 'CREATE'`,
    [OWNER],
  );
  return rows.length > 0;
}

/**
 * Makes a connection act as the owner role, so that the tables it creates belong to this role. False where the roles do
 * not exist.
 */
export async function becomeOwner(client: pg.ClientBase): Promise<boolean> {
  if (!(await hasRoles(client))) return false;
  await client.query(`set role ${OWNER}`);
  return true;
}

/** Grants the rights of each role, and says which rows the roles of the dashboard's server see. */
export async function applyGrants(client: pg.ClientBase): Promise<void> {
  const grants = await readFile(GRANTS_FILE, 'utf8');
  const rowSecurity = await readFile(ROW_SECURITY_FILE, 'utf8');
  await retryRaces(client, async () => {
    await client.query(grants);
    await client.query(rowSecurity);
  });
}
