import type { StoreRef } from '../db/store-ref.ts';
import type { KeyedStore } from './admission.ts';

/** A store admitted by its key, with the terms of its invoices. */
export type AdmittedStore = StoreRef &
  Pick<KeyedStore, 'lifetimeMinutes' | 'httpsCallbacksOnly' | 'trialEndsAt' | 'feePlan'>;

/** The store of an admitted request: valid key, and store and merchant are active. */
export function storeForKey(store: KeyedStore): AdmittedStore {
  const { id, merchantAccountId, merchantId, shard, live } = store;
  const { lifetimeMinutes, httpsCallbacksOnly, trialEndsAt, feePlan } = store;
  const ref = { id, merchantAccountId, merchantId, shard, live } as StoreRef;
  return { ...ref, lifetimeMinutes, httpsCallbacksOnly, trialEndsAt, feePlan };
}
