import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';
import type { AuditEntry, AuditLink } from './audit.ts';
import { FIRST_HASH } from './audit.ts';

/** Taken before the lock of audit entries, never after it. */
const LINKS_LOCK = 0x0c_0f_06;

export async function tryLockLinks(tx: Tx): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean }>`
    select pg_try_advisory_xact_lock(${LINKS_LOCK}) as locked`.execute(tx);
  return rows[0]?.locked ?? false;
}

/** Takes the lock for adding links, waiting if needed. */
export async function lockLinks(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(${LINKS_LOCK})`.execute(tx);
}

const LINK = sql.raw(
  `position, entry_id as "entryId", secret_id as "secretId", chained_until as "chainedUntil",
   previous_hash as "previousHash", hash`,
);

/** The newest link; undefined before the first chain. */
export async function readHeadLink(queries: Queries): Promise<AuditLink | undefined> {
  const { rows } = await sql<AuditLink>`select ${LINK} from audit_links order by position desc limit 1`.execute(
    queries,
  );
  return rows[0];
}

export async function readWaiting(queries: Queries, chainedUntil: bigint, limit: number): Promise<AuditEntry[]> {
  const { rows } = await sql<AuditEntry>`
    select e.id, e.at, e.actor, e.action, e.subject, e.details from audit_entries e
    where e.id > ${chainedUntil} and not exists (select from audit_links l where l.entry_id = e.id)
    order by e.id limit ${limit}`.execute(queries);
  return rows;
}

export async function countWaiting(queries: Queries, limit: number): Promise<number> {
  const { rows } = await sql<{ waiting: number }>`
    select count(*)::integer as waiting from (
      select from audit_entries e
      where e.id > coalesce((select chained_until from audit_links order by position desc limit 1), 0)
        and not exists (select from audit_links l where l.entry_id = e.id)
      limit ${limit}) w`.execute(queries);
  return rows[0]?.waiting ?? 0;
}

export async function insertLinks(tx: Tx, links: readonly AuditLink[]): Promise<void> {
  if (links.length === 0) return;
  await tx
    .insertInto('audit_links')
    .values(
      links.map((link) => ({
        position: link.position,
        entry_id: link.entryId,
        secret_id: link.secretId,
        chained_until: link.chainedUntil,
        previous_hash: link.previousHash,
        hash: link.hash,
      })),
    )
    .execute();
}

/** `entry` is null when it is gone. */
export type LinkedEntry = { link: AuditLink; entry: AuditEntry | null };

type LinkRow = AuditLink & { id: bigint | null } & Omit<AuditEntry, 'id'>;

function linkedEntry({ id, at, actor, action, subject, details, ...link }: LinkRow): LinkedEntry {
  return { link, entry: id === null ? null : { id, at, actor, action, subject, details } };
}

const LINKED = sql`
  select l.position, l.entry_id as "entryId", l.secret_id as "secretId", l.chained_until as "chainedUntil",
    l.previous_hash as "previousHash", l.hash, e.id, e.at, e.actor, e.action, e.subject, e.details
  from audit_links l left join audit_entries e on e.id = l.entry_id`;

export async function readLinks(queries: Queries, afterPosition: bigint, limit: number): Promise<LinkedEntry[]> {
  const { rows } =
    await sql<LinkRow>`${LINKED} where l.position > ${afterPosition} order by l.position limit ${limit}`.execute(
      queries,
    );
  return rows.map(linkedEntry);
}

/** The first links of chains, oldest first. */
export async function readBeginnings(queries: Queries, limit: number): Promise<LinkedEntry[]> {
  const { rows } = await sql<LinkRow>`
    ${LINKED} where l.previous_hash = ${FIRST_HASH} order by l.position limit ${limit}`.execute(queries);
  return rows.map(linkedEntry);
}
