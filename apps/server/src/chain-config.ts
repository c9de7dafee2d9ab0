import { z } from 'zod';
import { isPlain } from './lib/plain-url.ts';
import { CHAIN_NETWORKS } from './networks/chain-networks.ts';
import type { Network } from './networks/network.ts';

/** Settings of the nodes of networks. They are read from the variables that config.ts hands over. */

export type Variables = Record<string, string | undefined>;

/** A network with the URLs of its nodes; `genesisHash` is set for a local chain only. */
export type FollowedChain = { network: Network; urls: string[]; genesisHash?: string };
/**
 * A network whose nodes are asked about payers' transactions; `shared` when workers read payments from the same nodes.
 */
export type InspectedChain = FollowedChain & { shared: boolean };

const CHAINS_PREFIX = 'COUNTERFOIL_RPC';
const INSPECT_PREFIX = 'COUNTERFOIL_INSPECT_RPC';

/** Finds nodes that are asked without encryption: anybody between us and such a node could show us false payments. */
export function findPlainNodes(chains: readonly (FollowedChain | InspectedChain)[]): string[] {
  return chains
    .filter(({ urls }) => urls.some((url) => webAddress.safeParse(url).success && isPlain(url)))
    .map((chain) => {
      const prefix = 'shared' in chain && !chain.shared ? INSPECT_PREFIX : CHAINS_PREFIX;
      return `${prefix}_${chain.network.id}: must be https, but for nodes in your own network`;
    });
}

export const webAddress = z.url({ protocol: /^https?$/ }).transform((url) => url.replace(/\/+$/, ''));

/** Reads `COUNTERFOIL_RPC_BSC` and so on: comma-separated URLs of nodes, the second of which checks the first. */
export function readChains(
  variables: Variables,
  prefix = CHAINS_PREFIX,
): { chains: FollowedChain[]; faults: string[] } {
  const chains = CHAIN_NETWORKS.flatMap((network) => {
    const urls = (variables[`${prefix}_${network.id}`] ?? '').split(',').filter((url) => url !== '');
    const genesisHash = variables[`COUNTERFOIL_GENESIS_${network.id}`];
    return urls.length > 0 ? [{ network, urls, ...(genesisHash && { genesisHash }) }] : [];
  });
  const faults = chains
    .filter(({ urls }) => urls.some((url) => !webAddress.safeParse(url).success))
    .map(({ network }) => `${prefix}_${network.id}: must be a comma-separated list of http addresses`);
  return { chains, faults };
}

const GENESIS_SETTING = /^COUNTERFOIL_GENESIS_/;

/**
 * Refuses settings of the hash of block 0 in production: with such a setting, a local chain would pass for the public
 * network.
 */
export function refuseGenesis(variables: Variables, production: boolean): string[] {
  if (!production) return [];
  const named = Object.keys(variables).filter((name) => GENESIS_SETTING.test(name) && variables[name] !== undefined);
  return named.map((name) => `${name}: is for local chains only`);
}

/**
 * Reads `COUNTERFOIL_INSPECT_RPC_BSC` and so on. For a network without such a setting, the nodes that its payments are
 * read from are asked.
 */
export function readInspected(variables: Variables): { inspected: InspectedChain[]; faults: string[] } {
  const own = readChains(variables, INSPECT_PREFIX);
  const shared = readChains(variables);
  const others = shared.chains.filter(({ network }) => !own.chains.some((chain) => chain.network === network));
  return {
    inspected: [
      ...own.chains.map(({ network, urls }) => ({ network, urls, shared: false })),
      ...others.map(({ network, urls }) => ({ network, urls, shared: true })),
    ],
    faults: [...own.faults, ...shared.faults],
  };
}
