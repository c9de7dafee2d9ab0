import type { Network } from '../../networks/network.ts';
import type { AccountSource } from '../account-source.ts';
import type { ChainSource } from '../chain-source.ts';
import { createEvmSource } from './evm/evm-source.ts';
import { createSolanaSource } from './solana/solana-source.ts';
import { createTronSource } from './tron/tron-source.ts';

/** The adapter of a network's family, where it is read whole. */
export function createSource(network: Network, urls: readonly string[]): ChainSource {
  switch (network.family) {
    case 'evm':
      return createEvmSource(network, urls);
    case 'tron':
      return createTronSource(network, urls);
    case 'solana':
      throw new Error(`${network.symbol} is read account by account.`);
  }
}

/** The adapter of a network's family, where it is read account by account. */
export function createAccountSource(network: Network, urls: readonly string[]): AccountSource {
  if (network.family !== 'solana') throw new Error(`${network.symbol} is not read account by account.`);
  return createSolanaSource(network, urls);
}
