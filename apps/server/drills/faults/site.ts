import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Anvil } from '../../rig/chains/evm/anvil.ts';
import { startLiveChain } from '../../rig/chains/evm/live-chain.ts';
import { NETWORKS } from '../../rig/chains/networks.ts';
import type { FailingCluster } from '../../rig/database/failing-cluster.ts';
import { startFailingCluster } from '../../rig/database/failing-cluster.ts';
import { ALICE } from '../../rig/database/key-ring-fixture.ts';
import { openWithRoles, prepareWithRoles } from '../../rig/database/role-database.ts';
import { createDatabase } from '../../rig/database/temporary-database.ts';
import { freePort, LOOPBACK } from '../../rig/fakes/listen.ts';
import { priceSettings, startPriceServers } from '../../rig/fakes/price-servers.ts';
import { makeMailCertificate } from '../../rig/mail/mail-certificate.ts';
import type { SmtpReceiver } from '../../rig/mail/smtp-receiver.ts';
import { startSmtpReceiver } from '../../rig/mail/smtp-receiver.ts';
import type { RigPerson } from '../../rig/people/make-person.ts';
import { enter, makePerson } from '../../rig/people/make-person.ts';
import type { ServerProcess, WorkerProcess } from '../../rig/processes/server-process.ts';
import { startApi, startDashboard, startWorker } from '../../rig/processes/server-process.ts';
import type { Supervised } from '../../rig/processes/supervise-process.ts';
import { superviseProcess } from '../../rig/processes/supervise-process.ts';
import type { Closers } from '../../rig/site/site-processes.ts';
import { openClosing, waitUntilPayable } from '../../rig/site/site-processes.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { nextAddress, openStore, TESTER } from '../../rig/stores/open-store.ts';
import type { Receivers } from '../../rig/webhooks/receivers.ts';
import { startReceivers } from '../../rig/webhooks/receivers.ts';
import { secretsOf } from '../../rig/webhooks/write-events.ts';
import type { Database } from '../../src/db/database.ts';
import { openDatabase, closeDatabase } from '../../src/db/database.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { addMember } from '../../src/people/add-member.ts';
import { initKeyRing } from '../../src/secrets/init-key-ring.ts';
import { openKeyRing } from '../../src/secrets/key-ring.ts';
import { addWallet } from '../../src/wallets/add-wallet.ts';
import type { Traffic } from './traffic.ts';
import { recordTraffic } from './traffic.ts';

/** An installation of real processes under supervision, with a PostgreSQL server of its own that is meant to fail. */

export type FaultChain = { network: string; anvil: Anvil; address: string };

export type FaultSite = {
  cluster: FailingCluster;
  database: Database;
  chains: readonly FaultChain[];
  store: TestStore;
  receivers: Receivers;
  mail: SmtpReceiver;
  apis: readonly { name: string; url: string }[];
  /** The dashboard's server as rigs of people expect it; it is always at the same URL. */
  dashboard: { server: ServerProcess; dashboardUrl: string };
  /** All supervised processes, by name. */
  processes: Readonly<Record<string, Supervised<WorkerProcess>>>;
  people: {
    signingIn: readonly RigPerson[];
    /** Email addresses of people who have forgotten their passwords. */
    forgetting: readonly string[];
    owner: { person: RigPerson; account: string };
  };
  traffic: Traffic;
  /** Aborted when the drill is told to stop, and when it ends. */
  signal: AbortSignal;
};

export type SiteSizes = { signingIn: number; forgetting: number };

const CHAIN_IDS = { BSC: 56, ETH: 1 } as const;
const SLOTS_IN_AN_EPOCH = 2;
const POLL_MS = '200';
/** Disk of the database: several times what the drill writes. Small log segments: a full disk ends the server too. */
const CLUSTER = {
  megabytes: 512,
  segmentMegabytes: 1,
  supervised: true,
  settings: {
    max_connections: '90',
    shared_buffers: '64MB',
    min_wal_size: '2MB',
    max_wal_size: '32MB',
    checkpoint_timeout: '30s',
  },
};
const HOSTS = 4;
const CONNECTIONS = 4;
const CREDIT_MICRO_USD = 1_000_000_000_000n;
/** Every process waits as long for the database as it does in production. */
const IMPATIENT = { COUNTERFOIL_DATABASE_WAIT_SECONDS: '2', COUNTERFOIL_LOG_LEVEL: 'error' };
/** Name of the dashboard's server among the processes. */
export const DASHBOARD = 'dashboard';
const APIS = ['api-1', 'api-2'];
const WORKERS = ['worker-1', 'worker-2'];

async function openChains(database: Database, store: TestStore, closers: Closers): Promise<FaultChain[]> {
  const chains: FaultChain[] = [];
  for (const [network, chainId] of Object.entries(CHAIN_IDS)) {
    const anvil = await startLiveChain({ chainId, slotsInAnEpoch: SLOTS_IN_AN_EPOCH });
    closers.push(() => anvil.stop());
    const address = nextAddress();
    const context = { networks: NETWORKS, database, clock: systemClock, jobs: undefined };
    await addWallet(context, TESTER, { store: store.ref, network, address });
    chains.push({ network, anvil, address });
  }
  return chains;
}

async function startMail(closers: Closers) {
  const certificate = await makeMailCertificate();
  closers.push(() => certificate.remove());
  const receiver = await startSmtpReceiver({ certificate });
  closers.push(() => receiver.stop());
  const settings = {
    COUNTERFOIL_MAIL_URL: receiver.url,
    COUNTERFOIL_MAIL_FROM: 'Counterfoil <no-reply@counterfoil.example>',
  };
  return { receiver, settings, trust: { NODE_EXTRA_CA_CERTS: certificate.path } };
}

type Settings = Record<string, string>;
type Ground = { url: string; keyRingFile: string; chains: readonly FaultChain[] };

/** Starts the processes, each under supervision and always at the same port, as a load balancer expects. */
async function startProcesses({ url, keyRingFile, chains }: Ground, closers: Closers) {
  const mail = await startMail(closers);
  const prices = await startPriceServers(systemClock);
  closers.push(() => prices.close());
  const processes: Record<string, Supervised<WorkerProcess>> = {};
  const supervise = async <Started extends WorkerProcess>(name: string, start: () => Promise<Started>) => {
    const supervised = await superviseProcess(start);
    processes[name] = supervised;
    closers.push(() => supervised.stop());
    return supervised.first;
  };
  const dashboardPort = await freePort();
  const common: Settings = {
    ...IMPATIENT,
    ...mail.settings,
    COUNTERFOIL_KEY_RING_FILE: keyRingFile,
    COUNTERFOIL_PRIVATE_CALLBACKS: 'allow',
    COUNTERFOIL_TRUSTED_PROXIES: LOOPBACK,
    COUNTERFOIL_DASHBOARD_URL: `http://localhost:${dashboardPort}`,
    ...Object.fromEntries(chains.map(({ network, anvil }) => [`COUNTERFOIL_RPC_${network}`, anvil.url])),
  };
  const startOneApi = async (name: string) => {
    const port = await freePort();
    const api = { name, url: `http://${LOOPBACK}:${port}` };
    const settings = { ...common, COUNTERFOIL_PORT: String(port), COUNTERFOIL_CHECKOUT_URL: api.url };
    await supervise(name, () => startApi(url, settings));
    return api;
  };
  const reading = { ...priceSettings(prices), ...mail.trust, COUNTERFOIL_POLL_MS: POLL_MS };
  const pages = { COUNTERFOIL_KEY_RING_FILE: keyRingFile, COUNTERFOIL_DASHBOARD_PORT: String(dashboardPort) };
  const starting = [
    Promise.all(APIS.map(startOneApi)),
    supervise(DASHBOARD, () => startDashboard(url, { ...common, ...pages })),
    ...WORKERS.map((name) => supervise(name, () => startWorker(url, { ...common, ...reading }))),
  ] as const;
  // All of them can be closed before one that did not start is reported.
  await Promise.allSettled(starting);
  const [apis, server] = await Promise.all(starting);
  const dashboard = { server, dashboardUrl: `http://localhost:${dashboardPort}` };
  return { processes, apis, dashboard, mail: mail.receiver };
}

type Served = Pick<FaultSite, 'database' | 'dashboard'>;

/** Makes the owner of the store's merchant, who is signed in. */
async function makeOwner({ database, dashboard }: Served, { merchantAccountId }: TestStore) {
  const person = await makePerson({ database, ...dashboard });
  const context = { database, clock: systemClock, jobs: undefined };
  await addMember(context, TESTER, { merchantAccountId, personCode: person.code, role: 'owner' });
  await enter({ database, ...dashboard }, person);
  const { rows } = await database.pool.query<{ code: string }>('select code from merchants where id = $1', [
    merchantAccountId,
  ]);
  return { person, account: rows[0]?.code ?? '' };
}

async function makePeople(served: Served, store: TestStore, { signingIn, forgetting }: SiteSizes) {
  const people: RigPerson[] = [];
  while (people.length < signingIn + forgetting)
    people.push(await makePerson({ database: served.database, ...served.dashboard }));
  const mails = people.slice(signingIn).map(({ mail }) => mail);
  return { signingIn: people.slice(0, signingIn), forgetting: mails, owner: await makeOwner(served, store) };
}

async function build(sizes: SiteSizes, signal: AbortSignal, closers: Closers): Promise<FaultSite> {
  const cluster = await startFailingCluster(CLUSTER);
  closers.push(() => cluster.stop());
  const url = await createDatabase(cluster.url, 'counterfoil_faults');
  await prepareWithRoles(url);
  const prepared = openWithRoles(url, CONNECTIONS, 'counterfoil-drill');
  closers.push(() => prepared.close());
  const folder = await mkdtemp(join(tmpdir(), 'counterfoil-faults-'));
  closers.push(() => rm(folder, { recursive: true }));
  const keyRingFile = join(folder, 'ring.json');
  await initKeyRing({ database: prepared.database, clock: systemClock, keyRingFile }, ALICE);
  const ring = await openKeyRing(keyRingFile);
  const store = await openStore(prepared.database, { ring, wallet: false, creditMicroUsd: CREDIT_MICRO_USD });
  const chains = await openChains(prepared.database, store, closers);
  const receivers = await startReceivers(HOSTS);
  closers.push(() => receivers.stop());
  await receivers.expect('clock', secretsOf([store]));
  await receivers.setMood('slow');
  const processes = await startProcesses({ url, keyRingFile, chains }, closers);
  await waitUntilPayable(prepared.database, chains.length, ['USDT']);
  const people = await makePeople({ ...processes, database: prepared.database }, store, sizes);
  // The drill's own statements must notice a lost connection soon.
  const database = openDatabase({ url, connections: CONNECTIONS, name: 'counterfoil-drill' }, () => {});
  closers.push(() => closeDatabase(database));
  return { ...processes, cluster, database, chains, store, receivers, people, traffic: recordTraffic(), signal };
}

export async function withFaultSite<T>(
  sizes: SiteSizes,
  stopping: AbortSignal,
  use: (site: FaultSite) => Promise<T>,
): Promise<T> {
  const ending = new AbortController();
  const signal = AbortSignal.any([stopping, ending.signal]);
  const { close, ...site } = await openClosing((closers) => build(sizes, signal, closers));
  try {
    return await use(site);
  } finally {
    ending.abort();
    await close();
  }
}
