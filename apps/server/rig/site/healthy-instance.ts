import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { genesisOf } from '../chains/genesis.ts';
import type { Anvil } from '../chains/evm/anvil.ts';
import { startAnvil } from '../chains/evm/anvil.ts';
import { mine } from '../chains/evm/reorg.ts';
import { installCanonicalTokens } from '../chains/evm/token.ts';
import { ALICE } from '../database/key-ring-fixture.ts';
import { PATIENCE_MS, roleUrl } from '../database/role-database.ts';
import type { Template } from '../database/template-database.ts';
import type { TestDatabase } from '../database/test-database.ts';
import { openTestDatabase } from '../database/test-database.ts';
import { LOOPBACK } from '../fakes/listen.ts';
import type { PriceServers } from '../fakes/price-servers.ts';
import { priceSettings, rateUrlsOf, startPriceServers } from '../fakes/price-servers.ts';
import type { MailCertificate } from '../mail/mail-certificate.ts';
import { makeMailCertificate } from '../mail/mail-certificate.ts';
import { serverOf } from '../mail/mail-fixture.ts';
import { startSmtpReceiver } from '../mail/smtp-receiver.ts';
import { startApi, startDashboard, startWorker } from '../processes/server-process.ts';
import type { Closers } from './site-processes.ts';
import { closeAll, waitUntilPayable } from './site-processes.ts';
import type { TestStore } from '../stores/open-store.ts';
import { openStore } from '../stores/open-store.ts';
import { wordRefusal } from '../../src/commands/refusal-words.ts';
import type { FollowedChain } from '../../src/config/chain-settings.ts';
import type { DoctorContext } from '../../src/doctor/run-doctor.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createTransport } from '../../src/mail/create-transport.ts';
import { createNetworks, requireNetwork } from '../../src/networks/networks.ts';
import { createBinanceSource } from '../../src/prices/sources/binance.ts';
import { createCoinbaseSource } from '../../src/prices/sources/coinbase.ts';
import { createKrakenSource } from '../../src/prices/sources/kraken.ts';
import { createRateSources } from '../../src/rates/create-rate-sources.ts';
import { openKeyRing } from '../../src/secrets/key-ring.ts';
import { initKeyRing } from '../../src/secrets/init-key-ring.ts';

/** An installation with nothing wrong: real processes, a real chain, a mail server, price sources and a key ring. */

const BSC = 56;
const BLOCKS = 5;
const HOUR_SECONDS = 3_600;

/** Starts a node with a few blocks, the first of which is `ageSeconds` old; by default its blocks are new. */
export async function startBsc(options: { chainId?: number; ageSeconds?: number } = {}): Promise<Anvil> {
  const { chainId = BSC, ageSeconds } = options;
  const seconds = Math.floor(systemClock.nowMs() / 1_000) - (ageSeconds ?? 10);
  // The node's time advances while the tokens are installed, and must not reach the time of these blocks.
  const timestamp = ageSeconds === undefined ? seconds : seconds - HOUR_SECONDS;
  const chain = await startAnvil({ chainId, timestamp, slotsInAnEpoch: 1 });
  await installCanonicalTokens({ ...chain, chainId: BSC });
  await mine(chain, BLOCKS, ageSeconds === undefined ? {} : { atTime: seconds, secondsBetween: 1 });
  return chain;
}

export async function bscAt(...urls: string[]): Promise<FollowedChain> {
  const genesisHash = await genesisOf(urls[0] ?? '').catch(() => undefined);
  return { network: requireNetwork(createNetworks(), 'BSC'), urls, ...(genesisHash && { genesisHash }) };
}

export type HealthyInstance = {
  context: DoctorContext;
  own: TestDatabase;
  chain: Anvil;
  /** A live store that takes money on BSC. */
  store: TestStore;
  dashboardUrl: string;
  /** The settings of the command line with which an operator would call the doctor here. */
  settings: Record<string, string>;
  folder: string;
  close: () => Promise<void>;
};

const BLOCK_SECONDS = 1;
/** How often the worker looks for new blocks. */
const POLL_MS = '100';

/** A chain that continues, and its two providers: one node under two names. */
async function startGoingBsc(): Promise<{ chain: Anvil; urls: readonly [string, string] }> {
  const chain = await startBsc();
  await chain.rpc('evm_setIntervalMining', [BLOCK_SECONDS]);
  return { chain, urls: [chain.url, chain.url.replace(LOOPBACK, 'localhost')] };
}

type Running = { own: TestDatabase; keyRingFile: string; nodes: readonly string[]; prices: PriceServers };

/** The API, the dashboard's server, and a worker that has read the chain. */
async function startProcesses({ own, keyRingFile, nodes, prices }: Running, closers: Closers) {
  const held = { COUNTERFOIL_KEY_RING_FILE: keyRingFile };
  const [api, dashboard, worker] = await Promise.all([
    startApi(own.url),
    startDashboard(own.url, held),
    startWorker(own.url, {
      ...held,
      ...priceSettings(prices),
      COUNTERFOIL_RPC_BSC: nodes.join(','),
      COUNTERFOIL_POLL_MS: POLL_MS,
    }),
  ]);
  for (const process of [api, dashboard, worker]) closers.push(() => process.stop());
  await waitUntilPayable(own.database, 1, ['USDT']);
  return { api, dashboard };
}

function mailOf(receiver: Awaited<ReturnType<typeof startSmtpReceiver>>, certificate: MailCertificate) {
  return {
    mailServer: serverOf({ receiver }),
    createTransport: (server: Parameters<typeof createTransport>[0]) =>
      createTransport(server, certificate.certificate),
  };
}

async function buildInstance(template: Template, closers: Closers): Promise<Omit<HealthyInstance, 'close'>> {
  const own = await openTestDatabase(template);
  closers.push(() => own.drop());
  const folder = await mkdtemp(join(tmpdir(), 'counterfoil-doctor-'));
  closers.push(() => rm(folder, { recursive: true }));
  const keyRingFile = join(folder, 'ring.json');
  await initKeyRing({ database: own.database, clock: systemClock, keyRingFile }, ALICE);
  const store = await openStore(own.database, { ring: await openKeyRing(keyRingFile) });
  const certificate = await makeMailCertificate();
  closers.push(() => certificate.remove());
  const receiver = await startSmtpReceiver({ certificate });
  closers.push(() => receiver.stop());
  const prices = await startPriceServers(systemClock);
  closers.push(() => prices.close());
  const { chain, urls } = await startGoingBsc();
  closers.push(() => chain.stop());
  const { api, dashboard } = await startProcesses({ own, keyRingFile, nodes: urls, prices }, closers);
  const variables = { COUNTERFOIL_DATABASE_URL: roleUrl(own.url, 'admin'), COUNTERFOIL_KEY_RING_FILE: keyRingFile };
  const followed = await bscAt(...urls);
  const context: DoctorContext = {
    variables,
    process: 'admin',
    database: own.as('admin'),
    databaseWaitMs: PATIENCE_MS,
    databaseConnections: 10,
    databaseBudget: undefined,
    chains: [followed],
    keyRingFile,
    checkoutUrl: api.url,
    dashboardUrl: dashboard.url,
    storePlan: undefined,
    ...mailOf(receiver, certificate),
    priceSources: [
      createBinanceSource(prices.binance.url, systemClock),
      createKrakenSource(prices.kraken.url, systemClock),
      createCoinbaseSource(prices.coinbase.url),
    ],
    rateSources: createRateSources(rateUrlsOf(prices), systemClock),
    resolve: async () => [LOOPBACK],
    clock: systemClock,
    diskFolders: [folder],
    word: wordRefusal,
  };
  const settings = {
    ...variables,
    ...priceSettings(prices),
    COUNTERFOIL_ENVIRONMENT: 'development',
    COUNTERFOIL_RPC_BSC: urls.join(','),
    COUNTERFOIL_GENESIS_BSC: followed.genesisHash ?? '',
    COUNTERFOIL_CHECKOUT_URL: api.url,
    COUNTERFOIL_DASHBOARD_URL: dashboard.url.replace('127.0.0.1', 'localhost'),
  };
  return { context, own, chain, store, dashboardUrl: dashboard.url, settings, folder };
}

export async function startHealthyInstance(template: Template): Promise<HealthyInstance> {
  const closers: Closers = [];
  const close = () => closeAll(closers);
  try {
    return { ...(await buildInstance(template, closers)), close };
  } catch (cause) {
    await close();
    throw cause;
  }
}
