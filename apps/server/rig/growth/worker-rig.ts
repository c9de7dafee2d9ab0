import type { Address as SolanaAddress } from '@solana/kit';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import type { Registry } from 'prom-client';
import type { Database } from '../../src/db/database.ts';
import { closeDatabase } from '../../src/db/database.ts';
import { observeAlarms } from '../../src/http/alarm-metrics.ts';
import { observeAudit } from '../../src/http/audit-metrics.ts';
import { observeChains } from '../../src/http/chain-metrics.ts';
import { observeJobs } from '../../src/http/job-metrics.ts';
import { createMetrics } from '../../src/http/metrics.ts';
import { observePrices } from '../../src/http/price-metrics.ts';
import { observeWebhooks } from '../../src/http/webhook-metrics.ts';
import { createAlertLoops } from '../../src/alert-loops.ts';
import { openJobs } from '../../src/jobs/open-jobs.ts';
import type { QuoteRow } from '../../src/quotes/quote.ts';
import type { ManualClock } from '../../src/lib/clock.ts';
import { createCorrectedClock, createManualClock, systemClock } from '../../src/lib/clock.ts';
import { createOutbound } from '../../src/lib/outbound-http.ts';
import { findNetwork, NETWORKS } from '../chains/networks.ts';
import { openPatiently } from '../database/role-database.ts';
import { findToken } from '../../src/networks/network.ts';
import { createCoinbaseSource } from '../../src/prices/sources/coinbase.ts';
import { createKrakenSource } from '../../src/prices/sources/kraken.ts';
import { holdKeyRing } from '../../src/secrets/hold-key-ring.ts';
import { addWallet } from '../../src/wallets/add-wallet.ts';
import type { Reader } from '../../src/worker-loops.ts';
import type { WorkerLoop, WorkerParts } from '../../src/worker-loop.ts';
import { createMailSetupLoop, createMethodLoop, createNoticeLoop } from '../../src/member-loops.ts';
import {
  createAuditLoop,
  createExchangeReaders,
  createKeyCheckLoop,
  createLoops,
  createReader,
  createSandboxReader,
} from '../../src/worker-loops.ts';
import type { Anvil } from '../chains/evm/anvil.ts';
import { startAnvil } from '../chains/evm/anvil.ts';
import { genesisOf } from '../chains/genesis.ts';
import { payNative, payToken } from '../chains/evm/payment.ts';
import { mine } from '../chains/evm/reorg.ts';
import { randomAddress } from '../chains/solana/accounts.ts';
import { USDT } from '../chains/solana/mints.ts';
import type { SolanaNode } from '../chains/solana/node.ts';
import { startSolanaNode } from '../chains/solana/node.ts';
import { paySpl } from '../chains/solana/payment.ts';
import { installCanonicalTokens } from '../chains/evm/token.ts';
import type { HttpReceiver } from '../fakes/http-receiver.ts';
import { startHttpReceiver } from '../fakes/http-receiver.ts';
import type { RiggedExchange } from './rigged-exchange.ts';
import { openRiggedExchange } from './rigged-exchange.ts';
import { startPriceServers } from '../fakes/price-servers.ts';
import { markAsRead } from '../chains/mark-as-read.ts';
import type { TestStore } from '../stores/open-store.ts';
import { nextAddress, openStore, TESTER } from '../stores/open-store.ts';
import type { PastAddresses } from './seed-past.ts';
import type { RecordedStatement } from './recorded-plans.ts';
import { openRecordingDatabase } from './recorded-plans.ts';
import { createMakeInvoice } from '../invoices/make-invoice.ts';
import { selectMethod } from '../invoices/select-method.ts';
import { admitStore } from '../stores/admit-store.ts';
import { runDispatcherUntil } from '../webhooks/run-dispatcher-until.ts';

/** The worker's loops in this process, with real nodes and a database that records the plan of every SQL statement. */

export type WorkerRig = {
  /** Connections of the rig itself, whose SQL statements are not recorded. */
  own: Database;
  /** Connections of the worker, and of commands that give the worker work; their SQL statements are recorded. */
  recorded: Database;
  /** Connection without a time limit, to fill tables. */
  admin: pg.Client;
  clock: ManualClock;
  anvil: Anvil;
  solana: SolanaNode;
  store: TestStore;
  receiver: HttpReceiver;
  addresses: PastAddresses;
  exchange: RiggedExchange;
  registry: Registry;
  loops: WorkerLoop[];
  readers: Reader[];
  /** Reader of the sandbox networks. It is not among `readers`, because it has no metrics. */
  sandbox: Pick<Reader, 'finish'>;
  /** Starts the loops again as a new process would, with nothing remembered. */
  restart: () => Promise<void>;
  take: () => RecordedStatement[];
  dispatchUntil: (done: () => Promise<boolean>) => Promise<void>;
  close: () => Promise<void>;
};

const log = pino({ level: 'silent' });
const CONNECTIONS = 4;
const BSC_CHAIN_ID = 56;
const SLOTS_IN_AN_EPOCH = 8;
/** Poll interval that never passes: the rig decides when followed accounts are due. */
const NEVER_MS = 3_600_000;
const RETENTION_DAYS = 90;
const PRICES = { USDT: '1', USDC: '1', BNB: '600', ETH: '3000', SOL: '150', TRX: '0.3', POL: '0.5', AVAX: '30' };

async function startNodes(nowSeconds: number): Promise<{ anvil: Anvil; solana: SolanaNode }> {
  const anvil = await startAnvil({
    chainId: BSC_CHAIN_ID,
    slotsInAnEpoch: SLOTS_IN_AN_EPOCH,
    timestamp: nowSeconds - 120,
  });
  await installCanonicalTokens(anvil);
  await mine(anvil, 40, { secondsBetween: 1 });
  const solana = await startSolanaNode({ timestamp: nowSeconds - 600 });
  solana.produce(1, { atTime: nowSeconds });
  return { anvil, solana };
}

async function openWallets(
  own: Database,
  clock: ManualClock,
  store: TestStore,
  binance: string,
): Promise<PastAddresses> {
  const add = async (network: string, address: string) =>
    (
      await addWallet({ networks: NETWORKS, database: own, clock, jobs: undefined }, TESTER, {
        store: store.ref,
        network,
        address,
      })
    ).address;
  return {
    bsc: await add('BSC', nextAddress()),
    sol: await add('SOL', randomAddress()),
    binance,
    removed: await add('BSC', nextAddress()),
  };
}

const alertsTo = ({ port }: HttpReceiver) => ({
  email: undefined,
  webhook: { url: `http://127.0.0.1:${port}/alerts`, secret: `whsec_${'A'.repeat(32)}` },
});

/** Registers all of a worker's metrics. */
function observeAll(database: Database, clock: ManualClock): Registry {
  const registry = createMetrics(database.pool);
  observeChains(registry, { database: database, clock: clock, networks: NETWORKS }, []);
  observeWebhooks(registry, database, clock);
  observeAudit(registry, database);
  observeAlarms(registry, database);
  observePrices(registry, database, clock);
  observeJobs(registry, database);
  return registry;
}

async function chainsOf(anvil: Anvil, solana: SolanaNode) {
  const genesisHash = await genesisOf(anvil.url);
  return [
    { network: networkOf('BSC'), urls: [anvil.url], ...(genesisHash !== undefined && { genesisHash }) },
    { network: networkOf('SOL'), urls: [solana.url] },
  ];
}

/** Polls nothing by itself, and asks for no exchange rates. */
const QUIET = { pollMs: NEVER_MS, pace: 1, rateSources: [] };

export async function openWorkerRig(url: string): Promise<WorkerRig> {
  const clock = createManualClock(systemClock.nowMs());
  const { anvil, solana } = await startNodes(Math.floor(clock.nowMs() / 1_000));
  const own = openPatiently({ url, connections: CONNECTIONS, name: 'counterfoil-rig' });
  const { database, take } = openRecordingDatabase(url, CONNECTIONS);
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  const jobs = await openJobs(own, log);
  const store = await openStore(own, { clock, wallet: false });
  const exchange = await openRiggedExchange(own, database, clock, store);
  const addresses = await openWallets(own, clock, store, exchange.account.uid);
  const prices = await startPriceServers(clock);
  Object.assign(prices.prices, PRICES);
  const receiver = await startHttpReceiver();
  const outbound = createOutbound({ allowPrivate: true });
  const parts: WorkerParts = {
    database,
    networks: NETWORKS,
    clock,
    corrected: createCorrectedClock(systemClock),
    log,
    failpoint: () => {},
    owner: 'rig',
    stateFolder: await mkdtemp(join(tmpdir(), 'counterfoil-rig-')),
    priceSources: [createKrakenSource(prices.kraken.url, clock), createCoinbaseSource(prices.coinbase.url)],
    webhookRetentionDays: RETENTION_DAYS,
    ...QUIET,
  };
  const chains = await chainsOf(anvil, solana);
  const alerting = createAlertLoops(parts, alertsTo(receiver), undefined);
  const start = async () => {
    const holder = { id: 'rig', kind: 'worker', host: 'rig', pid: 1 };
    const held = holdKeyRing({ database, log, clock, read: async () => store.ring, holder });
    await held.report();
    await held.leave();
    const exchanges = { ring: held, statements: exchange.statements, gate: exchange.gate };
    const readers = [...chains.map((chain) => createReader(parts, chain)), ...createExchangeReaders(parts, exchanges)];
    const loops = [...createLoops(parts, readers), createKeyCheckLoop(parts, exchanges), ...alerting.loops];
    const sandbox = createSandboxReader(parts);
    const telling = [createMailSetupLoop(parts), createMethodLoop(parts, jobs), createNoticeLoop(parts, jobs)];
    return { readers, sandbox, loops: [...loops, createAuditLoop(parts, store.ring), ...telling, ...sandbox.loops] };
  };
  const dispatchUntil = (done: () => Promise<boolean>) =>
    runDispatcherUntil({ database, clock, outbound, ring: store.ring }, done);
  const close = async () => {
    await Promise.all([outbound.close(), alerting.close(), jobs.close(), admin.end()]);
    await Promise.all([receiver.close(), prices.close(), anvil.stop(), solana.stop(), exchange.fake.stop()]);
    await Promise.all([closeDatabase(database), closeDatabase(own), rm(parts.stateFolder, { recursive: true })]);
  };
  const fixed = {
    own,
    recorded: database,
    admin,
    clock,
    anvil,
    solana,
    store,
    receiver,
    addresses,
    exchange,
    registry: observeAll(database, clock),
    take,
    dispatchUntil,
    close,
  };
  const restart = async () => void Object.assign(rig, await start());
  const rig: WorkerRig = { ...(await start()), ...fixed, restart };
  return rig;
}

export function networkOf(symbol: string) {
  const network = findNetwork(symbol);
  if (!network) throw new Error(`There is no ${symbol}.`);
  return network;
}

/** Creates an invoice by the verb that the API calls; its events go to `path` at the rig's receiver. */
export async function createOne(rig: WorkerRig, path = 'good'): Promise<string> {
  const { own, clock, store, receiver } = rig;
  const body = {
    merchant_id: store.merchantId,
    amount: '50',
    callback_url: `http://127.0.0.1:${receiver.port}/${path}`,
  };
  return createMakeInvoice(own)(await admitStore(own, store), clock, body);
}

export async function quoteOne(rig: WorkerRig, network: string, token: string, path?: string): Promise<QuoteRow> {
  const transId = await createOne(rig, path);
  await markAsRead(rig.admin, rig.clock);
  return selectMethod({ database: rig.own, clock: rig.clock }, { transId, network, token });
}

/** Puts a payment into the node's pool; mines nothing. Returns the transaction's id. */
export async function payOne(rig: WorkerRig, quote: QuoteRow, units: bigint, reference?: string): Promise<string> {
  const contract = findToken(networkOf(quote.network), quote.token)?.contract;
  if (quote.network === 'SOL') {
    const references = reference === undefined ? [] : [reference as SolanaAddress];
    return paySpl(rig.solana, { mint: USDT, to: quote.toAddress as SolanaAddress, units, references });
  }
  const to = quote.toAddress as `0x${string}`;
  if (!contract) return payNative(rig.anvil, { to, units });
  return payToken(rig.anvil, { token: contract as `0x${string}`, to, units });
}

/** Makes blocks on both chains, the first at the clock's time, and moves the clock accordingly. */
export async function grow(rig: WorkerRig, blocks: number): Promise<void> {
  const nowSeconds = Math.floor(rig.clock.nowMs() / 1_000);
  const head = await mine(rig.anvil, blocks, { atTime: nowSeconds, secondsBetween: 1 });
  const top = rig.solana.produce(blocks, { atTime: nowSeconds });
  const latest = Math.max(head.timestamp, top.time);
  rig.clock.advance(Math.max(0, (latest + 1) * 1_000 - rig.clock.nowMs()));
}

const MAX_TURNS = 200;

/** Makes first reads old enough for a second read; their age is judged by database time. */
async function ageReads({ own }: WorkerRig): Promise<void> {
  await own.pool.query(
    `update followed_accounts set next_read_at = '-infinity', read_at = read_at - interval '1 minute',
       earlier_at = earlier_at - interval '1 minute' where state <> 'idle'`,
  );
  // Read ends of chains at even heights get another provider, so that second reads also meet ranges that several
  // providers read first.
  await own.pool.query(
    `update chain_reads set read_at = read_at - interval '1 minute', read_by = case height % 2 when 0 then 'another' else read_by end`,
  );
}

/** Runs loops of the worker until they have nothing left to do, twice, with first reads aged in between. */
export async function drain(rig: WorkerRig, matching: (name: string) => boolean): Promise<void> {
  const loops = rig.loops.filter(({ name }) => matching(name));
  for (const loop of [...loops, ...loops]) {
    await ageReads(rig);
    for (let turns = 0; await loop.body(); turns += 1) {
      await Promise.all([...rig.readers, rig.sandbox].map((reader) => reader.finish()));
      if (turns === MAX_TURNS) throw new Error(`${loop.name} does not come to an end.`);
    }
    await Promise.all([...rig.readers, rig.sandbox].map((reader) => reader.finish()));
  }
}
