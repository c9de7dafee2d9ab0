import type { StoreRef } from '../db/store-ref.ts';
import type { KeyedStore } from './admission.ts';

/** A store that was admitted by its own key, with the terms of its invoices. */
export type AdmittedStore = StoreRef &
  Pick<KeyedStore, 'lifetimeMinutes' | 'httpsCallbacksOnly' | 'trialEndsAt' | 'feePlan'>;

/**
 * The store of a request that was admitted: its API key is right, and neither the store nor its merchant is switched
 * off.
 */
export function storeForKey(store: KeyedStore): AdmittedStore {
  const { id, merchantAccountId, merchantId, shard, live } = store;
  const { lifetimeMinutes, httpsCallbacksOnly, trialEndsAt, feePlan } = store;
  const ref = { id, merchantAccountId, merchantId, shard, live } as StoreRef;
  return { ...ref, lifetimeMinutes, httpsCallbacksOnly, trialEndsAt, feePlan };
}
