import type { Person } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { requireMember } from '../people/require-member.ts';
import { createTestStore } from '../sandbox/create-test-store.ts';
import { createStore } from '../stores/create-store.ts';
import { LIFETIME_MINUTES } from '../stores/store.ts';
import type { DashboardContext } from './dashboard-context.ts';

type MemberStoreInput = { merchantCode: string; name: string; live: boolean };

/** Most stores that members of a merchant may create. */
export const MAX_STORES = 200;

/** Creates a store with the operator's plan. Members who see only some stores cannot: they would not see it. */
export async function createMemberStore(
  context: DashboardContext,
  actor: Person,
  { merchantCode, name, live }: MemberStoreInput,
): Promise<string> {
  const asked = { merchantCode, permission: 'store.change', live } as const;
  const { merchantAccountId, allStores } = await requireMember(context, actor, asked);
  if (!allStores) throw new Refusal('NO_PERMISSION', { permission: 'store.change' });
  const { storePlan: planCode } = context;
  if (planCode === undefined) throw new Refusal('STORES_NOT_OFFERED');
  const create = live ? createStore : createTestStore;
  const { merchantId } = await create(context, actor, {
    merchantAccountId,
    name,
    planCode,
    discountPercent: '0',
    lifetimeMinutes: LIFETIME_MINUTES.usual,
    httpsCallbacksOnly: live,
    maxStores: MAX_STORES,
  });
  return merchantId;
}
