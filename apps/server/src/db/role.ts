/**
 * Database roles: the owner role owns the tables and changes them; each kind of process has a role of its own. The
 * rights of each role are in grants.sql; see docs/decisions/0023-database-roles.md.
 */

export const OWNER = 'counterfoil_owner';

export const PROCESS_ROLES = ['api', 'worker', 'admin', 'dashboard', 'views'] as const;
export type ProcessRole = (typeof PROCESS_ROLES)[number];

export function roleName(role: ProcessRole): string {
  return `counterfoil_${role}`;
}

export type SessionSettings = Readonly<Record<string, string>>;

/**
 * Session settings of API and worker processes. Statements are planned once, because planning each call would cost more
 * than running it, and read by index: a plan made while a table was small must not scan the table when it has grown. A
 * transaction that is idle for seconds is ended: transactions contain nothing but SQL, so its process is lost, and
 * others wait for its locks.
 */
const SERVING: SessionSettings = {
  statement_timeout: '3s',
  idle_in_transaction_session_timeout: '5s',
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  jit: 'off',
  TimeZone: 'UTC',
};

/**
 * Session settings of commands, which read whole tables: the planner chooses its own plans, and statements may take
 * long.
 */
const REPORTING: SessionSettings = {
  statement_timeout: '10min',
  idle_in_transaction_session_timeout: '10min',
  TimeZone: 'UTC',
};

/**
 * Session settings for the lists and reports that people look at: the planner chooses its own plans, a statement may
 * take five seconds, and nothing can be written. Row security hides from the planner how large a store is: with bitmap
 * scans it would rather fetch and sort a million rows than take the newest ones from an index.
 */
const VIEWING: SessionSettings = {
  statement_timeout: '5s',
  idle_in_transaction_session_timeout: '5s',
  default_transaction_read_only: 'on',
  enable_bitmapscan: 'off',
  jit: 'off',
  TimeZone: 'UTC',
};

/** Session settings of each role, written as the server shows them, because they are compared with what it shows. */
export const ROLE_SETTINGS: Record<ProcessRole, SessionSettings> = {
  api: SERVING,
  worker: SERVING,
  admin: REPORTING,
  dashboard: SERVING,
  views: VIEWING,
};
