import type { Anvil } from '../chains/evm/anvil.ts';
import { startLiveChain } from '../chains/evm/live-chain.ts';
import { changing, startRpcProxy } from '../chains/rpc-proxy.ts';
import { openKeyRingFixture } from '../database/key-ring-fixture.ts';
import type { KeyRingFixture } from '../database/key-ring-fixture.ts';
import type { Template } from '../database/template-database.ts';
import { freePort, LOOPBACK } from '../fakes/listen.ts';
import { priceSettings, startPriceServers } from '../fakes/price-servers.ts';
import type { Caddy } from '../processes/caddy.ts';
import { startCaddy } from '../processes/caddy.ts';
import type { ServerProcess } from '../processes/server-process.ts';
import { startApi, startDashboard, startWorker } from '../processes/server-process.ts';
import type { TestStore } from '../stores/open-store.ts';
import { openStore } from '../stores/open-store.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { openKeyRing } from '../../src/secrets/key-ring.ts';
import type { Closers } from './site-processes.ts';
import { openClosing, waitUntilPayable } from './site-processes.ts';

/**
 * An installation as it runs in production: API, worker and dashboard with the settings of production behind real Caddy,
 * which alone is reached by host names and HTTPS, a store with a wallet, prices and a chain that makes blocks.
 */

export type SecuredSite = Omit<KeyRingFixture, 'close'> & {
  caddy: Caddy;
  api: ServerProcess;
  dashboard: ServerProcess;
  chain: Anvil;
  store: TestStore;
  close(): Promise<void>;
};

const BSC_CHAIN_ID = 56;
/** A block is final eight blocks later: long enough for a page to show that a payment was seen. */
const SLOTS_IN_AN_EPOCH = 4;
const POLL_MS = '100';
const FIRST_BLOCK = '0x0';

/**
 * A node that no longer keeps the first block, as most nodes: the settings of production allow no other first block than
 * the network's own, and that of a local chain is another.
 */
async function startPrunedNode({ url }: Anvil, closers: Closers): Promise<string> {
  const proxy = await startRpcProxy(url);
  closers.push(() => proxy.stop());
  proxy.answer(
    changing(({ method, params }, result) =>
      method === 'eth_getBlockByNumber' && params[0] === FIRST_BLOCK ? null : result,
    ),
  );
  return proxy.url;
}

const PRODUCTION = {
  COUNTERFOIL_ENVIRONMENT: 'production',
  // The address that Caddy connects from, and nothing else of this machine.
  COUNTERFOIL_TRUSTED_PROXIES: `${LOOPBACK}/32`,
};

async function buildSite(template: Template, closers: Closers): Promise<Omit<SecuredSite, 'close'>> {
  const fixture = await openKeyRingFixture(template);
  closers.push(() => fixture.close());
  const store = await openStore(fixture.database, { ring: await openKeyRing(fixture.path) });
  const prices = await startPriceServers(systemClock);
  closers.push(() => prices.close());
  const chain = await startLiveChain({ chainId: BSC_CHAIN_ID, slotsInAnEpoch: SLOTS_IN_AN_EPOCH });
  closers.push(() => chain.stop());
  const node = await startPrunedNode(chain, closers);
  const [apiPort, dashboardPort] = [await freePort(), await freePort()];
  const caddy = await startCaddy({ api: `${LOOPBACK}:${apiPort}`, dashboard: `${LOOPBACK}:${dashboardPort}` });
  closers.push(() => caddy.stop());
  const pages = { COUNTERFOIL_CHECKOUT_URL: caddy.checkoutUrl, COUNTERFOIL_DASHBOARD_URL: caddy.dashboardUrl };
  const ring = { COUNTERFOIL_KEY_RING_FILE: fixture.path };
  // One node under two names, which are two providers.
  const nodes = { COUNTERFOIL_RPC_BSC: `${node},${node.replace(LOOPBACK, 'localhost')}` };
  const api = await startApi(fixture.url, { ...PRODUCTION, ...pages, ...nodes, COUNTERFOIL_PORT: String(apiPort) });
  closers.push(() => api.stop());
  const ports = { COUNTERFOIL_DASHBOARD_PORT: String(dashboardPort) };
  const dashboard = await startDashboard(fixture.url, { ...PRODUCTION, ...pages, ...ring, ...ports });
  closers.push(() => dashboard.stop());
  const reading = { ...nodes, ...priceSettings(prices), COUNTERFOIL_POLL_MS: POLL_MS };
  const worker = await startWorker(fixture.url, { ...PRODUCTION, ...ring, ...reading });
  closers.push(() => worker.stop());
  await waitUntilPayable(fixture.database, 1, ['USDT']);
  await caddy.untilReached();
  return { ...fixture, caddy, api, dashboard, chain, store };
}

export const openSecuredSite = (template: Template): Promise<SecuredSite> =>
  openClosing((closers) => buildSite(template, closers));
