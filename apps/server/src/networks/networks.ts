import { isSandboxId, publicMethod } from '@counterfoil/core/network-id.ts';
import type { Context } from '../db/context.ts';
import { CHAIN_NETWORKS } from './chain-networks.ts';
import { EXCHANGE_NETWORKS } from './exchange-networks.ts';
import type { Network, Token } from './network.ts';
import { findToken, readsAccounts } from './network.ts';
import { SANDBOX_NETWORKS } from './sandbox-networks.ts';

/** A process's networks by id, in the order shown to payers. */
export type Networks = ReadonlyMap<string, Network>;

export type NetworksContext = Context & { networks: Networks };

const ALL: readonly Network[] = [...CHAIN_NETWORKS, ...EXCHANGE_NETWORKS, ...SANDBOX_NETWORKS];

export function createNetworks(list = ALL): Networks {
  const networks = new Map(list.map((network) => [network.id, network]));
  if (networks.size < list.length) throw new Error('Two networks have the same id.');
  return networks;
}

/** Throws when this process does not have the network. */
export function requireNetwork(networks: Networks, id: string): Network {
  const network = networks.get(id);
  if (!network) throw new Error(`${id} is recorded but not known.`);
  return network;
}

/** Throws for unknown tokens, whose decimals would be a guess. */
export function requireToken(networks: Networks, id: string, symbol: string): Token {
  const token = findToken(requireNetwork(networks, id), symbol);
  if (!token) throw new Error(`${symbol} on ${id} is recorded but not known.`);
  return token;
}

/** The payment methods that live or test stores can have, as the merchant API names them. */
export function methodsOfMode(networks: Networks, live: boolean): ReadonlySet<string> {
  const ofMode = [...networks.values()].filter(({ id }) => isSandboxId(id) !== live);
  return new Set(ofMode.flatMap(({ id, tokens }) => tokens.map(({ symbol }) => publicMethod(id, symbol))));
}

/** Networks that are read by account, where coverage is per account. */
export function accountNetworks(networks: Networks): string[] {
  return [...networks.values()].filter(readsAccounts).map(({ id }) => id);
}
