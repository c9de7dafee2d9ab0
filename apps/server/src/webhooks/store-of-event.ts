import type { Permission } from '@counterfoil/core/permission.ts';
import type { Context } from '../db/context.ts';
import type { StoreRef } from '../db/store-ref.ts';
import type { Person } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { requireMember } from '../people/require-member.ts';
import { storeForMember } from '../stores/store-for-member.ts';
import { findStoreOfEvent } from './event-view-sql.ts';

type EventOfMember = { merchantCode: string; eventId: string; permission: Permission };

/** The store of an event for a person with a permission; others' events do not exist for them. */
export async function storeOfEvent(
  context: Context,
  actor: Person,
  { merchantCode, eventId, permission }: EventOfMember,
): Promise<StoreRef> {
  const { merchantAccountId } = await requireMember(context, actor, { merchantCode, permission });
  const merchantId = await findStoreOfEvent(context.database.queries, merchantAccountId, eventId);
  if (merchantId === undefined) throw new Refusal('EVENT_UNKNOWN');
  return storeForMember(context, actor, { merchantCode, merchantId, permission });
}
