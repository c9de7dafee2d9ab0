import type { Network } from '../networks/network.ts';
import type { InspectedTransaction, InspectionLimits, InspectOnNetwork } from './inspected-transaction.ts';
import { inspectEvmTransaction } from './evm/inspect-transaction.ts';
import { inspectSolanaTransaction } from './solana/inspect-transaction.ts';
import { inspectTronTransaction } from './tron/inspect-transaction.ts';

type Inspect = (
  network: Network,
  url: string,
  txId: string,
  limits: InspectionLimits,
) => Promise<InspectedTransaction | null>;

/** Visitors of the checkout choose the transactions, and no payment is this large. */
const MAX_INSPECTED_BYTES = 2 * 1024 * 1024;

/** Families whose transactions are public; exchange platforms require a key. */
const INSPECTORS: Partial<Record<Network['family'], Inspect>> = {
  evm: inspectEvmTransaction,
  tron: inspectTronTransaction,
  solana: inspectSolanaTransaction,
};

/** Asks all providers in turn: one that does not know a transaction may lag. */
export function createInspector(network: Network, urls: readonly string[]): InspectOnNetwork {
  const inspect = INSPECTORS[network.family];
  if (!inspect) throw new Error(`${network.id} has no nodes to ask.`);
  return async (txId, timeoutMs) => {
    let fault: unknown;
    for (const url of urls) {
      try {
        const found = await inspect(network, url, txId, { timeoutMs, maxBytes: MAX_INSPECTED_BYTES });
        if (found) return found;
      } catch (cause) {
        fault = cause;
      }
    }
    if (fault !== undefined) throw fault;
    return null;
  };
}
