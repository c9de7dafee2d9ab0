import type { Network } from '../../networks/network.ts';
import type { ChainSource } from '../chain-source.ts';
import { createEvmSource } from './evm/evm-source.ts';
import { createTronSource } from './tron/tron-source.ts';

/** The adapter of a network's family. */
export function createSource(network: Network, urls: readonly string[]): ChainSource {
  switch (network.family) {
    case 'evm':
      return createEvmSource(network, urls);
    case 'tron':
      return createTronSource(network, urls);
    case 'solana':
      throw new Error(`${network.symbol} cannot be followed.`);
  }
}
