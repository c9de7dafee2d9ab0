import { z } from 'zod';
import { isPlain } from '../lib/plain-url.ts';
import { CHAIN_NETWORKS } from '../networks/chain-networks.ts';
import type { Network } from '../networks/network.ts';
import type { Variables } from './setting.ts';
import { setting, webAddress } from './setting.ts';

/** Settings of the nodes of networks: three for each network, named after it. */

/** A network with the URLs of its nodes; `genesisHash` is set for a local chain only. */
export type FollowedChain = { network: Network; urls: string[]; genesisHash?: string };
/**
 * A network whose nodes are asked about payers' transactions; `shared` when workers read payments from the same nodes.
 */
export type InspectedChain = FollowedChain & { shared: boolean };

const CHAINS_PREFIX = 'COUNTERFOIL_RPC_';
const INSPECT_PREFIX = 'COUNTERFOIL_INSPECT_RPC_';
const GENESIS_PREFIX = 'COUNTERFOIL_GENESIS_';

const nodeAddresses = z
  .string()
  .refine(
    (text) => splitAddresses(text).every((url) => webAddress.safeParse(url).success),
    'must be a comma-separated list of http addresses',
  )
  .optional();

const TRON_NODES =
  'base addresses of nodes of Tron, behind which `/jsonrpc` and `/walletsolidity` lie. A TronGrid key stands before the host (`https://KEY@api.trongrid.io`) and is sent as `TRON-PRO-API-KEY`';

const shapeOf = (prefix: string, make: (network: Network) => z.ZodType<string | undefined>) =>
  Object.fromEntries(CHAIN_NETWORKS.map((network) => [`${prefix}${network.id}`, make(network)]));

const followed = shapeOf(CHAINS_PREFIX, ({ id, name }) =>
  setting(nodeAddresses, {
    secret: true,
    meaning:
      id === 'TRC20'
        ? TRON_NODES
        : `comma-separated addresses of nodes of ${name}; the second checks the first. Without one the network is not followed and not offered`,
  }),
);

const inspected = shapeOf(INSPECT_PREFIX, ({ id, name }) =>
  setting(nodeAddresses, {
    secret: true,
    fallback: `\`${CHAINS_PREFIX}${id}\``,
    meaning: `nodes of ${name} that the API asks when a customer says that they have paid`,
  }),
);

const genesis = shapeOf(GENESIS_PREFIX, ({ name }) =>
  setting(z.string().optional(), {
    fallback: "the network's",
    refused: { why: 'is for local chains only' },
    meaning: `hash of block 0 of a local chain that stands for ${name}`,
  }),
);

export const CHAIN_SETTINGS = { ...followed, ...inspected, ...genesis };

/** Names of the settings that a process reads which follows networks, and of one which asks about transactions. */
export const FOLLOWED_NAMES = Object.keys({ ...followed, ...genesis });
export const INSPECTED_NAMES = Object.keys(CHAIN_SETTINGS);

function splitAddresses(text: string): string[] {
  return text.split(',').filter((url) => url !== '');
}

/** Finds nodes that are asked without encryption: anybody between us and such a node could show us false payments. */
export function findPlainNodes(variables: Variables, names: readonly string[]): string[] {
  return names
    .filter((name) => !name.startsWith(GENESIS_PREFIX))
    .filter((name) =>
      splitAddresses(variables[name] ?? '').some((url) => webAddress.safeParse(url).success && isPlain(url)),
    )
    .map((name) => `${name}: must be https, but for nodes in your own network`);
}

/** Reads `COUNTERFOIL_RPC_BSC` and so on. */
export function readChains(variables: Variables, prefix = CHAINS_PREFIX): FollowedChain[] {
  return CHAIN_NETWORKS.flatMap((network) => {
    const urls = splitAddresses(variables[`${prefix}${network.id}`] ?? '');
    const genesisHash = variables[`${GENESIS_PREFIX}${network.id}`];
    return urls.length > 0 ? [{ network, urls, ...(genesisHash && { genesisHash }) }] : [];
  });
}

/**
 * Reads `COUNTERFOIL_INSPECT_RPC_BSC` and so on. For a network without such a setting, the nodes that its payments are
 * read from are asked.
 */
export function readInspected(variables: Variables): InspectedChain[] {
  const own = readChains(variables, INSPECT_PREFIX);
  const others = readChains(variables).filter(({ network }) => !own.some((chain) => chain.network === network));
  return [
    ...own.map(({ network, urls }) => ({ network, urls, shared: false })),
    ...others.map(({ network, urls }) => ({ network, urls, shared: true })),
  ];
}
