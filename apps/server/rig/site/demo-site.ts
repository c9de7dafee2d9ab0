import type { Database } from '../../src/db/database.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { addWallet } from '../../src/wallets/add-wallet.ts';
import { withDrillDatabase } from '../database/drill-database.ts';
import { freePort, LOOPBACK } from '../fakes/listen.ts';
import type { PriceServers } from '../fakes/price-servers.ts';
import { startPriceServers } from '../fakes/price-servers.ts';
import type { TestStore } from '../stores/open-store.ts';
import { openStore, TESTER } from '../stores/open-store.ts';
import type { DemoChain } from './demo-chains.ts';
import { DEMO_NETWORKS, startDemoChain } from './demo-chains.ts';
import { createExchangeApp, startDemoExchange } from './demo-exchange.ts';
import type { DemoShop } from './demo-shop.ts';
import { startDemoShop } from './demo-shop.ts';
import { createWallet } from './demo-wallet.ts';
import type { Closers } from './site-processes.ts';
import { closeAll, startSiteProcesses, waitUntilPayable } from './site-processes.ts';
import { NETWORKS } from '../chains/networks.ts';

/**
 * Everything that a purchase needs, on this machine only: database, nodes, a fake Binance, prices, API, checkout,
 * worker, shop.
 */

const SHOP_PORT = 4000;
const LIFETIME_MINUTES = 10;
const POLL_MS = 200;
const PRICED = ['USDT', 'ETH', 'BNB', 'TRX', 'SOL'];

export type Demo = {
  shop: DemoShop;
  apiUrl: string;
  store: TestStore;
  trying: TestStore;
  /** Where the processes serve their health and metrics. */
  operationsUrls: { api: string; worker: string };
  /** Makes every payment so far on a network final. */
  makeFinal: (network: DemoChain['network']) => Promise<void>;
};

async function startChains(closers: Closers): Promise<DemoChain[]> {
  const chains: DemoChain[] = [];
  for (const network of DEMO_NETWORKS) {
    const chain = await startDemoChain(network);
    chains.push(chain);
    closers.push(() => chain.stop());
  }
  return chains;
}

async function openShopStore(database: Database, chains: readonly DemoChain[]): Promise<TestStore> {
  const store = await openStore(database, { lifetimeMinutes: LIFETIME_MINUTES, wallet: false });
  await database.pool.query(`update stores set name = 'Slow Cup' where merchant_id = $1`, [store.merchantId]);
  for (const { network, receiving } of chains) {
    await addWallet({ networks: NETWORKS, database, clock: systemClock, jobs: undefined }, TESTER, {
      store: store.ref,
      network,
      address: receiving,
    });
  }
  return store;
}

type Surroundings = {
  databaseUrl: string;
  database: Database;
  chains: readonly DemoChain[];
  prices: PriceServers;
  say: (text: string) => void;
};

/** Starts the processes and the shop, and adds a closer for each. */
async function startAll({ databaseUrl, database, chains, prices, say }: Surroundings, closers: Closers): Promise<Demo> {
  const store = await openShopStore(database, chains);
  const trying = await openStore(database, { lifetimeMinutes: LIFETIME_MINUTES, test: true, ring: store.ring });
  await database.pool.query(`update stores set name = 'Slow Cup, test store' where id = $1`, [trying.id]);
  const exchange = await startDemoExchange(database, store);
  closers.push(() => exchange.stop());
  const port = await freePort();
  const apiUrl = `http://${LOOPBACK}:${port}`;
  const processes = await startSiteProcesses(
    { databaseUrl, store, nodes: chains, prices, port, pollMs: POLL_MS },
    closers,
  );
  // One network more than there are chains must be followed: the exchange platform counts as a network.
  await waitUntilPayable(database, chains.length + 1, PRICED);
  const { apiKey, merchantId, webhookSecret } = store;
  const wallet = createWallet(chains);
  const merchant = { apiUrl, apiKey, merchantId, webhookSecret, trying };
  const exchangeApp = createExchangeApp(exchange);
  const shop = await startDemoShop({ ...merchant, wallet, exchangeApp, host: LOOPBACK, port: SHOP_PORT, say });
  closers.push(() => shop.close());
  const makeFinal = async (network: string) => chains.find((chain) => chain.network === network)?.makeFinal();
  const operationsUrls = { api: processes.api().operationsUrl, worker: processes.worker.operationsUrl };
  return { shop, apiUrl, store, trying, operationsUrls, makeFinal };
}

/** Brings the demo's site up, runs `use`, and takes the site down again, also after an error. */
export async function withDemo(say: (text: string) => void, use: (demo: Demo) => Promise<void>): Promise<void> {
  const closers: Closers = [];
  try {
    const prices = await startPriceServers(systemClock);
    closers.push(() => prices.close());
    const chains = await startChains(closers);
    say(`${DEMO_NETWORKS.join(', ')}: nodes with test tokens make a block every second`);
    await withDrillDatabase(async ({ url: databaseUrl, database }) => {
      const processes: Closers = [];
      try {
        await use(await startAll({ databaseUrl, database, chains, prices, say }, processes));
      } finally {
        await closeAll(processes);
      }
    });
  } finally {
    await closeAll(closers);
  }
}
