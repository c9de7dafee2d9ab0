import { hangLimitMs } from '../processes/hang-limit.ts';
import { callRpc } from './json-rpc.ts';

/**
 * Genesis hash of a local node. Readers must be given this hash, because it differs from the genesis hash of the
 * network which the node simulates.
 */

const TIMEOUT_MS = hangLimitMs(60_000);
const known = new Map<string, string>();

type Block = { hash: string } | null;

/**
 * Genesis hash, or undefined for a node without EVM JSON-RPC. The hash is cached, because the node may be made to fail
 * later.
 */
export async function genesisOf(url: string): Promise<string | undefined> {
  // Tron nodes serve JSON-RPC below a path.
  for (const door of [url, `${url}/jsonrpc`]) {
    if (known.has(url)) break;
    const call = { method: 'eth_getBlockByNumber', params: ['0x0', false] };
    const block = await callRpc<Block>(door, call, TIMEOUT_MS).catch(() => null);
    if (block) known.set(url, block.hash);
  }
  return known.get(url);
}

/** Forgets all hashes: ports are used again, and a new node at an old URL has another block 0. */
export function forgetGenesisHashes(): void {
  known.clear();
}

const NODES = /^COUNTERFOIL_RPC_(.+)$/;

/** Adds the genesis hashes of the local nodes in a process's settings. */
export async function genesisSettings(settings: Record<string, string>): Promise<Record<string, string>> {
  const told: Record<string, string> = {};
  for (const [name, urls] of Object.entries(settings)) {
    const symbol = NODES.exec(name)?.[1];
    const hash = symbol === undefined ? undefined : await genesisOf(urls.split(',')[0] ?? '');
    if (hash !== undefined) told[`COUNTERFOIL_GENESIS_${symbol}`] = hash;
  }
  return { ...told, ...settings };
}
