import type { Network } from '../networks/network.ts';
import type { AccountSource } from './account-source.ts';
import type { ChainSource } from './chain-source.ts';
import { createEvmSource } from './evm/evm-source.ts';
import { createSolanaSource } from './solana/solana-source.ts';
import { createTronSource } from './tron/tron-source.ts';

/** A network and its provider URLs. `genesisHash`: block 0 of a local chain, where it differs from the public one. */
export type SourceAddress = { network: Network; urls: readonly string[]; genesisHash?: string | undefined };

export function createSource({ network, urls, genesisHash }: SourceAddress): ChainSource {
  switch (network.family) {
    case 'evm':
      return createEvmSource(network, urls, { genesisHash });
    case 'tron':
      return createTronSource(network, urls, { genesisHash });
    case 'solana':
    case 'exchange':
    case 'sandbox':
      throw new Error(`${network.id} is read account by account.`);
  }
}

export function createAccountSource({ network, urls, genesisHash }: SourceAddress): AccountSource {
  if (network.family !== 'solana') throw new Error(`${network.id} is not read account by account.`);
  return createSolanaSource(network, urls, undefined, undefined, genesisHash);
}
