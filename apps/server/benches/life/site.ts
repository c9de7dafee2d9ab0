import type { Anvil } from '../../rig/chains/evm/anvil.ts';
import { startAnvil } from '../../rig/chains/evm/anvil.ts';
import { mine } from '../../rig/chains/evm/reorg.ts';
import { installCanonicalTokens } from '../../rig/chains/evm/token.ts';
import type { DrillDatabase } from '../../rig/database/drill-database.ts';
import { freePort } from '../../rig/fakes/listen.ts';
import { startPriceServers } from '../../rig/fakes/price-servers.ts';
import type { ServerProcess, WorkerProcess } from '../../rig/processes/server-process.ts';
import type { Closers } from '../../rig/site/site-processes.ts';
import { startSiteProcesses, waitUntilPayable } from '../../rig/site/site-processes.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { openStore } from '../../rig/stores/open-store.ts';
import { systemClock } from '../../src/lib/clock.ts';
import type { Book } from './book.ts';
import { openBook } from './book.ts';
import type { Buyers } from './buyers.ts';
import { createBuyers } from './buyers.ts';
import { startPayer } from './payer.ts';
import { openShop } from './shop.ts';

/** Everything that a life needs: stores, a chain, prices, an API process, a worker, buyers, payers and receivers. */

export type LifeSite = {
  api: ServerProcess;
  worker: WorkerProcess;
  anvil: Anvil;
  buyers: Buyers;
  book: Book;
  /** Throws the first fault of what runs beside the caller. */
  requireSound: () => void;
};

export type LifeSiteOptions = { stores: number; mostInFlight: number; blockMs: number };

const NETWORK = 'BSC';
const CHAIN_ID = 56;
/** `finalized`, which settles on this network, is twice as many blocks behind the head, as on the real one. */
const SLOTS_IN_AN_EPOCH = 1;
const FIRST_BLOCKS = 10;
/** How often an idle worker asks the node for a new head: the product's default for this network. */
const POLL_MS = 1_000;
const HOSTS = 8;

async function startChain(closers: Closers): Promise<Anvil> {
  const anvil = await startAnvil({ chainId: CHAIN_ID, slotsInAnEpoch: SLOTS_IN_AN_EPOCH });
  closers.push(() => anvil.stop());
  await installCanonicalTokens(anvil);
  await mine(anvil, FIRST_BLOCKS);
  return anvil;
}

export async function openLifeSite(
  { url, database }: DrillDatabase,
  options: LifeSiteOptions,
  closers: Closers,
): Promise<LifeSite> {
  const stores: TestStore[] = [];
  while (stores.length < options.stores) stores.push(await openStore(database));
  const [store] = stores;
  if (!store) throw new Error('There is no store.');
  const faults: unknown[] = [];
  const onFault = (cause: unknown) => void faults.push(cause);
  const book = openBook();
  const prices = await startPriceServers(systemClock);
  closers.push(() => prices.close());
  const anvil = await startChain(closers);
  const payer = startPayer(anvil, { blockMs: options.blockMs, onMined: book.mined, onFault });
  closers.push(() => payer.stop());
  const secrets = new Map(stores.map(({ id, webhookSecret }) => [String(id), webhookSecret]));
  const shop = await openShop({ hosts: HOSTS, secrets, onCompleted: book.told, onFault });
  closers.push(() => shop.close());
  const nodes = [{ network: NETWORK, url: anvil.url }];
  const settings = { COUNTERFOIL_TRUSTED_PROXIES: '127.0.0.1' };
  const port = await freePort();
  const started = { databaseUrl: url, store, nodes, prices, port, pollMs: POLL_MS, settings };
  const { api, worker } = await startSiteProcesses(started, closers);
  await waitUntilPayable(database, nodes.length, ['USDT']);
  const { mostInFlight } = options;
  const buyers = createBuyers({ apiUrl: api().url, stores, shop, payer, book, mostInFlight, onFault });
  closers.push(() => buyers.close());
  const requireSound = () => {
    if (faults.length > 0) throw new Error(`${faults.length} faults, the first:`, { cause: faults[0] });
  };
  return { api: api(), worker, anvil, buyers, book, requireSound };
}
