import { Refusal } from '../lib/refusal.ts';
import type pg from 'pg';
import type { ProcessRole, SessionSettings } from './role.ts';
import { ROLE_SETTINGS, roleName } from './role.ts';

/**
 * Role check: a process runs with its own database role or not at all. A process with more rights could be misused; a
 * process with fewer rights fails later.
 */

export type RoleFacts = {
  /** The connected user, whatever role the session acts as. */
  user: string;
  /** Powers of the user besides all grants, such as superuser, in words. */
  powers: string[];
  /** Roles that the user may act as: those of this service and those of PostgreSQL itself. */
  roles: string[];
  /** How many tables of this database the user owns. */
  owned: number;
  /** Rights of the user that its role does not have, for example `UPDATE of ledger_entries`; only the first few. */
  excess: string[];
  settings: SessionSettings;
};

const NAMED_EXCESS = 5;

/**
 * Reads the facts of the user who logged in, and of all roles that this user can become: a session that acts as a role
 * can go back to its user at any time.
 */
const FACTS = `
with might as (select r.* from pg_roles r where pg_has_role(session_user, r.oid, 'member'))
select session_user as "user",
  (select array_remove(array[
    case when bool_or(m.rolsuper) then 'is a superuser' end, case when bool_or(m.rolcreaterole) then 'can create roles' end,
    case when bool_or(m.rolcreatedb) then 'can create databases' end, case when bool_or(m.rolreplication) then 'can replicate' end,
    case when bool_or(m.rolbypassrls) then 'can pass by row security' end], null) from might m) as powers,
  array(select m.rolname::text from might m where m.rolname ~ '^(counterfoil|pg)_' and m.rolname <> session_user order by 1) as roles,
  (select count(*)::integer from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname in ('public', 'pgboss') and c.relowner = (
    select r.oid from pg_roles r where r.rolname = session_user)) as owned,
  array(select p.privilege || ' of ' || c.relname from pg_roles r
      cross join pg_class c join pg_namespace n on n.oid = c.relnamespace
      cross join unnest(array['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE']) as p (privilege)
    where r.rolname = $1 and n.nspname in ('public', 'pgboss') and c.relkind in ('r', 'p')
      and has_table_privilege(session_user, c.oid, p.privilege) and not has_table_privilege(r.oid, c.oid, p.privilege)
    order by 1 limit ${NAMED_EXCESS}) as excess,
  (select json_object_agg(name, current_setting(name)) from unnest($2::text[]) as s (name)) as settings`;

export async function readRoleFacts(pool: pg.Pool, role: ProcessRole): Promise<RoleFacts> {
  const { rows } = await pool.query<RoleFacts>(FACTS, [roleName(role), Object.keys(ROLE_SETTINGS[role])]);
  const [facts] = rows;
  if (!facts) throw new Error('The server does not say who is connected.');
  return facts;
}

/** Lists why a connection does not fit a process of this kind. Pure. */
export function findRoleFaults(role: ProcessRole, facts: RoleFacts): string[] {
  const name = roleName(role);
  if (facts.powers.length > 0) return facts.powers;
  const { user, roles, owned, excess, settings } = facts;
  const mine = user === name || roles.includes(name);
  const wrong = Object.entries(ROLE_SETTINGS[role]).filter(([setting, value]) => settings[setting] !== value);
  return [
    ...(mine ? [] : [`is not ${name}`]),
    ...roles.filter((other) => other !== name).map((other) => `is also ${other}`),
    ...(owned > 0 ? [`owns ${owned} tables`] : []),
    ...(mine ? excess : []).map((one) => `has more than ${name}: ${one}`),
    ...wrong.map(([setting, value]) => `has ${setting} = ${settings[setting]}, and needs ${value}`),
  ];
}

/** Refuses a database user that may do too much or too little; the refusal lists every fault. */
export async function requireRole(pool: pg.Pool, role: ProcessRole): Promise<void> {
  const facts = await readRoleFacts(pool, role);
  const faults = findRoleFaults(role, facts);
  if (faults.length === 0) return;
  throw new Refusal('DATABASE_ROLE_UNFIT', { user: facts.user, role: roleName(role), faults });
}
