import type { Permission } from '@counterfoil/core/permission.ts';
import { isAllowed, LOOKING } from '@counterfoil/core/permission.ts';
import type { Context } from '../db/context.ts';
import type { StoreRef } from '../db/store-ref.ts';
import type { Person } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { beholderOf } from '../people/beholder.ts';
import { refusalOfStranger } from '../people/require-member.ts';
import { findStoreOfMember } from './member-store-sql.ts';

type StoreForMemberInput = { merchantCode: string; merchantId: string; permission: Permission };

/** Finds a store for a member with a permission. For others it does not exist: one statement answers for both. */
export async function storeForMember(
  context: Context,
  actor: Person,
  { merchantCode, merchantId, permission }: StoreForMemberInput,
): Promise<StoreRef> {
  const { queries } = context.database;
  const found = await findStoreOfMember(queries, beholderOf(context, actor), { merchantCode, merchantId });
  if (!found) {
    const otherwise = new Refusal('STORE_UNKNOWN', { store: merchantId });
    throw await refusalOfStranger(context, actor, { merchantCode, otherwise });
  }
  const { role, ...store } = found;
  if (isAllowed(role, permission, store.live)) return store as StoreRef;
  throw role === LOOKING ? new Refusal('READ_ONLY_VIEW') : new Refusal('NO_PERMISSION', { permission });
}
