import { fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Address } from 'viem';
import type { Network } from '../../src/networks/network.ts';
import { filterTransfers } from '../../src/chains/filter-transfers.ts';
import { createEvmSource } from '../../src/sources/evm/evm-source.ts';
import { startAnvil } from '../../rig/chains/evm/anvil.ts';
import { genesisOf } from '../../rig/chains/genesis.ts';
import { payTokens } from '../../rig/chains/evm/payment.ts';
import { mine } from '../../rig/chains/evm/reorg.ts';
import { canonicalToken, installCanonicalTokens } from '../../rig/chains/evm/token.ts';

/** Measures reading of transfers that go to no watched address: nearly all that a chain holds. */

const WATCHED = 10_000;
const TRANSFERS_PER_BLOCK = 5_000;
const WARM_READS = 5;
const CANNED_HEIGHT = 50_000_000;
const UNITS = 10n ** 18n;

const addressOf = (name: string): Address => `0x${createHash('sha256').update(name).digest('hex').slice(0, 40)}`;

/** Transfers per second through the adapter and the filter, block after block. */
async function measureReads(
  network: Network,
  { url, genesisHash }: { url: string; genesisHash?: string | undefined },
  height: number,
  seconds: number,
): Promise<number> {
  const source = createEvmSource(network, [url], { genesisHash });
  const watched = Array.from({ length: WATCHED }, (_unused, index) => addressOf(`watched ${index}`));
  const watch = { version: 1n, addresses: new Map(watched.map((address) => [address, address])) };
  const readOnce = async () => {
    const read = await source.read({ from: height, to: height, native: false, headers: 'all', pass: 'first' });
    if (read.transfers.length !== TRANSFERS_PER_BLOCK) throw new Error(`${read.transfers.length} transfers were read.`);
    const taken = filterTransfers(network, watch, read.transfers).watched;
    if (taken.length > 0) throw new Error('A transfer to a stranger was taken for one to a watched address.');
  };
  for (let warm = 0; warm < WARM_READS; warm += 1) await readOnce();
  const startedAt = performance.now();
  let reads = 0;
  while (performance.now() - startedAt < seconds * 1000) {
    await readOnce();
    reads += 1;
  }
  return (reads * TRANSFERS_PER_BLOCK * 1000) / (performance.now() - startedAt);
}

function contractOf(network: Network): string {
  const contract = network.tokens.find((token) => token.contract !== null)?.contract;
  if (!contract) throw new Error(`${network.id} has no token.`);
  return contract;
}

export async function readFromCannedNode(network: Network, seconds: number): Promise<number> {
  const script = fileURLToPath(new URL('./canned-node.ts', import.meta.url));
  const node = fork(script, [String(network.chainId), String(CANNED_HEIGHT), contractOf(network)]);
  try {
    const [{ url }] = (await once(node, 'message')) as [{ url: string }];
    return await measureReads(network, { url }, CANNED_HEIGHT, seconds);
  } finally {
    node.kill();
  }
}

export async function readFromAnvil(network: Network, seconds: number): Promise<number> {
  if (network.chainId === null) throw new Error(`${network.id} has no chain number.`);
  const anvil = await startAnvil({ chainId: network.chainId });
  try {
    await installCanonicalTokens(anvil);
    const token = canonicalToken(network.chainId, 'USDT').address;
    const payments = Array.from({ length: TRANSFERS_PER_BLOCK }, (_unused, index) => ({
      token,
      to: addressOf(`stranger ${index}`),
      units: UNITS,
    }));
    await payTokens(anvil, payments);
    const { number } = await mine(anvil);
    return await measureReads(network, { url: anvil.url, genesisHash: await genesisOf(anvil.url) }, number, seconds);
  } finally {
    await anvil.stop();
  }
}
