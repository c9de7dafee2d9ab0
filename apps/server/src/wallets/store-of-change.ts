import type { Context } from '../db/context.ts';
import type { StoreRef } from '../db/store-ref.ts';
import type { Person } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { requireMember } from '../people/require-member.ts';
import { storeForMember } from '../stores/store-for-member.ts';
import { findStoreOfChange } from './method-change-sql.ts';

type ChangeChoice = { merchantCode: string; change: string };

/** The store of a change for a person who may change its methods; others' changes do not exist for them. */
export async function storeOfChange(
  context: Context,
  actor: Person,
  { merchantCode, change }: ChangeChoice,
): Promise<StoreRef> {
  const permission = 'method.change';
  const { merchantAccountId } = await requireMember(context, actor, { merchantCode, permission });
  const merchantId = await findStoreOfChange(context.database.queries, merchantAccountId, change);
  if (merchantId === undefined) throw new Refusal('METHOD_CHANGE_UNKNOWN', { change });
  return storeForMember(context, actor, { merchantCode, merchantId, permission });
}
