import type { Person } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { requireMember } from '../people/require-member.ts';
import { createTestStore } from '../sandbox/create-test-store.ts';
import { createStore } from '../stores/create-store.ts';
import { LIFETIME_MINUTES } from '../stores/store.ts';
import type { DashboardContext } from './dashboard-context.ts';

type MemberStoreInput = { merchantCode: string; name: string; live: boolean };

/** How many stores the members of a merchant may create; an operator may create more. */
export const MAX_STORES = 200;

/**
 * Creates a store for a member, by the plan that the operator offers. A member who sees some stores only creates none:
 * they would not see it.
 */
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
