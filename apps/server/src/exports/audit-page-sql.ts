import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { ExportFilter, ExportScope } from './export.ts';

type AuditPage = {
  scope: ExportScope;
  /** Subjects of entries without a merchant, or from before entries had one. */
  subjects: readonly string[];
  after: bigint;
  filter: ExportFilter;
  limit: number;
};

/** Prefix of an invoice's subject. */
const INVOICE = 'invoice:';

export type AuditRow = {
  id: bigint;
  matches: boolean;
  at: Date;
  actor: string;
  action: string;
  subject: string;
  /** JSON text, with every digit of its numbers. */
  details: string;
};

/**
 * Reads a merchant's entries, and marks those about its stores and invoices, or all for the whole merchant. Reads by
 * merchant and subject separately, because a combined condition would sort all entries for each page.
 */
export async function readAuditPage(
  queries: Queries,
  { scope, subjects, after, filter: { fromAt, toAt }, limit }: AuditPage,
): Promise<AuditRow[]> {
  const { merchantAccountId, storeIds, wholeMerchant } = scope;
  const { rows } = await sql<AuditRow>`
    with page as materialized (
      select e.id from (
        (select a.id from audit_entries a where a.merchant_account_id = ${merchantAccountId} and a.id > ${after}
          order by a.id limit ${sql.lit(limit)})
        union
        select o.id from unnest(${subjects}::text[]) as s (subject) cross join lateral (
          select a.id from audit_entries a where a.subject = s.subject and a.id > ${after}
          order by a.id limit ${sql.lit(limit)}) o) e
      order by e.id limit ${sql.lit(limit)})
    select a.id, a.at, a.actor, a.action, a.subject, a.details::text as details,
      a.at < ${toAt} and a.at >= coalesce(${fromAt}::timestamptz, '-infinity')
        and (${wholeMerchant}::boolean or a.subject = any(${subjects}::text[]) or (starts_with(a.subject, ${INVOICE})
          and exists (select from invoices i where i.trans_id = substr(a.subject, ${INVOICE.length + 1}::integer)
            and i.store_id = any(${storeIds}::bigint[])))) as matches
    from page p join audit_entries a on a.id = p.id order by a.id`.execute(queries);
  return rows;
}

/** Places of a merchant's stores, whose exchange accounts are subjects too. */
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
