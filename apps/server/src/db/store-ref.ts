declare const storeRef: unique symbol;

/**
 * A store that the actor may act for. Only storeForKey, storeForMember, storeForOperator and storeForTopups make a
 * StoreRef, so a verb that takes one need not check whose store it is.
 */
export type StoreRef = Readonly<{
  id: bigint;
  /** The merchant that owns the store. */
  merchantAccountId: bigint;
  /** The store's public code. */
  merchantId: string;
  shard: string;
  /** Whether the store is live; a test store touches no live network. */
  live: boolean;
}> & { readonly [storeRef]: true };
