/** A submitted transaction as the chain shows it: only for explanations, never to credit an invoice. */

export type InspectedTransaction = {
  succeeded: boolean;
  height: number;
  time: number;
  /** `token` is null for contracts that are not listed. */
  transfers: { token: string | null; contract: string; to: string; units: bigint }[];
  /** Coins that the transaction itself moved; `to` is null for contract creation. */
  coin: {
    to: string | null;
    units: bigint;
    /** Whether the coins went to a contract, which may have passed them on without a visible transfer. */
    throughContract?: boolean;
  };
};

export type InspectionLimits = { timeoutMs: number; maxBytes: number };

export type InspectOnNetwork = (txId: string, timeoutMs: number) => Promise<InspectedTransaction | null>;

/** The store whose visitor asks, and its merchant. */
export type AskingStore = { storeId: bigint; merchantAccountId: bigint };

/** Inspects for a visitor of a store's invoice. */
export type InspectForStore = (txId: string, timeoutMs: number, store: AskingStore) => ReturnType<InspectOnNetwork>;

export type Inspectors = ReadonlyMap<string, InspectForStore>;
