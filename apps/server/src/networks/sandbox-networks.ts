import { CHAIN_NETWORKS } from './chain-networks.ts';
import type { FinalityTier } from './finality.ts';
import type { ChainNetwork, Network } from './network.ts';
import { SANDBOX_PREFIX } from './network-id.ts';

/**
 * The networks of the sandbox, where test stores receive: each network imitates a chain with its name, tokens and
 * limits. Only test payers make payments there, and no wallet accepts the receiving addresses.
 */

export type SandboxNetwork = Network & { family: 'sandbox' };

/** The time between a worker's looks for test payments. */
const POLL_MS = 100;
const TYPICAL_SECONDS = 1;
/**
 * Finality of sandbox networks: a test payment of any sum settles as soon as it is final. Depth of blocks is not
 * imitated.
 */
const FINALIZED: readonly FinalityTier[] = [{ belowUsd: null, tier: 'finalized' }];

function imitate({ id, name, minimumCents, payer, tokens }: ChainNetwork): SandboxNetwork {
  return {
    id: `${SANDBOX_PREFIX}${id}`,
    name,
    family: 'sandbox',
    chainId: null,
    pollMs: POLL_MS,
    minimumCents,
    policy: FINALIZED,
    payer: { ...payer, typicalSeconds: TYPICAL_SECONDS, explorerUrl: null, trustCoin: null },
    tokens,
  };
}

export const SANDBOX_NETWORKS: readonly SandboxNetwork[] = CHAIN_NETWORKS.map(imitate);

export function isSandbox(network: Network): network is SandboxNetwork {
  return network.family === 'sandbox';
}

/** The receiving address of a test store on a sandbox network: a text that is a valid address on no chain. */
export function testAddress({ id }: SandboxNetwork, merchantId: string): string {
  return `test-${id.slice(SANDBOX_PREFIX.length).toLowerCase()}-${merchantId}`;
}
