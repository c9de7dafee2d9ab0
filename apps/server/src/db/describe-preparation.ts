import type pg from 'pg';
import { findRefusedLogins } from './allow-logins.ts';
import { becomeOwner } from './apply-roles.ts';
import { formatVersion } from './compatibility.ts';
import type { DueMigrations } from './migrate.ts';
import { readDueMigrations } from './migrate.ts';
import { requireSession, withClient } from './prepare-database.ts';
import { readSteps } from './repeatable-steps.ts';
import { requireEncoding } from './require-encoding.ts';
import { OWNER, PROCESS_ROLES, roleName } from './role.ts';

type DescribedPreparation = {
  roles: boolean;
  logins?: readonly string[];
  /** Says what installing jobs would change. */
  describeJobs: (client: pg.ClientBase) => Promise<string[]>;
};

/** Says for each migration that is due what it does to those who use the database meanwhile. Pure. */
export function describeMigrations({ known, due }: Pick<DueMigrations, 'known' | 'due'>): string[] {
  const isEmpty = due.length === known.length;
  let compatibleFrom = known.at(-due.length - 1)?.compatibleFrom ?? 1;
  return due.map((migration) => {
    const takesAway = migration.compatibleFrom > compatibleFrom;
    compatibleFrom = migration.compatibleFrom;
    const effects = [
      takesAway ? `takes away: versions before ${formatVersion(compatibleFrom)} cannot run afterwards` : 'only adds',
      ...(readSteps(migration.sql) ? ['builds indexes beside running processes, which can take hours'] : []),
    ];
    return `apply ${migration.name}${isEmpty ? '' : ` (${effects.join('; ')})`}`;
  });
}

async function findMissingRoles(client: pg.ClientBase): Promise<string[]> {
  const roles = [OWNER, ...PROCESS_ROLES.map(roleName)];
  const { rows } = await client.query<{ role: string }>(
    'select r.role from unnest($1::text[]) with ordinality r (role, place) where not exists (select from pg_roles where rolname = r.role) order by place',
    [roles],
  );
  return rows.map(({ role }) => role);
}

/**
 * Says what `prepareDatabase` would change, one line for each, or throws why it would refuse. What every run makes anew
 * (partitions, rights) is no change. The session is read-only, so that nothing here can change anything.
 */
export async function describePreparation(url: string, asked: DescribedPreparation): Promise<string[]> {
  const { roles, logins = [], describeJobs } = asked;
  const lines: string[] = [];
  await requireSession(url);
  await withClient(url, async (client) => {
    await client.query('set session characteristics as transaction read only');
    await requireEncoding(client);
    if (roles) lines.push(...(await findMissingRoles(client)).map((role) => `create the role ${role}`));
    for (const role of await findRefusedLogins(url, logins))
      lines.push(`let ${role} log in with the password of its address`);
    await becomeOwner(client);
    const migrations = await readDueMigrations(client);
    lines.push(...describeMigrations(migrations));
    if (!migrations.isNewer) lines.push(...(await describeJobs(client)));
  });
  return lines;
}
