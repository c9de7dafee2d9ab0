import { sql } from 'kysely';
import type { AuditEntry } from '../audit/audit.ts';
import type { Queries } from '../db/database.ts';

/** An audit entry for its merchant: stores and merchant are named by public code. */
export type MerchantAuditEntry = AuditEntry;

/** Audit entries about a merchant, its stores and invoices, newest first, below an id. */
export async function listAuditOfMerchant(
  queries: Queries,
  { merchantAccountId, below, limit }: { merchantAccountId: bigint; below: bigint; limit: number },
): Promise<MerchantAuditEntry[]> {
  const { rows } = await sql<MerchantAuditEntry>`
    select a.id, a.at, a.actor, a.action, a.details,
      case when a.subject ~ '^store:[0-9]{1,18}$' then 'store:' || s.merchant_id
        when starts_with(a.subject, 'merchant:') then 'merchant' else a.subject end as subject
    from (select id, at, actor, action, details, subject from audit_entries
        where merchant_account_id = ${merchantAccountId} and id < ${below} order by id desc limit ${limit}) a
      left join stores s on a.subject = 'store:' || s.id and s.merchant_account_id = ${merchantAccountId}
    order by a.id desc`.execute(queries);
  return rows;
}
