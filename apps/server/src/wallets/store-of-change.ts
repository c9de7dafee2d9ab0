import type { Context } from '../db/context.ts';
import type { StoreRef } from '../db/store-ref.ts';
import type { Person } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { requireMember } from '../people/require-member.ts';
import { storeForMember } from '../stores/store-for-member.ts';
import { findStoreOfChange } from './method-change-sql.ts';

type ChangeChoice = { merchantCode: string; change: string };

/**
 * Finds the store that a change of a payment method is about, for a person who may change its methods. A change of
 * another merchant, or of a store that the person does not see, is as unknown as one that does not exist.
 */
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
