/** A transaction as the chain shows it, whatever it was meant to be: for explaining, never for crediting. */

export type InspectedTransaction = {
  succeeded: boolean;
  height: number;
  time: number;
  confirmations: number;
  /** Token transfers in it; `token` is null for a contract that is not on our list. */
  transfers: { token: string | null; contract: string; to: string; units: bigint }[];
  /** Where its own value went; null for a contract's creation. */
  coin: { to: string | null; units: bigint };
};

export type InspectTransaction = (network: string, txId: string) => Promise<InspectedTransaction | null>;
