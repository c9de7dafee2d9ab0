import { CHAIN_NETWORKS } from './chain-networks.ts';
import type { FinalityTier } from './finality.ts';
import type { ChainNetwork, Network } from './network.ts';
import { SANDBOX_PREFIX } from './network-id.ts';

/**
 * The networks of the sandbox, where test stores receive: each imitates a chain, with its name, tokens and limits. Their
 * payments are made by test payers alone, and no wallet knows their addresses.
 */

export type SandboxNetwork = Network & { family: 'sandbox' };

/** The time between looks for test payments. */
const POLL_MS = 100;
const TYPICAL_SECONDS = 1;
/** A test payment settles as soon as it is final, whatever the sum: depth is not imitated. */
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

/** The address of a test store on a sandbox network: a text that is no address anywhere. */
export function testAddress({ id }: SandboxNetwork, merchantId: string): string {
  return `test-${id.slice(SANDBOX_PREFIX.length).toLowerCase()}-${merchantId}`;
}
