import type { FollowedChain } from '../config/chain-settings.ts';
import type { ProcessName } from '../config/server-process.ts';
import type { Variables } from '../config/setting.ts';
import type { Database } from '../db/database.ts';
import type { Clock } from '../lib/clock.ts';
import type { Refusal } from '../lib/refusal.ts';
import type { Resolver } from '../lib/resolver.ts';
import type { MailServer } from '../mail/mail-server.ts';
import type { MailTransport } from '../mail/create-transport.ts';
import { CHAIN_NETWORKS } from '../networks/chain-networks.ts';
import type { PriceSource } from '../prices/price-source.ts';
import type { RateSource } from '../rates/rate-source.ts';
import { examineAddress } from './examine-address.ts';
import { examineDatabase } from './examine-database.ts';
import { examineDisks } from './examine-disk.ts';
import { examineKeyRing } from './examine-key-ring.ts';
import { examineMail } from './examine-mail.ts';
import { examineNodes } from './examine-nodes.ts';
import { examinePrices } from './examine-prices.ts';
import { examineRates } from './examine-rates.ts';
import { examineSettings } from './examine-settings.ts';
import { examineViews } from './examine-views.ts';
import type { Finding } from './finding.ts';
import { reasonOf, wrong } from './finding.ts';

export type DoctorContext = {
  /** The environment, including faults. */
  variables: Variables;
  process: ProcessName;
  database: Database | undefined;
  databaseWaitMs: number;
  databaseConnections: number;
  databaseBudget: number | undefined;
  chains: readonly FollowedChain[];
  keyRingFile: string | undefined;
  checkoutUrl: string | undefined;
  dashboardUrl: string | undefined;
  storePlan: string | undefined;
  mailServer: MailServer | undefined;
  createTransport: (server: MailServer) => MailTransport;
  priceSources: readonly PriceSource[];
  rateSources: readonly RateSource[];
  resolve: Resolver;
  clock: Clock;
  /** Folders whose disks are examined; missing ones are skipped. */
  diskFolders: readonly string[];
  word: (refusal: Refusal) => string;
};

async function examineStore(context: DoctorContext): Promise<Finding[]> {
  const { database, clock, chains, process, databaseConnections, databaseBudget, storePlan, checkoutUrl } = context;
  if (!database) return [];
  return examineDatabase({
    database,
    clock,
    role: process,
    connections: databaseConnections,
    connectionBudget: databaseBudget,
    followed: chains.map(({ network }) => network.id),
    chainNetworks: CHAIN_NETWORKS.map(({ id }) => id),
    storePlan,
    isApiAsked: checkoutUrl !== undefined,
  });
}

async function examineAddresses({ checkoutUrl, dashboardUrl, resolve }: DoctorContext): Promise<Finding[]> {
  return Promise.all([
    ...(checkoutUrl === undefined ? [] : [examineAddress({ check: 'checkout address', url: checkoutUrl, resolve })]),
    ...(dashboardUrl === undefined ? [] : [examineAddress({ check: 'dashboard address', url: dashboardUrl, resolve })]),
  ]);
}

const EXAMINATIONS: Record<string, (context: DoctorContext) => Promise<Finding[]>> = {
  settings: async ({ process, variables }) => examineSettings(process, variables),
  database: examineStore,
  views: ({ database, databaseWaitMs, variables }) => examineViews({ database, waitMs: databaseWaitMs }, variables),
  'key ring': async ({ database, keyRingFile: path, word }) => [
    await examineKeyRing({ queries: database?.queries, path, word }),
  ],
  nodes: ({ chains, clock }) => examineNodes(chains, clock),
  addresses: examineAddresses,
  mail: async ({ mailServer, createTransport }) => [await examineMail(mailServer, createTransport)],
  prices: async ({ priceSources }) => [await examinePrices(priceSources)],
  rates: async ({ rateSources }) => [await examineRates(rateSources)],
  disk: ({ diskFolders }) => examineDisks(diskFolders),
};

/** Runs all checks in parallel; a failing one does not stop the others. */
export async function runDoctor(context: DoctorContext): Promise<Finding[]> {
  const found = await Promise.all(
    Object.entries(EXAMINATIONS).map(([check, examine]) =>
      examine(context).catch((cause: unknown) => [
        wrong(check, `It could not be examined: ${reasonOf(cause)}`, 'Fix the problems above, and run it again.'),
      ]),
    ),
  );
  return found.flat();
}
