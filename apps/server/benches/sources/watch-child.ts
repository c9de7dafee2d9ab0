import { createHash } from 'node:crypto';
import { tronFromHex } from '@counterfoil/core/tron-address.ts';
import { base58 } from '@scure/base';
import { getAddress } from 'viem';
import type { Network } from '../../src/networks/network.ts';
import { findNetwork } from '../../rig/chains/networks.ts';
import { createWatch } from '../../src/chains/filter-transfers.ts';

/** Prints the bytes of a watch set. Arguments are a network and a number of addresses. */

const [symbol = '', count = ''] = process.argv.slice(2);
const CHECKSUMMED = 1_000;

function requireNetwork(): Network {
  const found = findNetwork(symbol);
  if (!found) throw new Error(`${symbol} is unknown.`);
  return found;
}

/**
 * Address in its written form. Checksums cost more than everything else, so most EVM addresses only look checksummed.
 */
function addressOf(network: Network, index: number): string {
  const digest = createHash('sha256').update(String(index)).digest();
  const hex = `0x${digest.toString('hex', 0, 20)}` as const;
  if (network.family === 'tron') return tronFromHex(hex) ?? '';
  if (network.family === 'solana') return base58.encode(digest);
  return index < CHECKSUMMED ? getAddress(hex) : `0x${hex.slice(2).toUpperCase()}`;
}

const network = requireNetwork();

/** Addresses as the database driver returns them: separate strings that nothing else holds. */
function readAddresses(): string[] {
  return Array.from({ length: Number(count) }, (_unused, index) =>
    Buffer.from(addressOf(network, index)).toString('utf8'),
  );
}

function heldBytes(): number {
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, external, arrayBuffers } = process.memoryUsage();
  return heapUsed + external + arrayBuffers;
}

const before = heldBytes();
const watch = createWatch(network, 1n, readAddresses());
const bytes = heldBytes() - before;
if (watch.addresses.size !== Number(count)) throw new Error(`The set holds ${watch.addresses.size} addresses.`);
process.stdout.write(String(bytes));
