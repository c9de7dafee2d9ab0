import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/lib/clock.ts';
import { addWallet } from '../../src/wallets/add-wallet.ts';
import { followNetwork, setPrices } from '../../rig/site/market.ts';
import type { CountingNode } from '../../rig/fakes/counting-node.ts';
import { startCountingNode } from '../../rig/fakes/counting-node.ts';
import type { ServerProcess } from '../../rig/processes/server-process.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { nextAddress, openStore, TESTER } from '../../rig/stores/open-store.ts';
import { startApi } from '../../rig/processes/server-process.ts';
import { withDrillDatabase } from '../../rig/database/drill-database.ts';
import { NETWORKS } from '../../rig/chains/networks.ts';

/**
 * A real API process in production mode behind a proxy, a store that can be paid on two networks, and nodes that count
 * calls.
 */

export type Site = {
  server: ServerProcess;
  store: TestStore;
  nodes: readonly CountingNode[];
  /** Folder for the files that floods read. */
  folder: string;
  /** Seed of the codes and hashes that floods invent. */
  seed: number;
  /** Writes networks and prices as if they had been read just now. */
  refresh(): Promise<void>;
};

const FOLLOWED = ['BSC', 'ETH'] as const;
const BYTES_PER_MEGABYTE = 1_048_576;
const BYTES_PER_KILOBYTE = 1_024;

export async function withSite(seed: number, use: (site: Site) => Promise<void>): Promise<void> {
  await withDrillDatabase(async ({ url, database }) => {
    // The store's credit is far more than the fees of all create calls of a run.
    const store = await openStore(database, { creditMicroUsd: 100_000_000_000n });
    await addWallet({ networks: NETWORKS, database, clock: systemClock, jobs: undefined }, TESTER, {
      store: store.ref,
      network: 'ETH',
      address: nextAddress(),
    });
    const refresh = async () => {
      for (const network of FOLLOWED) await followNetwork(database, network);
      await setPrices(database);
    };
    await refresh();
    const nodes = await Promise.all(FOLLOWED.map(() => startCountingNode()));
    const folder = mkdtempSync(join(tmpdir(), 'counterfoil-attack-'));
    const server = await startApi(url, {
      COUNTERFOIL_ENVIRONMENT: 'production',
      COUNTERFOIL_TRUSTED_PROXIES: '127.0.0.1',
      COUNTERFOIL_LOG_LEVEL: 'warn',
      ...Object.fromEntries(FOLLOWED.map((network, place) => [`COUNTERFOIL_RPC_${network}`, nodes[place]?.url ?? ''])),
    });
    try {
      await use({ server, store, nodes, folder, seed, refresh });
    } finally {
      await server.stop();
      await Promise.all(nodes.map((node) => node.close()));
      rmSync(folder, { recursive: true });
    }
  });
}

/** Headers that a proxy adds to a visitor's request: the visitor's IP address, and that the request came by https. */
export function visitorHeaders(address: string): Record<string, string> {
  return { 'x-forwarded-for': address, 'x-forwarded-proto': 'https' };
}

export async function createInvoice({ server, store }: Site): Promise<string | undefined> {
  const response = await fetch(`${server.url}/payment/crypto`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': store.apiKey, ...visitorHeaders('192.0.2.1') },
    body: JSON.stringify({ merchant_id: store.merchantId, amount: '10.00' }),
  });
  const body = (await response.json()) as { data?: { trans_id: string } };
  return body.data?.trans_id;
}

export async function requireInvoice(site: Site): Promise<string> {
  const transId = await createInvoice(site);
  if (transId === undefined) throw new Error('No invoice could be created.');
  return transId;
}

export function postAs(site: Site, address: string, path: string, body: unknown): Promise<Response> {
  return fetch(`${site.server.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json', ...visitorHeaders(address) },
    body: JSON.stringify(body),
  });
}

/** Resident memory of the server's process, as the kernel counts it. */
export function residentMegabytes({ server }: Site): number {
  const status = readFileSync(`/proc/${server.child.pid}/status`, 'utf8');
  const kilobytes = Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]);
  return (kilobytes * BYTES_PER_KILOBYTE) / BYTES_PER_MEGABYTE;
}
