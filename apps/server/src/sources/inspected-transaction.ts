/**
 * A transaction that somebody named, as the chain shows it: used to explain what happened, never to credit an invoice.
 */

export type InspectedTransaction = {
  succeeded: boolean;
  height: number;
  time: number;
  /** Token transfers in the transaction; `token` is null for a contract that is not on our list. */
  transfers: { token: string | null; contract: string; to: string; units: bigint }[];
  /** The coins that the transaction itself moved; `to` is null when it created a contract. */
  coin: {
    to: string | null;
    units: bigint;
    /** Whether the coins went to a contract, which may have passed them on without a transfer that shows it. */
    throughContract?: boolean;
  };
};

/** Limits of one answer of a node: how long it may take, and how large it may be. */
export type InspectionLimits = { timeoutMs: number; maxBytes: number };

/** Reads one transaction of a network; null when the transaction is unknown or not mined. */
export type InspectOnNetwork = (txId: string, timeoutMs: number) => Promise<InspectedTransaction | null>;

/** The store whose visitor asks, and its merchant. */
export type AskingStore = { storeId: bigint; merchantAccountId: bigint };

/** Inspects for a visitor of a store's invoice. */
export type InspectForStore = (txId: string, timeoutMs: number, store: AskingStore) => ReturnType<InspectOnNetwork>;

/** Inspectors by network id. */
export type Inspectors = ReadonlyMap<string, InspectForStore>;
