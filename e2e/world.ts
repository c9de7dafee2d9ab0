import { mkdtemp, rm } from 'node:fs/promises';
import type { IncomingMessage, Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject, vi } from 'vitest';
import { createPacedClock, systemClock } from '../apps/server/src/lib/clock.ts';
import { writeKeyRing } from '../apps/server/src/secrets/key-ring.ts';
import { addWallet } from '../apps/server/src/wallets/add-wallet.ts';
import type { Anvil } from '../apps/server/test/chain/anvil.ts';
import { startAnvil } from '../apps/server/test/chain/anvil.ts';
import { installCanonicalTokens } from '../apps/server/test/chain/token.ts';
import { startPriceServers } from '../apps/server/test/fakes/price-servers.ts';
import type { ServerProcess, TestDatabase, TestStore } from '../apps/server/test/harness.ts';
import {
  nextAddress,
  openStore,
  openTestDatabase,
  startApi,
  startWorker,
  TESTER,
} from '../apps/server/test/harness.ts';

/** All that a customer meets, for real: a shop, the API, a worker, two chains that make blocks, prices. */

export const WITHIN = { timeout: 90_000, interval: 100 };

const CHAIN_IDS = { BSC: 56, ETH: 1 } as const;
export type ChainName = keyof typeof CHAIN_IDS;
/** `finalized` is twice as many blocks behind the head. */
const SLOTS_IN_AN_EPOCH = 4;
const BLOCK_SECONDS = 1;

export type Told = { event: string; trans_id: string };

/** The shop's own website: where customers come back to, and where it is told. */
type ShopSite = { url: string; told: Told[]; server: Server };

export type World = {
  api: () => ServerProcess;
  stopApi: () => Promise<void>;
  startApiAgain: () => Promise<void>;
  chains: Record<ChainName, Anvil>;
  store: TestStore;
  site: ShopSite;
  close: () => Promise<void>;
};

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
}

async function openShopSite(): Promise<ShopSite> {
  const told: Told[] = [];
  const server = createServer((request, response) => {
    void readBody(request).then((body) => {
      if (request.method === 'POST') told.push(JSON.parse(body) as Told);
      return response.writeHead(200, { 'content-type': 'text/html' }).end('<title>Shop</title><h1>Thank you</h1>');
    });
  });
  return { url: await listen(server), told, server };
}

/** The page needs its own address before the process that serves it has one. */
async function freePort(): Promise<number> {
  const server = createServer();
  const { port } = new URL(await listen(server));
  await new Promise((closed) => server.close(closed));
  return Number(port);
}

async function openChain(chainId: number, blockTimeSeconds: number): Promise<Anvil> {
  const anvil = await startAnvil({ chainId, slotsInAnEpoch: SLOTS_IN_AN_EPOCH });
  await installCanonicalTokens(anvil);
  if (blockTimeSeconds !== BLOCK_SECONDS) await anvil.rpc('anvil_setBlockTimestampInterval', [blockTimeSeconds]);
  await anvil.rpc('evm_setIntervalMining', [BLOCK_SECONDS]);
  return anvil;
}

async function waitUntilPayable({ database }: TestDatabase): Promise<void> {
  const ready = async () => {
    const { rows } = await database.pool.query<{ ready: boolean }>(
      `select (select count(*) from chains) = 2 and (select count(*) from price_reports where token = 'USDT') > 1 as ready`,
    );
    return rows[0]?.ready;
  };
  await vi.waitUntil(ready, WITHIN);
}

type WorldOptions = { rate: number; lifetimeMinutes: number };
type Close = () => unknown;

async function buildWorld({ rate, lifetimeMinutes }: WorldOptions, closes: Close[]): Promise<Omit<World, 'close'>> {
  const startedMs = systemClock.nowMs();
  const clock = createPacedClock(systemClock, { rate, fromMs: startedMs });
  const own = await openTestDatabase(inject('adminUrl'), inject('template'));
  closes.push(() => own.drop());
  const site = await openShopSite();
  closes.push(
    () => site.server.closeAllConnections(),
    () => site.server.close(),
  );
  const prices = await startPriceServers(clock);
  closes.push(() => prices.close());
  const BSC = await openChain(CHAIN_IDS.BSC, rate * BLOCK_SECONDS);
  closes.push(() => BSC.stop());
  const ETH = await openChain(CHAIN_IDS.ETH, rate * BLOCK_SECONDS);
  closes.push(() => ETH.stop());
  const store = await openStore(own.database, { wallet: false, lifetimeMinutes, clock });
  for (const network of Object.keys(CHAIN_IDS)) {
    const wallet = { store: store.ref, network, address: nextAddress() };
    await addWallet({ database: own.database, clock }, TESTER, wallet);
  }
  const folder = await mkdtemp(join(tmpdir(), 'counterfoil-e2e-'));
  closes.push(() => rm(folder, { recursive: true }));
  const keyRingFile = join(folder, 'key-ring.json');
  await writeKeyRing(keyRingFile, store.ring);
  const port = String(await freePort());
  const settings = {
    COUNTERFOIL_PORT: port,
    COUNTERFOIL_CHECKOUT_URL: `http://127.0.0.1:${port}`,
    COUNTERFOIL_KEY_RING_FILE: keyRingFile,
    COUNTERFOIL_LOG_LEVEL: 'warn',
    COUNTERFOIL_RPC_BSC: BSC.url,
    COUNTERFOIL_RPC_ETH: ETH.url,
    ...(rate !== 1 && { COUNTERFOIL_CLOCK_PACE: `${String(rate)}@${String(startedMs)}` }),
  };
  let api = await startApi(own.url, settings);
  closes.push(() => api.stop());
  const worker = await startWorker(own.url, {
    ...settings,
    COUNTERFOIL_POLL_MS: '100',
    COUNTERFOIL_PRIVATE_CALLBACKS: 'allow',
    COUNTERFOIL_PRICE_BINANCE_URL: prices.binance.url,
    COUNTERFOIL_PRICE_KRAKEN_URL: prices.kraken.url,
    COUNTERFOIL_PRICE_COINBASE_URL: prices.coinbase.url,
  });
  closes.push(() => worker.stop());
  await waitUntilPayable(own);
  const stopApi = async () => void (await api.stop());
  const startAgain = async () => void (api = await startApi(own.url, settings));
  return { api: () => api, stopApi, startApiAgain: startAgain, chains: { BSC, ETH }, store, site };
}

/** With a rate, time runs that many times as fast, for the processes and for the chains. */
export async function openWorld({ rate = 1, lifetimeMinutes = 30 }: Partial<WorldOptions> = {}): Promise<World> {
  const closes: Close[] = [];
  const close = async () => {
    for (const one of closes.toReversed()) await one();
  };
  try {
    return { ...(await buildWorld({ rate, lifetimeMinutes }, closes)), close };
  } catch (cause) {
    await close();
    throw cause;
  }
}
