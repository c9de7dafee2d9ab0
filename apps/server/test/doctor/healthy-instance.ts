import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { genesisOf } from '../../rig/chains/genesis.ts';
import type { Anvil } from '../../rig/chains/evm/anvil.ts';
import { startAnvil } from '../../rig/chains/evm/anvil.ts';
import { mine } from '../../rig/chains/evm/reorg.ts';
import { installCanonicalTokens } from '../../rig/chains/evm/token.ts';
import { ALICE } from '../../rig/database/key-ring-fixture.ts';
import { roleUrl } from '../../rig/database/role-database.ts';
import type { Template } from '../../rig/database/template-database.ts';
import type { TestDatabase } from '../../rig/database/test-database.ts';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import { startPriceServers } from '../../rig/fakes/price-servers.ts';
import type { MailCertificate } from '../../rig/mail/mail-certificate.ts';
import { makeMailCertificate } from '../../rig/mail/mail-certificate.ts';
import { serverOf } from '../../rig/mail/mail-fixture.ts';
import { startSmtpReceiver } from '../../rig/mail/smtp-receiver.ts';
import { startApi } from '../../rig/processes/server-process.ts';
import { openStore } from '../../rig/stores/open-store.ts';
import { wordRefusal } from '../../src/commands/refusal-words.ts';
import type { FollowedChain } from '../../src/config/chain-settings.ts';
import type { DoctorContext } from '../../src/doctor/run-doctor.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createTransport } from '../../src/mail/create-transport.ts';
import { createNetworks, requireNetwork } from '../../src/networks/networks.ts';
import { createBinanceSource } from '../../src/prices/sources/binance.ts';
import { createCoinbaseSource } from '../../src/prices/sources/coinbase.ts';
import { createKrakenSource } from '../../src/prices/sources/kraken.ts';
import { openKeyRing } from '../../src/secrets/key-ring.ts';
import { initKeyRing } from '../../src/secrets/init-key-ring.ts';

/** An installation with nothing wrong: real processes, a real chain, a mail server, price sources and a key ring. */

const BSC = 56;
const BLOCKS = 5;

export async function startBsc(options: { chainId?: number; ageSeconds?: number } = {}): Promise<Anvil> {
  const seconds = Math.floor(systemClock.nowMs() / 1_000) - (options.ageSeconds ?? 10);
  const chain = await startAnvil({ chainId: options.chainId ?? BSC, timestamp: seconds, slotsInAnEpoch: 1 });
  await installCanonicalTokens({ ...chain, chainId: BSC });
  await mine(chain, BLOCKS, options.ageSeconds === undefined ? {} : { atTime: seconds + 1 });
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
  folder: string;
  close: () => Promise<void>;
};

/** Sessions under the names of the processes, which the doctor looks for. */
async function connectAs(url: string, names: readonly string[]): Promise<pg.Client[]> {
  const clients = names.map((name) => new pg.Client({ connectionString: url, application_name: name }));
  await Promise.all(clients.map((client) => client.connect()));
  return clients;
}

function mailOf(receiver: Awaited<ReturnType<typeof startSmtpReceiver>>, certificate: MailCertificate) {
  return {
    mailServer: serverOf({ receiver }),
    createTransport: (server: Parameters<typeof createTransport>[0]) =>
      createTransport(server, certificate.certificate),
  };
}

export async function startHealthyInstance(template: Template): Promise<HealthyInstance> {
  const own = await openTestDatabase(template);
  const folder = await mkdtemp(join(tmpdir(), 'counterfoil-doctor-'));
  const keyRingFile = join(folder, 'ring.json');
  await initKeyRing({ database: own.database, clock: systemClock, keyRingFile }, ALICE);
  await openStore(own.database, { ring: await openKeyRing(keyRingFile) });
  const certificate = await makeMailCertificate();
  const receiver = await startSmtpReceiver({ certificate });
  const [chain, prices, api] = await Promise.all([startBsc(), startPriceServers(systemClock), startApi(own.url)]);
  const sessions = await connectAs(own.url, ['counterfoil-worker', 'counterfoil-dashboard']);
  const context: DoctorContext = {
    variables: { COUNTERFOIL_DATABASE_URL: roleUrl(own.url, 'admin'), COUNTERFOIL_KEY_RING_FILE: keyRingFile },
    process: 'admin',
    database: own.as('admin'),
    databaseConnections: 10,
    chains: [await bscAt(chain.url, chain.url.replace('127.0.0.1', 'localhost'))],
    keyRingFile,
    checkoutUrl: api.url,
    dashboardUrl: undefined,
    storePlan: undefined,
    ...mailOf(receiver, certificate),
    priceSources: [
      createBinanceSource(prices.binance.url, systemClock),
      createKrakenSource(prices.kraken.url, systemClock),
      createCoinbaseSource(prices.coinbase.url),
    ],
    resolve: async () => ['127.0.0.1'],
    clock: systemClock,
    dataFolder: folder,
    word: wordRefusal,
  };
  const close = async () => {
    await Promise.all([...sessions.map((session) => session.end()), api.stop(), prices.close(), receiver.stop()]);
    await chain.stop();
    await certificate.remove();
    await own.drop();
    await rm(folder, { recursive: true });
  };
  return { context, own, chain, folder, close };
}
