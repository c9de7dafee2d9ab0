/**
 * Who may do what in the database: the owner has the tables and changes them, each kind of process has a role of its own.
 * What each may do is grants.sql; see docs/decisions/0023-database-roles.md.
 */

export const OWNER = 'counterfoil_owner';

export const PROCESS_ROLES = ['api', 'worker', 'admin'] as const;
export type ProcessRole = (typeof PROCESS_ROLES)[number];

export function roleName(role: ProcessRole): string {
  return `counterfoil_${role}`;
}

export type SessionSettings = Readonly<Record<string, string>>;

/**
 * Hot statements are prepared once: planning each call anew would cost more than running it. They read by index whatever
 * the statistics say: a plan made while a table was small must not scan it when it has grown. Transactions hold nothing but
 * SQL: one that says nothing for seconds has lost its process, and others wait for its locks.
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

/** Commands read whole tables: the planner's own choice, and time to do it. */
const REPORTING: SessionSettings = {
  statement_timeout: '10min',
  idle_in_transaction_session_timeout: '10min',
  TimeZone: 'UTC',
};

/** Values as the server shows them, because they are compared with what it shows. */
export const ROLE_SETTINGS: Record<ProcessRole, SessionSettings> = {
  api: SERVING,
  worker: SERVING,
  admin: REPORTING,
};
