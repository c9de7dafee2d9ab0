import type { Context } from '../db/context.ts';
import { CHAIN_NETWORKS } from './chain-networks.ts';
import { EXCHANGE_NETWORKS } from './exchange-networks.ts';
import type { Network, Token } from './network.ts';
import { findToken, readsAccounts } from './network.ts';
import { SANDBOX_NETWORKS } from './sandbox-networks.ts';

/**
 * The networks that a process knows, by id and in the order in which payers see them. Verbs get networks by their
 * context, so that a process can know more networks than the code lists.
 */
export type Networks = ReadonlyMap<string, Network>;

export type NetworksContext = Context & { networks: Networks };

const ALL: readonly Network[] = [...CHAIN_NETWORKS, ...EXCHANGE_NETWORKS, ...SANDBOX_NETWORKS];

export function createNetworks(list = ALL): Networks {
  const networks = new Map(list.map((network) => [network.id, network]));
  if (networks.size < list.length) throw new Error('Two networks have the same id.');
  return networks;
}

/** The network of a recorded transfer or quote; throws when this process does not know the network. */
export function requireNetwork(networks: Networks, id: string): Network {
  const network = networks.get(id);
  if (!network) throw new Error(`${id} is recorded but not known.`);
  return network;
}

/** The token of a recorded amount; throws when the token is unknown, because its decimals would have to be guessed. */
export function requireToken(networks: Networks, id: string, symbol: string): Token {
  const token = findToken(requireNetwork(networks, id), symbol);
  if (!token) throw new Error(`${symbol} on ${id} is recorded but not known.`);
  return token;
}

/** Ids of the networks that are read account by account: coverage there has a followed account as its scope. */
export function accountNetworks(networks: Networks): string[] {
  return [...networks.values()].filter(readsAccounts).map(({ id }) => id);
}
