import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withDrillDatabase } from '../drills/drill-database.ts';
import type { Database } from '../src/db/database.ts';
import { systemClock } from '../src/lib/clock.ts';
import { rest } from '../src/lib/loop.ts';
import { writeKeyRing } from '../src/secrets/key-ring.ts';
import { addWallet } from '../src/wallets/add-wallet.ts';
import type { PriceServers } from '../test/fakes/price-servers.ts';
import { startPriceServers } from '../test/fakes/price-servers.ts';
import type { TestStore } from '../test/harness.ts';
import { openStore, startApi, startWorker, TESTER } from '../test/harness.ts';
import type { DemoChain } from './chains.ts';
import { DEMO_NETWORKS, startDemoChain } from './chains.ts';
import { startShop } from './shop.ts';
import type { Shop } from './shop.ts';
import { createWallet } from './wallet.ts';

/** Everything that a purchase needs, on this machine alone: database, nodes, prices, API, checkout, worker, shop. */

const HOST = '127.0.0.1';
const API_PORT = 3000;
const SHOP_PORT = 4000;
const LIFETIME_MINUTES = 10;
const READY_MS = 60_000;
const LOOK_MS = 100;
const PRICED = ['USDT', 'ETH', 'BNB', 'TRX', 'SOL'];

export type Demo = { shop: Shop; apiUrl: string; store: TestStore };

function tryPort(port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(port, HOST, () => {
      const address = server.address();
      const found = address !== null && typeof address !== 'string' ? address.port : port;
      server.close(() => resolve(found));
    });
  });
}

/** The usual port, or any other when that is taken. */
function freePort(preferred: number): Promise<number> {
  return tryPort(preferred).catch(() => tryPort(0));
}

async function startChains(closers: (() => unknown)[]): Promise<DemoChain[]> {
  const chains: DemoChain[] = [];
  for (const network of DEMO_NETWORKS) {
    const chain = await startDemoChain(network);
    chains.push(chain);
    closers.push(() => chain.stop());
  }
  return chains;
}

/** Prices are known and every network is followed: what the checkout offers can be chosen. */
async function untilReady(database: Database): Promise<void> {
  for (const until = systemClock.nowMs() + READY_MS; systemClock.nowMs() < until;) {
    const { rows } = await database.pool.query<{ ready: boolean }>(
      `select (select count(*) from (select token from price_reports where token = any($2) group by token having count(*) > 1) p) = cardinality($2)
         and (select count(*) from chains) = $1 as ready`,
      [DEMO_NETWORKS.length, PRICED],
    );
    if (rows[0]?.ready === true) return;
    await rest(LOOK_MS, new AbortController().signal);
  }
  throw new Error('Prices or chains did not arrive.');
}

async function openShopStore(database: Database, chains: readonly DemoChain[]): Promise<TestStore> {
  const store = await openStore(database, { lifetimeMinutes: LIFETIME_MINUTES, wallet: false });
  await database.pool.query(`update stores set name = 'Slow Cup' where merchant_id = $1`, [store.merchantId]);
  for (const { network, receiving } of chains) {
    await addWallet({ database, clock: systemClock }, TESTER, {
      store: store.ref,
      network,
      address: receiving,
    });
  }
  return store;
}

type Site = {
  url: string;
  database: Database;
  chains: readonly DemoChain[];
  prices: PriceServers;
  folder: string;
  say: (text: string) => void;
};

/** The processes and the shop; each that is up says how it ends. */
async function startAll(site: Site, closers: (() => unknown)[]): Promise<Demo> {
  const { url, database, chains, prices, say } = site;
  const store = await openShopStore(database, chains);
  const keyRingFile = join(site.folder, 'key-ring.json');
  await writeKeyRing(keyRingFile, store.ring);
  const port = await freePort(API_PORT);
  const apiUrl = `http://${HOST}:${port}`;
  const nodes = chains.map((chain) => [`COUNTERFOIL_RPC_${chain.network}`, chain.url]);
  const settings = {
    COUNTERFOIL_LOG_LEVEL: 'warn',
    COUNTERFOIL_PRIVATE_CALLBACKS: 'allow',
    ...(Object.fromEntries(nodes) as Record<string, string>),
  };
  const api = await startApi(url, { ...settings, COUNTERFOIL_PORT: String(port), COUNTERFOIL_CHECKOUT_URL: apiUrl });
  closers.push(() => api.stop());
  const worker = await startWorker(url, {
    ...settings,
    COUNTERFOIL_KEY_RING_FILE: keyRingFile,
    COUNTERFOIL_POLL_MS: '200',
    COUNTERFOIL_PRICE_BINANCE_URL: prices.binance.url,
    COUNTERFOIL_PRICE_KRAKEN_URL: prices.kraken.url,
    COUNTERFOIL_PRICE_COINBASE_URL: prices.coinbase.url,
  });
  closers.push(() => worker.stop());
  await untilReady(database);
  const { apiKey, merchantId, webhookSecret } = store;
  const wallet = createWallet(chains);
  const shop = await startShop({ apiUrl, apiKey, merchantId, webhookSecret, wallet, host: HOST, port: SHOP_PORT, say });
  closers.push(() => shop.close());
  return { shop, apiUrl, store };
}

async function closeAll(closers: readonly (() => unknown)[]): Promise<void> {
  for (const close of closers.toReversed()) await close();
}

/** Brings everything up, lets `use` have it, and takes everything down again, whatever happened. */
export async function withDemo(say: (text: string) => void, use: (demo: Demo) => Promise<void>): Promise<void> {
  const closers: (() => unknown)[] = [];
  try {
    const prices = await startPriceServers(systemClock);
    closers.push(() => prices.close());
    const chains = await startChains(closers);
    say(`${DEMO_NETWORKS.join(', ')}: nodes with test tokens make a block every second`);
    const folder = mkdtempSync(join(tmpdir(), 'counterfoil-demo-'));
    closers.push(() => rmSync(folder, { recursive: true }));
    await withDrillDatabase(async ({ url, database }) => {
      const processes: (() => unknown)[] = [];
      try {
        await use(await startAll({ url, database, chains, prices, folder, say }, processes));
      } finally {
        await closeAll(processes);
      }
    });
  } finally {
    await closeAll(closers);
  }
}
