import { CHAIN_NETWORKS } from '../../src/networks/chain-networks.ts';
import type { ChainNetwork } from '../../src/networks/network.ts';
import { createNetworks } from '../../src/networks/networks.ts';

/** All networks that the code lists, as an ordinary process knows them. */
export const NETWORKS = createNetworks();

export function findNetwork(id: string): ChainNetwork | undefined {
  return CHAIN_NETWORKS.find((network) => network.id === id);
}
