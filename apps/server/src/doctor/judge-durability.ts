import type { Finding } from './finding.ts';
import { doubtful, fine, wrong } from './finding.ts';

export type DurabilityFacts = {
  /** Of the settings below, those that are off. */
  off: readonly string[];
  /** Our roles with synchronous_commit off, regardless of the server. */
  unsafeRoles: readonly string[];
};

const CHECK = 'durability';
const LOST: Readonly<Record<string, string>> = {
  fsync: 'fsync is off: after a crash of the host the database may be damaged beyond repair.',
  full_page_writes: 'full_page_writes is off: after a crash of the host pages may be half written.',
  synchronous_commit: 'synchronous_commit is off: a crash loses the newest commits, also payments that were notified.',
};
const ROW_VERSIONS =
  'autovacuum is off: tables grow without end, and the database stops when its transaction ids run out.';

/** A line in postgresql.conf would have no effect where `alter system` has set another value. */
const switchOn = (name: string) =>
  `As a superuser run "alter system set ${name} = on" and "select pg_reload_conf()". If it stays off, the server's command line sets it: see source in pg_settings.`;

/** Whether a commit survives a crash of the database's host. */
export function judgeDurability({ off, unsafeRoles }: DurabilityFacts): Finding[] {
  const found = off.flatMap((name) => {
    const says = LOST[name];
    return says === undefined ? [] : [wrong(CHECK, says, switchOn(name))];
  });
  if (unsafeRoles.length > 0)
    found.push(
      wrong(
        CHECK,
        `synchronous_commit is off for ${unsafeRoles.join(', ')}: a crash loses the newest commits.`,
        'Reset it: alter role ... reset synchronous_commit, or alter database ... reset synchronous_commit.',
      ),
    );
  if (off.includes('autovacuum')) found.push(doubtful(CHECK, ROW_VERSIONS, switchOn('autovacuum')));
  return found.length > 0 ? found : [fine(CHECK, 'A commit survives a crash of the database server.')];
}
