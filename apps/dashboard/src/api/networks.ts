import type { ChainFamily } from '@counterfoil/core/network-family.ts';
import type { ListedNetwork } from '@counterfoil/core/network-list.ts';
import { LISTED_CHAINS, LISTED_PLATFORMS, LISTED_SANDBOX } from '@counterfoil/core/network-list.ts';
import { isSandboxId, publicSymbol } from '@counterfoil/core/network-id.ts';

export type KnownNetwork = Omit<ListedNetwork, 'family'> & { family: ListedNetwork['family'] | 'unknown' };

/** Networks for wallets. */
export const CHAINS: readonly (KnownNetwork & { family: ChainFamily })[] = LISTED_CHAINS;

/** Exchange platforms. */
export const PLATFORMS: readonly KnownNetwork[] = LISTED_PLATFORMS;

/** Networks and exchanges for filters, once each. */
export const PAYABLE: readonly KnownNetwork[] = [...CHAINS, ...PLATFORMS];

const ALL: readonly KnownNetwork[] = [...PAYABLE, ...LISTED_SANDBOX];

const unknownNetwork = (id: string): KnownNetwork => ({
  id,
  name: id,
  family: 'unknown',
  standard: '',
  fee: 'medium',
  seconds: 0,
  tokens: [],
  explorer: null,
});

/** Unknown networks are shown by id. */
export function networkOf(id: string): KnownNetwork {
  return ALL.find((one) => one.id === id) ?? unknownNetwork(id);
}

/** The id of a network's mark; sandbox networks have those of the real ones. */
export const markId = (id: string): string => (isSandboxId(id) ? publicSymbol(id) : id);
