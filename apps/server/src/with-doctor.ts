import { wordRefusal } from './commands/refusal-words.ts';
import { readChains } from './config/chain-settings.ts';
import { readPriceUrls, readRateUrls } from './config/market-urls.ts';
import { parseSettings } from './config/parse-settings.ts';
import { DOCTOR_SETTINGS } from './config/process-settings.ts';
import { readMailServer } from './config/read-mail-server.ts';
import type { Variables } from './config/setting.ts';
import { closeDatabase, openDatabase } from './db/database.ts';
import type { DoctorContext } from './doctor/run-doctor.ts';
import { systemClock } from './lib/clock.ts';
import { systemResolver } from './lib/resolver.ts';
import { createTransport } from './mail/create-transport.ts';
import { createPriceSources } from './prices/create-price-sources.ts';
import { createRateSources } from './rates/create-rate-sources.ts';

/** Some checks run in parallel, and one needs two. */
const CONNECTIONS = 3;
/** Shorter than the wait for a free connection, so that one lock blocks nothing else. */
const LOCK_TIMEOUT_MS = 1_500;
/** Distinguishes a silent database from a busy one: a slow machine is no finding. */
const DATABASE_TIMEOUT_MS = 30_000;
/** Usual PostgreSQL folders, and the root. */
const DISK_FOLDERS = ['/', '/var/lib/postgresql', '/var/lib/pgsql'];

/** Opens what the doctor examines, as far as settings are valid: missing parts are findings. */
export async function withDoctor<T>(given: Variables, use: (context: DoctorContext) => Promise<T>): Promise<T> {
  const { values, variables, production } = parseSettings(DOCTOR_SETTINGS, given);
  const url: string | undefined = values.COUNTERFOIL_DATABASE_URL;
  const options = {
    connections: CONNECTIONS,
    name: 'counterfoil-doctor',
    reports: true,
    settingsOnRole: true,
    lockTimeoutMs: LOCK_TIMEOUT_MS,
    waitMs: DATABASE_TIMEOUT_MS,
    answerTimeoutMs: DATABASE_TIMEOUT_MS,
  };
  const database = url === undefined ? undefined : openDatabase({ url, ...options }, () => {});
  try {
    return await use({
      variables: given,
      process: 'admin',
      database,
      databaseWaitMs: DATABASE_TIMEOUT_MS,
      databaseConnections: values.COUNTERFOIL_DATABASE_CONNECTIONS ?? 0,
      databaseBudget: values.COUNTERFOIL_DATABASE_BUDGET,
      chains: readChains(variables),
      keyRingFile: values.COUNTERFOIL_KEY_RING_FILE,
      checkoutUrl: values.COUNTERFOIL_CHECKOUT_URL,
      dashboardUrl: values.COUNTERFOIL_DASHBOARD_URL,
      storePlan: values.COUNTERFOIL_STORE_PLAN,
      mailServer: readMailServer(values, production).mailServer,
      createTransport,
      priceSources: createPriceSources(readPriceUrls(values), systemClock),
      rateSources: createRateSources(readRateUrls(values), systemClock),
      resolve: systemResolver,
      clock: systemClock,
      diskFolders: DISK_FOLDERS,
      word: wordRefusal,
    });
  } finally {
    if (database) await closeDatabase(database);
  }
}
