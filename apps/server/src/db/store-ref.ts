declare const storeRef: unique symbol;

/**
 * A store that the actor may act for. Only storeForKey and storeForOperator make one, so a verb that takes it need not
 * check whose store it is.
 */
export type StoreRef = Readonly<{
  id: bigint;
  /** The merchant that owns the store. */
  merchantAccountId: bigint;
  /** The store's public code. */
  merchantId: string;
  shard: string;
  /** A test store touches no live network. */
  live: boolean;
}> & { readonly [storeRef]: true };
