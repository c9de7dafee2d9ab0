import type { Context } from '../db/context.ts';
import type { StoreRef } from '../db/store-ref.ts';
import type { AdmittedStore } from './store-for-key.ts';
import { findTopupStore } from './store-sql.ts';

/** Top-ups cost no fee regardless of the plan: the operator would pay themselves. */
const NO_FEE = { rateUnits: 0n, discountUnits: 0n, minimumMicroUsd: 0n };

/** The operator's store for a top-up; undefined when it or its merchant is inactive. */
export async function storeForTopups(
  { database }: Pick<Context, 'database'>,
  storeId: bigint,
): Promise<AdmittedStore | undefined> {
  const found = await findTopupStore(database.queries, storeId);
  if (!found) return undefined;
  const { id, merchantAccountId, merchantId, shard, live, lifetimeMinutes } = found;
  const ref = { id, merchantAccountId, merchantId, shard, live } as StoreRef;
  return { ...ref, lifetimeMinutes, httpsCallbacksOnly: false, trialEndsAt: null, feePlan: NO_FEE };
}
