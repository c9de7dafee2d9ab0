import type { MailServer } from '../mail/mail-server.ts';
import type { PriceUrls } from '../prices/create-price-sources.ts';
import type { RateUrls } from '../rates/create-rate-sources.ts';
import { readPriceUrls, readRateUrls } from './market-urls.ts';
import type { FollowedChain } from './chain-settings.ts';
import { readChains } from './chain-settings.ts';
import { VARIABLES } from './environment.ts';
import type { AlertSettings } from './read-alert-settings.ts';
import { readAlertSettings } from './read-alert-settings.ts';
import { parseSettings, refuseFaults } from './parse-settings.ts';
import { WORKER_SETTINGS } from './process-settings.ts';
import type { ApiConfig } from './read-api-config.ts';
import { readMailServer } from './read-mail-server.ts';
import { WATCHDOG_SECONDS } from './settings.ts';

const STATE_FAULT = 'COUNTERFOIL_STATE_DIR: is needed, or a restored database would not be noticed';
const KEY_RING_FAULT = 'COUNTERFOIL_KEY_RING_FILE: is needed to sign webhooks';

type WorkerConfig = Pick<
  ApiConfig,
  | 'databaseUrl'
  | 'databaseConnections'
  | 'databaseWaitMs'
  | 'anyDatabaseRole'
  | 'logLevel'
  | 'operationsHost'
  | 'operationsPort'
  | 'clockPace'
  | 'privateCallbacks'
> & {
  keyRingFile: string | undefined;
  stateFolder: string;
  chains: FollowedChain[];
  /** Pause between polls; undefined for each network's own. */
  pollMs: number | undefined;
  priceUrls: PriceUrls;
  rateUrls: RateUrls;
  failpoint: string | undefined;
  /** How long a loop may show no sign of life. */
  watchdogSeconds: number;
  /** Ranges that webhooks never go to, besides all non-public ones. */
  refusedCallbackRanges: string[];
  webhookRetentionDays: number;
  mailServer: MailServer | undefined;
  /** Where alerts about alarms go. */
  alerts: AlertSettings;
  heartbeatUrl: string | undefined;
};

export function readWorkerConfig(given = VARIABLES): WorkerConfig {
  const { values, variables, production, faults } = parseSettings(WORKER_SETTINGS, given);
  if (production && !variables['COUNTERFOIL_KEY_RING_FILE']) faults.push(KEY_RING_FAULT);
  const { COUNTERFOIL_STATE_DIR: stateFolder } = values;
  if (stateFolder === undefined) faults.push(STATE_FAULT);
  const { mailServer, mailFaults } = readMailServer(values, production);
  const { alerts, alertFaults } = readAlertSettings(values, variables);
  refuseFaults([...faults, ...mailFaults, ...alertFaults]);
  return {
    databaseUrl: values.COUNTERFOIL_DATABASE_URL,
    databaseConnections: values.COUNTERFOIL_DATABASE_CONNECTIONS,
    databaseWaitMs: values.COUNTERFOIL_DATABASE_WAIT_SECONDS * 1_000,
    anyDatabaseRole: values.COUNTERFOIL_ANY_DATABASE_ROLE === 'allow',
    operationsHost: values.COUNTERFOIL_OPERATIONS_HOST,
    operationsPort: values.COUNTERFOIL_WORKER_OPERATIONS_PORT,
    logLevel: values.COUNTERFOIL_LOG_LEVEL,
    chains: readChains(variables),
    pollMs: values.COUNTERFOIL_POLL_MS,
    priceUrls: readPriceUrls(values),
    rateUrls: readRateUrls(values),
    failpoint: values.COUNTERFOIL_FAILPOINT,
    watchdogSeconds: values.COUNTERFOIL_WATCHDOG_SECONDS ?? WATCHDOG_SECONDS,
    clockPace: values.COUNTERFOIL_CLOCK_PACE,
    stateFolder: stateFolder ?? '',
    keyRingFile: values.COUNTERFOIL_KEY_RING_FILE,
    privateCallbacks: values.COUNTERFOIL_PRIVATE_CALLBACKS === 'allow',
    refusedCallbackRanges: values.COUNTERFOIL_REFUSED_CALLBACK_RANGES,
    webhookRetentionDays: values.COUNTERFOIL_WEBHOOK_RETENTION_DAYS,
    mailServer,
    alerts,
    heartbeatUrl: values.COUNTERFOIL_HEARTBEAT_URL,
  };
}
