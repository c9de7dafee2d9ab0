import type { Context } from '../db/context.ts';
import type { Database } from '../db/database.ts';
import type { Person } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { requireMember } from '../people/require-member.ts';
import type { MerchantAuditEntry } from './merchant-audit-sql.ts';
import { listAuditOfMerchant } from './merchant-audit-sql.ts';

type AuditInput = {
  merchantCode: string;
  /** The page begins below this entry. */
  below: bigint;
  limit: number;
};

/** A merchant's audit, newest first. Members who see only some stores see none: entries are about all. */
export async function listMerchantAudit(
  context: Context & { views: Database },
  actor: Person,
  { merchantCode, below, limit }: AuditInput,
): Promise<MerchantAuditEntry[]> {
  const permission = 'audit.see';
  const { merchantAccountId, allStores } = await requireMember(context, actor, { merchantCode, permission });
  if (!allStores) throw new Refusal('NO_PERMISSION', { permission });
  return listAuditOfMerchant(context.views.queries, { merchantAccountId, below, limit });
}
