/** A transaction as the chain shows it, whatever it was meant to be: for explaining, never for crediting. */

export type InspectedTransaction = {
  succeeded: boolean;
  height: number;
  time: number;
  /** Token transfers in it; `token` is null for a contract that is not on our list. */
  transfers: { token: string | null; contract: string; to: string; units: bigint }[];
  /** Where its own value went; null for a contract's creation. */
  coin: {
    to: string | null;
    units: bigint;
    /** A contract was called with it, which may have passed it on where no transfer shows it. */
    throughContract?: boolean;
  };
};

/** What an answer of a node may take. */
export type InspectionLimits = { timeoutMs: number; maxBytes: number };

/** Reads one transaction of one network; null when it is unknown or not mined. */
export type InspectOnNetwork = (txId: string, timeoutMs: number) => Promise<InspectedTransaction | null>;

/** The inspector of every network that can be asked. */
export type InspectTransaction = ReadonlyMap<string, InspectOnNetwork>;
