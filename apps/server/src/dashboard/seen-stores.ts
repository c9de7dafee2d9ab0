import type { Person } from '../lib/actor.ts';
import { beholderOf } from '../people/beholder.ts';
import type { Permission } from '../people/permission.ts';
import { requireMember } from '../people/require-member.ts';
import { listStoresOfMember } from '../stores/member-store-sql.ts';
import { storeForMember } from '../stores/store-for-member.ts';
import { MAX_STORES } from './create-member-store.ts';
import type { DashboardContext } from './dashboard-context.ts';

type SeenStores = {
  merchantAccountId: bigint;
  /** Public codes of the stores, by id. */
  codes: ReadonlyMap<bigint, string>;
};

type SeenInput = {
  merchantCode: string;
  permission: Permission;
  /** The public code of the one store that is asked for; undefined for all that the person sees. */
  merchantId?: string | undefined;
};

/** The stores of a merchant that a person sees and may do something with: those that lists of the merchant are about. */
export async function seenStores(
  context: DashboardContext,
  actor: Person,
  { merchantCode, permission, merchantId }: SeenInput,
): Promise<SeenStores> {
  if (merchantId !== undefined) {
    const store = await storeForMember(context, actor, { merchantCode, merchantId, permission });
    return { merchantAccountId: store.merchantAccountId, codes: new Map([[store.id, store.merchantId]]) };
  }
  const { merchantAccountId } = await requireMember(context, actor, { merchantCode, permission });
  const choice = { merchantAccountId, limit: MAX_STORES };
  const stores = await listStoresOfMember(context.views.queries, beholderOf(context, actor), choice);
  return { merchantAccountId, codes: new Map(stores.map((store) => [store.id, store.merchantId])) };
}
