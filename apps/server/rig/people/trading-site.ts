import { systemClock } from '../../src/lib/clock.ts';
import type { Anvil } from '../chains/evm/anvil.ts';
import { startLiveChain } from '../chains/evm/live-chain.ts';
import type { Template } from '../database/template-database.ts';
import type { HttpReceiver } from '../fakes/http-receiver.ts';
import { startHttpReceiver } from '../fakes/http-receiver.ts';
import { freePort, LOOPBACK } from '../fakes/listen.ts';
import { priceSettings, startPriceServers } from '../fakes/price-servers.ts';
import type { ServerProcess } from '../processes/server-process.ts';
import { startApi } from '../processes/server-process.ts';
import type { Closers } from '../site/site-processes.ts';
import { openClosing, waitUntilPayable } from '../site/site-processes.ts';
import { offerTopups } from '../stores/seed-money.ts';
import type { AppSite } from './app-site.ts';
import { openAppSite } from './app-site.ts';

/**
 * Everything that a merchant's team and customers meet: the dashboard with real emails, the API with its payment pages,
 * a worker that reads a chain from two providers, prices, top-ups, and the merchant's own server.
 */

export type TradingSite = AppSite & { api: ServerProcess; chain: Anvil; shop: HttpReceiver };

const BSC_CHAIN_ID = 56;
/** A block is final two blocks later. */
const SLOTS_IN_AN_EPOCH = 1;
const POLL_MS = '100';

async function buildSite(
  template: Template,
  more: Record<string, string>,
  closers: Closers,
): Promise<Omit<TradingSite, 'close'>> {
  const shop = await startHttpReceiver();
  closers.push(() => shop.close());
  const prices = await startPriceServers(systemClock);
  closers.push(() => prices.close());
  const chain = await startLiveChain({ chainId: BSC_CHAIN_ID, slotsInAnEpoch: SLOTS_IN_AN_EPOCH });
  closers.push(() => chain.stop());
  const port = String(await freePort());
  const pages = { COUNTERFOIL_CHECKOUT_URL: `http://${LOOPBACK}:${port}` };
  // The shop has a private address.
  const callbacks = { COUNTERFOIL_PRIVATE_CALLBACKS: 'allow' };
  const settings = { ...pages, ...callbacks, ...more };
  const site = await openAppSite(template, 'Northwind Trading', settings, {
    ...priceSettings(prices),
    ...callbacks,
    // One node under two names, which are two providers.
    COUNTERFOIL_RPC_BSC: `${chain.url},${chain.url.replace(LOOPBACK, 'localhost')}`,
    COUNTERFOIL_POLL_MS: POLL_MS,
  });
  closers.push(() => site.close());
  const api = await startApi(site.url, { ...pages, COUNTERFOIL_PORT: port, COUNTERFOIL_KEY_RING_FILE: site.path });
  closers.push(() => api.stop());
  await offerTopups(site);
  await waitUntilPayable(site.database, 1, ['USDT']);
  return { ...site, api, chain, shop };
}

/** `settings`: more settings of the dashboard's server. */
export const openTradingSite = (template: Template, settings: Record<string, string> = {}): Promise<TradingSite> =>
  openClosing((closers) => buildSite(template, settings, closers));
