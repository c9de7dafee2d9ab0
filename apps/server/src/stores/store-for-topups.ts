import type { Context } from '../db/context.ts';
import type { StoreRef } from '../db/store-ref.ts';
import type { AdmittedStore } from './store-for-key.ts';
import { findTopupStore } from './store-sql.ts';

/** Top-ups cost no fee, whatever the plan of the store says: the operator would pay it to themselves. */
const NO_FEE = { rateUnits: 0n, discountUnits: 0n, minimumMicroUsd: 0n };

/**
 * Finds the store of the operator where a top-up is paid, for a worker that makes the invoice there; undefined when the
 * store or its merchant is switched off.
 */
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
