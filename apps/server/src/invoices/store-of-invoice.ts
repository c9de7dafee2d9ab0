import type { Permission } from '@counterfoil/core/permission.ts';
import type { Context } from '../db/context.ts';
import type { StoreRef } from '../db/store-ref.ts';
import type { Person } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { requireMember } from '../people/require-member.ts';
import { storeForMember } from '../stores/store-for-member.ts';
import { listStoresOfInvoices } from './attachment-sql.ts';

type InvoiceOfMember = { merchantCode: string; transId: string; permission: Permission };

/** The store of an invoice for a person with a permission; others' invoices do not exist for them. */
export async function storeOfInvoice(
  context: Context,
  actor: Person,
  { merchantCode, transId, permission }: InvoiceOfMember,
): Promise<StoreRef> {
  const { merchantAccountId } = await requireMember(context, actor, { merchantCode, permission });
  const [merchantId] = await listStoresOfInvoices(context.database.queries, merchantAccountId, [transId]);
  if (merchantId === undefined) throw new Refusal('INVOICE_UNKNOWN', { transId });
  return storeForMember(context, actor, { merchantCode, merchantId, permission });
}
