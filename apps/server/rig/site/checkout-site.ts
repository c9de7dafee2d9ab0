import type { Server } from 'node:http';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { systemClock } from '../../src/lib/clock.ts';
import type { Database } from '../../src/db/database.ts';
import { addWallet } from '../../src/wallets/add-wallet.ts';
import type { Anvil } from '../chains/evm/anvil.ts';
import type { Template } from '../database/template-database.ts';
import { openTestDatabase } from '../database/test-database.ts';
import { closeServer, freePort, listen, LOOPBACK } from '../fakes/listen.ts';
import { startPriceServers } from '../fakes/price-servers.ts';
import type { TestStore } from '../stores/open-store.ts';
import { nextAddress, openStore, TESTER } from '../stores/open-store.ts';
import type { Closers, SiteProcesses } from './site-processes.ts';
import { openClosing, startSiteProcesses, waitUntilPayable } from './site-processes.ts';
import { startLiveChain } from '../chains/evm/live-chain.ts';
import { NETWORKS } from '../chains/networks.ts';

/**
 * Everything that a customer meets, with real processes: a shop, the API, a worker, two chains that make blocks,
 * prices.
 */

const CHAIN_IDS = { BSC: 56, ETH: 1 } as const;
export type ChainName = keyof typeof CHAIN_IDS;
const SLOTS_IN_AN_EPOCH = 4;
const POLL_MS = 100;

type Told = { event: string; trans_id: string };

/** The shop's website: customers return to it, and it receives webhooks. */
type ShopSite = { url: string; told: Told[]; server: Server };

export type CheckoutSite = SiteProcesses & {
  database: Database;
  chains: Record<ChainName, Anvil>;
  store: TestStore;
  shop: ShopSite;
  close: () => Promise<void>;
};

async function openShopSite(): Promise<ShopSite> {
  const told: Told[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      if (request.method === 'POST') told.push(JSON.parse(body) as Told);
      return response.writeHead(200, { 'content-type': 'text/html' }).end('<title>Shop</title><h1>Thank you</h1>');
    });
  });
  return { url: `http://${LOOPBACK}:${await listen(server)}`, told, server };
}

async function buildSite(template: Template, closers: Closers): Promise<Omit<CheckoutSite, 'close'>> {
  const own = await openTestDatabase(template);
  closers.push(() => own.drop());
  const shop = await openShopSite();
  closers.push(() => closeServer(shop.server));
  const prices = await startPriceServers(systemClock);
  closers.push(() => prices.close());
  const BSC = await startLiveChain({ chainId: CHAIN_IDS.BSC, slotsInAnEpoch: SLOTS_IN_AN_EPOCH });
  closers.push(() => BSC.stop());
  const ETH = await startLiveChain({ chainId: CHAIN_IDS.ETH, slotsInAnEpoch: SLOTS_IN_AN_EPOCH });
  closers.push(() => ETH.stop());
  const chains = { BSC, ETH };
  const store = await openStore(own.database, { wallet: false });
  for (const network of Object.keys(chains)) {
    const wallet = { store: store.ref, network, address: nextAddress() };
    await addWallet(
      { networks: NETWORKS, database: own.database, clock: systemClock, jobs: undefined },
      TESTER,
      wallet,
    );
  }
  const nodes = Object.entries(chains).map(([network, { url }]) => ({ network, url }));
  const port = await freePort();
  const site = { databaseUrl: own.url, store, nodes, prices, port, pollMs: POLL_MS };
  const processes = await startSiteProcesses(site, closers);
  await waitUntilPayable(own.database, nodes.length, ['USDT']);
  return { ...processes, database: own.database, chains, store, shop };
}

export const openCheckoutSite = (template: Template): Promise<CheckoutSite> =>
  openClosing((closers) => buildSite(template, closers));
