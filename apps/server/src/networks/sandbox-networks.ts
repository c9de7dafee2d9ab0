import { SANDBOX_PREFIX } from '@counterfoil/core/network-id.ts';
import { CHAIN_NETWORKS } from './chain-networks.ts';
import type { FinalityTier } from './finality.ts';
import type { ChainNetwork, Network } from './network.ts';

/** Networks of test stores, which imitate chains. Only test payers pay there. */

export type SandboxNetwork = Network & { family: 'sandbox' };

/** Pause between reads of test payments. */
const POLL_MS = 100;
const TYPICAL_SECONDS = 1;
/** Test payments settle as soon as they are final; depth is not imitated. */
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

export function testAddress({ id }: SandboxNetwork, merchantId: string): string {
  return `test-${id.slice(SANDBOX_PREFIX.length).toLowerCase()}-${merchantId}`;
}
