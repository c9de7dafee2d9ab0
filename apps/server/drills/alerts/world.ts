import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FailingCluster } from '../../rig/database/failing-cluster.ts';
import { startFailingCluster } from '../../rig/database/failing-cluster.ts';
import type { OpenedDatabase } from '../../rig/database/role-database.ts';
import { openWithRoles, prepareWithRoles } from '../../rig/database/role-database.ts';
import { createDatabase } from '../../rig/database/temporary-database.ts';
import { freePort } from '../../rig/fakes/listen.ts';
import type { PriceServers } from '../../rig/fakes/price-servers.ts';
import { priceSettings, startPriceServers } from '../../rig/fakes/price-servers.ts';
import { makeMailCertificate } from '../../rig/mail/mail-certificate.ts';
import type { SmtpReceiver } from '../../rig/mail/smtp-receiver.ts';
import { startSmtpReceiver } from '../../rig/mail/smtp-receiver.ts';
import type { Closers } from '../../rig/site/site-processes.ts';
import { waitUntilPayable } from '../../rig/site/site-processes.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { nextAddress, openStore, TESTER } from '../../rig/stores/open-store.ts';
import type { Receiver } from '../../rig/webhooks/receiver.ts';
import { startReceiver } from '../../rig/webhooks/receiver.ts';
import { genesisOf } from '../../rig/chains/genesis.ts';
import { NETWORKS } from '../../rig/chains/networks.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { writeKeyRing } from '../../src/secrets/key-ring.ts';
import { addWallet } from '../../src/wallets/add-wallet.ts';
import type { Operator } from './operator.ts';
import { startOperator } from './operator.ts';
import type { NodeName, Nodes } from './nodes.ts';
import { startNodes } from './nodes.ts';
import type { Processes } from './processes.ts';
import { createProcesses } from './processes.ts';

/** The installation that the drill breaks, with real processes, and everything around it. */

export type World = {
  cluster: FailingCluster;
  database: OpenedDatabase['database'];
  url: string;
  nodes: Record<NodeName, Nodes>;
  prices: PriceServers;
  mail: SmtpReceiver;
  /** The merchant's receiver of webhooks. */
  shop: Receiver;
  operator: Operator;
  store: TestStore;
  /** Writes the ring file as it should be. */
  writeRing(): Promise<void>;
  /** Writes a ring file that cannot be read. */
  breakRing(): Promise<void>;
  processes: Processes;
  /** Settings with which the operator examines the installation. */
  doctorSettings: Readonly<Record<string, string>>;
};

const DATABASE = 'counterfoil';
/** The log of the database is archived, and small beside the disk. */
const CLUSTER = {
  megabytes: 768,
  settings: { max_connections: '200', max_wal_size: '128MB', min_wal_size: '32MB', archive_mode: 'on' },
};
const CONNECTIONS = 4;
const LIFETIME_MINUTES = 60;
const HEALTHY: readonly NodeName[] = ['BSC', 'ETH', 'AVAX'];
/** How often a worker reads a network. */
const POLL_MS = '500';

async function openShop(world: Pick<World, 'database'>): Promise<TestStore> {
  const { database } = world;
  const store = await openStore(database, { lifetimeMinutes: LIFETIME_MINUTES, wallet: false });
  const context = { networks: NETWORKS, database, clock: systemClock, jobs: undefined };
  for (const network of HEALTHY)
    await addWallet(context, TESTER, { store: store.ref, network, address: nextAddress() });
  return store;
}

async function startMail(closers: Closers) {
  const certificate = await makeMailCertificate();
  closers.push(() => certificate.remove());
  const mail = await startSmtpReceiver({ certificate });
  closers.push(() => mail.stop());
  return { mail, trusted: certificate.path };
}

async function startDatabase(closers: Closers) {
  const cluster = await startFailingCluster(CLUSTER);
  closers.push(() => cluster.stop());
  const url = await createDatabase(cluster.url, DATABASE);
  await prepareWithRoles(url);
  const opened = openWithRoles(url, CONNECTIONS, 'counterfoil-drill');
  closers.push(() => opened.close());
  return { cluster, url, database: opened.database };
}

async function startAllNodes(closers: Closers): Promise<Record<NodeName, Nodes>> {
  const started = await Promise.all(HEALTHY.map(async (name) => [name, await startNodes(name, closers)] as const));
  return Object.fromEntries(started) as Record<NodeName, Nodes>;
}

/** Settings of the networks: for the worker through the proxies, for the doctor at the nodes. */
async function nameNodes(nodes: World['nodes']) {
  const followed: Record<string, string> = {};
  const examined: Record<string, string> = {};
  for (const name of HEALTHY) {
    const { anvil, urls } = nodes[name];
    const genesis = { [`COUNTERFOIL_GENESIS_${name}`]: (await genesisOf(anvil.url)) ?? '' };
    Object.assign(followed, genesis, { [`COUNTERFOIL_RPC_${name}`]: urls });
    Object.assign(examined, genesis, { [`COUNTERFOIL_RPC_${name}`]: anvil.url });
  }
  return { followed, examined };
}

export async function startWorld(closers: Closers): Promise<World> {
  const [{ cluster, url, database }, nodes, { mail, trusted }] = await Promise.all([
    startDatabase(closers),
    startAllNodes(closers),
    startMail(closers),
  ]);
  const prices = await startPriceServers(systemClock);
  closers.push(() => prices.close());
  const shop = await startReceiver(() => systemClock.nowMs());
  closers.push(() => shop.close());
  const operator = await startOperator();
  closers.push(() => operator.close());
  const store = await openShop({ database });
  shop.secrets.set(store.merchantId, store.webhookSecret);
  const folder = await mkdtemp(join(tmpdir(), 'counterfoil-alerts-'));
  closers.push(() => rm(folder, { recursive: true }));
  const keyRingFile = join(folder, 'key-ring.json');
  const writeRing = async () => {
    await rm(keyRingFile, { force: true });
    await writeKeyRing(keyRingFile, store.ring);
  };
  await writeRing();
  const settings = {
    NODE_EXTRA_CA_CERTS: trusted,
    COUNTERFOIL_KEY_RING_FILE: keyRingFile,
    COUNTERFOIL_MAIL_URL: mail.url,
    COUNTERFOIL_MAIL_FROM: 'Counterfoil <no-reply@counterfoil.example>',
  };
  const { followed, examined } = await nameNodes(nodes);
  const working = { ...priceSettings(prices), ...operator.settings, ...followed, COUNTERFOIL_POLL_MS: POLL_MS };
  const dashboardUrl = `http://localhost:${await freePort()}`;
  const processes = await createProcesses({ url, settings, working, dashboardUrl }, closers);
  await processes.startAll();
  await waitUntilPayable(database, HEALTHY.length, ['USDT']);
  const breakRing = () => writeFile(keyRingFile, 'no key ring');
  const doctorSettings = {
    ...settings,
    ...priceSettings(prices),
    ...examined,
    COUNTERFOIL_CHECKOUT_URL: processes.api().url,
    COUNTERFOIL_DASHBOARD_URL: dashboardUrl,
  };
  const parts = { cluster, database, url, nodes, prices, mail, shop, operator, store };
  return { ...parts, writeRing, breakRing, processes, doctorSettings };
}
