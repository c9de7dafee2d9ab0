import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';
import type { AuditEntry } from './audit.ts';

const AUDIT_LOCK = 0x0c_0f_02;

export async function lockAuditHead(tx: Tx): Promise<{ id: bigint; hash: Buffer } | undefined> {
  await sql`select pg_advisory_xact_lock(${AUDIT_LOCK})`.execute(tx);
  return tx.selectFrom('audit_entries').select(['id', 'hash']).orderBy('id', 'desc').limit(1).executeTakeFirst();
}

export async function insertAuditEntry(tx: Tx, entry: AuditEntry): Promise<void> {
  const { previousHash, details, ...rest } = entry;
  await tx
    .insertInto('audit_entries')
    .values({ ...rest, details: JSON.stringify(details), previous_hash: previousHash })
    .execute();
}

export async function readAuditEntries(queries: Queries, afterId: bigint, limit: number): Promise<AuditEntry[]> {
  const rows = await queries
    .selectFrom('audit_entries')
    .selectAll()
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    id: row.id,
    at: row.at,
    actor: row.actor,
    action: row.action,
    subject: row.subject,
    details: row.details as Record<string, unknown>,
    previousHash: row.previous_hash,
    hash: row.hash,
  }));
}
