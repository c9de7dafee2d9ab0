import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';
import type { AuditEntry, OldAuditEntry } from './audit.ts';

const AUDIT_LOCK = 0x0c_0f_02;

/** Locks the end of the audit and returns the newest id: no other transaction gets the next id before this one ends. */
export async function lockNewestEntry(tx: Tx): Promise<bigint> {
  await sql`select pg_advisory_xact_lock(${AUDIT_LOCK})`.execute(tx);
  const row = await tx.selectFrom('audit_entries').select('id').orderBy('id', 'desc').limit(1).executeTakeFirst();
  return row?.id ?? 0n;
}

export async function insertAuditEntry(tx: Tx, entry: AuditEntry): Promise<void> {
  const { details, ...rest } = entry;
  await tx
    .insertInto('audit_entries')
    .values({ ...rest, details: JSON.stringify(details) })
    .execute();
}

/** Audit entries above one id, up to another. */
export async function readAuditEntries(
  queries: Queries,
  range: { above: bigint; upTo: bigint },
  limit: number,
): Promise<OldAuditEntry[]> {
  const { rows } = await sql<OldAuditEntry>`
    select id, at, actor, action, subject, details, previous_hash as "previousHash", hash from audit_entries
    where id > ${range.above} and id <= ${range.upTo} order by id limit ${limit}`.execute(queries);
  return rows;
}

/** The newest entry from before the chain was keyed. Only these have a hash of their own. */
export async function readOldHead(queries: Queries): Promise<{ id: bigint; hash: Buffer } | undefined> {
  const { rows } = await sql<{ id: bigint; hash: Buffer }>`
    select id, hash from audit_entries
    where id < coalesce((select id from audit_entries where hash is null order by id limit 1), ${2n ** 63n - 1n})
    order by id desc limit 1`.execute(queries);
  return rows[0];
}
