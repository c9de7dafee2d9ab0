import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from '../../src/db/database.ts';
import { writeKeyRing } from '../../src/secrets/key-ring.ts';
import { LOOPBACK } from '../fakes/listen.ts';
import type { PriceServers } from '../fakes/price-servers.ts';
import { priceSettings } from '../fakes/price-servers.ts';
import type { ServerProcess, WorkerProcess } from '../processes/server-process.ts';
import { startApi, startWorker } from '../processes/server-process.ts';
import { waitUntil } from '../processes/wait-until.ts';
import type { TestStore } from '../stores/open-store.ts';

/**
 * The API and a worker on one database, with settings for nodes and prices: all of our processes that a purchase needs.
 */

export type SiteProcesses = {
  api: () => ServerProcess;
  stopApi: () => Promise<void>;
  startApiAgain: () => Promise<void>;
  worker: WorkerProcess;
};

/** Functions that close what is up, called in reverse order. */
export type Closers = (() => unknown)[];

export async function closeAll(closers: Closers): Promise<void> {
  for (const close of closers.toReversed()) await close();
}

/** Builds a site that closes itself; what is already up is closed when the next part does not start. */
export async function openClosing<T extends object>(
  build: (closers: Closers) => Promise<T>,
): Promise<T & { close: () => Promise<void> }> {
  const closers: Closers = [];
  const close = () => closeAll(closers);
  try {
    return { ...(await build(closers)), close };
  } catch (cause) {
    await close();
    throw cause;
  }
}

export type SiteOptions = {
  databaseUrl: string;
  /** A store of the database. The processes get the key ring with which its secrets were sealed. */
  store: TestStore;
  nodes: readonly { network: string; url: string }[];
  prices: PriceServers;
  /** Port of the API and its pages: pages need their URL before the process runs. */
  port: number;
  pollMs: number;
  /** Settings of both processes. */
  settings?: Record<string, string>;
};

export async function startSiteProcesses(options: SiteOptions, closers: Closers): Promise<SiteProcesses> {
  const { databaseUrl, port } = options;
  const folder = await mkdtemp(join(tmpdir(), 'counterfoil-site-'));
  closers.push(() => rm(folder, { recursive: true }));
  const keyRingFile = join(folder, 'key-ring.json');
  await writeKeyRing(keyRingFile, options.store.ring);
  const settings: Record<string, string> = {
    COUNTERFOIL_KEY_RING_FILE: keyRingFile,
    COUNTERFOIL_LOG_LEVEL: 'warn',
    COUNTERFOIL_PRIVATE_CALLBACKS: 'allow',
    ...Object.fromEntries(options.nodes.map(({ network, url }) => [`COUNTERFOIL_RPC_${network}`, url])),
    ...options.settings,
  };
  const checkoutUrl = `http://${LOOPBACK}:${port}`;
  const apiSettings = { ...settings, COUNTERFOIL_PORT: String(port), COUNTERFOIL_CHECKOUT_URL: checkoutUrl };
  let api = await startApi(databaseUrl, apiSettings);
  closers.push(() => api.stop());
  const worker = await startWorker(databaseUrl, {
    ...settings,
    ...priceSettings(options.prices),
    COUNTERFOIL_POLL_MS: String(options.pollMs),
  });
  closers.push(() => worker.stop());
  return {
    api: () => api,
    stopApi: async () => void (await api.stop()),
    startApiAgain: async () => void (api = await startApi(databaseUrl, apiSettings)),
    worker,
  };
}

const READY_MS = 120_000;
const POLL_MS = 100;

/**
 * Waits until the given number of networks is followed and each given token has prices from two sources, so that payers
 * can select them.
 */
export async function waitUntilPayable(database: Database, networks: number, tokens: readonly string[]): Promise<void> {
  const isPayable = async () => {
    const { rows } = await database.pool.query<{ ready: boolean }>(
      `select (select count(*) from (select token from price_reports where token = any($2) group by token having count(*) > 1) p) = cardinality($2)
         and (select count(*) from chains where not starts_with(network, 'sandbox:')) = $1 as ready`,
      [networks, tokens],
    );
    return rows[0]?.ready === true;
  };
  await waitUntil(isPayable, { what: 'Prices or chains did not arrive.', timeoutMs: READY_MS, pollMs: POLL_MS });
}
