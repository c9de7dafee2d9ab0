import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { ExportFilter, ExportScope } from './export.ts';

/** Audit entries about a merchant, in their order and page by page. */

type AuditPage = { subjects: readonly string[]; after: bigint; filter: ExportFilter; limit: number };

export type AuditRow = {
  id: bigint;
  matches: boolean;
  at: Date;
  actor: string;
  action: string;
  subject: string;
  /** As JSON text, with every digit of its numbers. */
  details: string;
};

/**
 * Reads the entries about some subjects. Their ids are taken subject by subject, because one condition on all subjects
 * would have the database sort all of their entries for each page.
 */
export async function readAuditPage(
  queries: Queries,
  { subjects, after, filter: { fromAt, toAt }, limit }: AuditPage,
): Promise<AuditRow[]> {
  const { rows } = await sql<AuditRow>`
    with page as materialized (
      select e.id from unnest(${subjects}::text[]) as s (subject) cross join lateral (
        select a.id from audit_entries a where a.subject = s.subject and a.id > ${after}
        order by a.id limit ${sql.lit(limit)}) e
      order by e.id limit ${sql.lit(limit)})
    select a.id, a.at, a.actor, a.action, a.subject, a.details::text as details,
      a.at < ${toAt} and a.at >= coalesce(${fromAt}::timestamptz, '-infinity') as matches
    from page p join audit_entries a on a.id = p.id order by a.id`.execute(queries);
  return rows;
}

/** Places of a merchant's stores, whose exchange accounts are subjects of their own. */
export async function listPlaces(
  queries: Queries,
  { merchantAccountId, storeIds }: ExportScope,
  limit: number,
): Promise<{ network: string; address: string }[]> {
  const { rows } = await sql<{ network: string; address: string }>`
    select distinct w.network, w.address from wallets w
    where w.merchant_account_id = ${merchantAccountId} and w.store_id = any(${storeIds}::bigint[])
    order by w.network, w.address limit ${limit}`.execute(queries);
  return rows;
}
