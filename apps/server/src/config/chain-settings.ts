import { z } from 'zod';
import { CHAIN_NETWORKS } from '../networks/chain-networks.ts';
import type { Network } from '../networks/network.ts';
import type { Variables } from './setting.ts';
import { setting, splitAddresses, webAddress } from './setting.ts';

/** Settings of nodes: three per network, named after it. */

/** `genesisHash` is set only for local chains. */
export type FollowedChain = { network: Network; urls: string[]; genesisHash?: string };
/** A network whose nodes inspect payers' transactions; `shared` when workers use the same nodes. */
export type InspectedChain = FollowedChain & { shared: boolean };

const CHAINS_PREFIX = 'COUNTERFOIL_RPC_';
const INSPECT_PREFIX = 'COUNTERFOIL_INSPECT_RPC_';
const GENESIS_PREFIX = 'COUNTERFOIL_GENESIS_';

/** These have a key before the host, sent as a header; others must not have a user. */
const KEY_BEFORE_HOST = new Set(['TRC20']);

function isNode(text: string, mayHaveKey: boolean): boolean {
  if (!webAddress.safeParse(text).success) return false;
  const { username, password, pathname } = new URL(text);
  return !pathname.includes('://') && (mayHaveKey || `${username}${password}` === '');
}

const nodeAddresses = (network: Network) =>
  z
    .string()
    .refine(
      (text) => splitAddresses(text).every((url) => isNode(url, KEY_BEFORE_HOST.has(network.id))),
      KEY_BEFORE_HOST.has(network.id)
        ? 'must be a comma-separated list of http addresses'
        : 'must be a comma-separated list of http addresses without a user',
    )
    .optional();

const TRON_NODES =
  'base addresses of nodes of Tron, behind which `/jsonrpc` and `/walletsolidity` lie. A TronGrid key stands before the host (`https://KEY@api.trongrid.io`) and is sent as `TRON-PRO-API-KEY`';

const shapeOf = (prefix: string, make: (network: Network) => z.ZodType<string | undefined>) =>
  Object.fromEntries(CHAIN_NETWORKS.map((network) => [`${prefix}${network.id}`, make(network)]));

const followed = shapeOf(CHAINS_PREFIX, (network) =>
  setting(nodeAddresses(network), {
    secret: true,
    encrypted: true,
    meaning:
      network.id === 'TRC20'
        ? TRON_NODES
        : `comma-separated addresses of nodes of ${network.name}; the second checks the first. Without one the network is not followed and not offered`,
  }),
);

const inspected = shapeOf(INSPECT_PREFIX, (network) =>
  setting(nodeAddresses(network), {
    secret: true,
    encrypted: true,
    fallback: `\`${CHAINS_PREFIX}${network.id}\``,
    meaning: `nodes of ${network.name} that the API asks when a customer says that they have paid`,
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

/** Names of these settings for processes that follow networks, and for those that inspect transactions. */
export const FOLLOWED_NAMES = Object.keys({ ...followed, ...genesis });
export const INSPECTED_NAMES = Object.keys(CHAIN_SETTINGS);

/** Reads `COUNTERFOIL_RPC_BSC` and so on. */
export function readChains(variables: Variables, prefix = CHAINS_PREFIX): FollowedChain[] {
  return CHAIN_NETWORKS.flatMap((network) => {
    const urls = splitAddresses(variables[`${prefix}${network.id}`] ?? '');
    const genesisHash = variables[`${GENESIS_PREFIX}${network.id}`];
    return urls.length > 0 ? [{ network, urls, ...(genesisHash && { genesisHash }) }] : [];
  });
}

/** Reads `COUNTERFOIL_INSPECT_RPC_BSC` and so on; by default the nodes that payments are read from. */
export function readInspected(variables: Variables): InspectedChain[] {
  const own = readChains(variables, INSPECT_PREFIX);
  const others = readChains(variables).filter(({ network }) => !own.some((chain) => chain.network === network));
  return [
    ...own.map(({ network, urls }) => ({ network, urls, shared: false })),
    ...others.map(({ network, urls }) => ({ network, urls, shared: true })),
  ];
}
