import { callRpc } from './json-rpc.ts';

/** Block 0 of a local node: readers are told it, because it is not the one of the network that the node stands for. */

const TIMEOUT_MS = 5_000;
const known = new Map<string, string>();

type Block = { hash: string } | null;

/** Undefined for a node without JSON-RPC of this kind. Remembered: a node may be made to fail later. */
export async function genesisOf(url: string): Promise<string | undefined> {
  // Tron's dialect stands behind a path.
  for (const door of [url, `${url}/jsonrpc`]) {
    if (known.has(url)) break;
    const call = { method: 'eth_getBlockByNumber', params: ['0x0', false] };
    const block = await callRpc<Block>(door, call, TIMEOUT_MS).catch(() => null);
    if (block) known.set(url, block.hash);
  }
  return known.get(url);
}

const NODES = /^COUNTERFOIL_RPC_(.+)$/;

/** What a process must be told so that it reads the local nodes in its settings. */
export async function genesisSettings(settings: Record<string, string>): Promise<Record<string, string>> {
  const told: Record<string, string> = {};
  for (const [name, urls] of Object.entries(settings)) {
    const symbol = NODES.exec(name)?.[1];
    const hash = symbol === undefined ? undefined : await genesisOf(urls.split(',')[0] ?? '');
    if (hash !== undefined) told[`COUNTERFOIL_GENESIS_${symbol}`] = hash;
  }
  return { ...told, ...settings };
}
